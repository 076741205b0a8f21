/** One series of the catalog, and the figures from which its values are made. */
export interface MacroSeries {
  code: string;
  name: string;
  frequency: 'daily' | 'weekly' | 'monthly';
  /** Approximate value on the anchor day. */
  level: number;
  /** Typical daily move in percent. */
  dailyMove: number;
  /** Percent a year. */
  yearlyGrowth: number;
  decimals: number;
  /** Present on exchange rate series: they follow the FX rates. */
  rate?: { pair: string; side: 'buying' | 'selling' };
}

type Row = readonly [
  code: string,
  name: string,
  level: number,
  dailyMove: number,
  yearlyGrowth: number,
  decimals: number,
];

const RATE_CURRENCIES: readonly (readonly [code: string, name: string])[] = [
  ['USD', 'ABD Doları'],
  ['EUR', 'Euro'],
  ['GBP', 'İngiliz Sterlini'],
  ['CHF', 'İsviçre Frangı'],
  ['JPY', 'Japon Yeni'],
  ['CAD', 'Kanada Doları'],
  ['AUD', 'Avustralya Doları'],
  ['SEK', 'İsveç Kronu'],
  ['NOK', 'Norveç Kronu'],
  ['DKK', 'Danimarka Kronu'],
  ['SAR', 'Suudi Arabistan Riyali'],
  ['KWD', 'Kuveyt Dinarı'],
  ['CNY', 'Çin Yuanı'],
  ['RUB', 'Rus Rublesi'],
  ['AED', 'BAE Dirhemi'],
  ['AZN', 'Azerbaycan Manatı'],
];

const DAILY: readonly Row[] = [
  ['TP.BISTTLREF.ORAN', 'Türk Lirası Gecelik Referans Faiz Oranı (TLREF)', 36.4, 0.3, -8, 4],
  ['TP.PY.P01.ON', 'BIST Gecelik Repo Faizi, ağırlıklı ortalama', 36.6, 0.3, -8, 2],
  ['TP.PY.P06.1HI', 'TCMB 1 Hafta Vadeli Repo Faizi', 37, 0, 0, 2],
  ['TP.APIFON4', 'TCMB Ağırlıklı Ortalama Fonlama Maliyeti', 36.9, 0.1, -8, 2],
  ['TP.AOFOBAP', 'TCMB Net Fonlama, milyon TL', 412_000, 2, 5, 0],
  ['TP.MK.F.BILESIK', 'BIST 100 Endeksi, kapanış', 12_350, 1.1, 25, 2],
  ['TP.MK.F.MALI', 'BIST Mali Endeksi, kapanış', 15_120, 1.3, 25, 2],
  ['TP.MK.F.SINAI', 'BIST Sınai Endeksi, kapanış', 16_480, 1.1, 25, 2],
  ['TP.MK.KUL.YTL', 'Külçe Altın, TL/gram', 5_820, 0.8, 30, 2],
  ['TP.MK.CUM.YTL', 'Cumhuriyet Altını, TL/adet', 39_400, 0.8, 30, 2],
  ['TP.MK.LON.ONS', 'Londra Altın Fiyatı, USD/ons', 4_060, 0.7, 10, 2],
  ['TP.BRENT.SPOT', 'Brent Petrol, USD/varil', 66.4, 1.4, 0, 2],
  ['TP.TAHVIL.Y02', 'Gösterge Tahvil Faizi, 2 yıl', 37.8, 0.8, -6, 2],
  ['TP.TAHVIL.Y10', 'Gösterge Tahvil Faizi, 10 yıl', 30.9, 0.7, -4, 2],
  ['TP.CDS.TR5Y', 'Türkiye 5 Yıllık CDS Primi, baz puan', 241, 1.2, 0, 1],
  ['TP.RK.T1.Y', 'Reel Efektif Kur Endeksi, günlük, TÜFE bazlı', 71.2, 0.2, 0, 2],
];

const WEEKLY: readonly Row[] = [
  ['TP.KTF10', 'İhtiyaç Kredisi Faizi, TL, akım', 58.3, 0.3, -10, 2],
  ['TP.KTF11', 'Taşıt Kredisi Faizi, TL, akım', 39.6, 0.3, -10, 2],
  ['TP.KTF12', 'Konut Kredisi Faizi, TL, akım', 37.1, 0.3, -10, 2],
  ['TP.KTF17', 'Ticari Kredi Faizi, TL, akım', 45.2, 0.3, -10, 2],
  ['TP.TRY.MT01', 'Mevduat Faizi, TL, 1 aya kadar', 37.9, 0.2, -10, 2],
  ['TP.TRY.MT02', 'Mevduat Faizi, TL, 3 aya kadar', 39.4, 0.2, -10, 2],
  ['TP.TRY.MT06', 'Mevduat Faizi, TL, toplam', 38.8, 0.2, -10, 2],
  ['TP.USD.MT02', 'Mevduat Faizi, USD, 3 aya kadar', 2.6, 0.3, 0, 2],
  ['TP.EUR.MT02', 'Mevduat Faizi, EUR, 3 aya kadar', 1.8, 0.3, 0, 2],
  ['TP.AB.TOPLAM', 'TCMB Brüt Rezervler, milyon USD', 182_400, 0.4, 8, 0],
  ['TP.AB.C1', 'TCMB Altın Rezervleri, milyon USD', 84_900, 0.5, 10, 0],
  ['TP.AB.C2', 'TCMB Brüt Döviz Rezervleri, milyon USD', 97_500, 0.5, 6, 0],
  ['TP.PR.ARZ02', 'Para Arzı M1, milyar TL', 8_940, 0.3, 30, 1],
  ['TP.PR.ARZ13', 'Para Arzı M2, milyar TL', 24_850, 0.2, 32, 1],
  ['TP.PR.ARZ22', 'Para Arzı M3, milyar TL', 26_430, 0.2, 32, 1],
  ['TP.KREDI.L001', 'Bankacılık Sektörü Toplam Krediler, milyar TL', 22_700, 0.15, 33, 1],
  ['TP.HPBITABLO1.1', 'Yurt Dışı Yerleşiklerin Hisse Stoku, milyon USD', 33_100, 0.8, 5, 0],
  ['TP.HPBITABLO1.2', 'Yurt Dışı Yerleşiklerin DİBS Stoku, milyon USD', 16_200, 0.8, 5, 0],
];

const MONTHLY: readonly Row[] = [
  ['TP.FG.J0', 'TÜFE Genel Endeksi (2003=100)', 4_118, 0.02, 28, 2],
  ['TP.FG.J01', 'TÜFE Gıda ve Alkolsüz İçecekler Endeksi', 5_236, 0.05, 29, 2],
  ['TP.FG.J04', 'TÜFE Konut, Su, Elektrik, Gaz Endeksi', 4_402, 0.03, 38, 2],
  ['TP.FG.J07', 'TÜFE Ulaştırma Endeksi', 4_015, 0.05, 25, 2],
  ['TP.FE.OKTG01', 'Özel Kapsamlı TÜFE Göstergesi C', 3_388, 0.02, 27, 2],
  ['TP.TUFE1YI.T1', 'Yurt İçi ÜFE Genel Endeksi (2003=100)', 5_540, 0.05, 24, 2],
  ['TP.BEK.S01.E.S', 'Piyasa Katılımcıları: 12 Ay Sonrası TÜFE Beklentisi', 21.4, 0.2, -12, 2],
  ['TP.BEK.S02.K.A', 'Piyasa Katılımcıları: Yıl Sonu USD/TRY Beklentisi', 46.1, 0.1, 12, 4],
  ['TP.GY1.N2.MA', 'Reel Kesim Güven Endeksi, mevsim etkisinden arındırılmış', 102.3, 0.1, 0, 1],
  ['TP.TG2.Y01', 'Tüketici Güven Endeksi', 84.2, 0.15, 0, 1],
  ['TP.KKO2.IS.TOP', 'İmalat Sanayi Kapasite Kullanım Oranı', 74.3, 0.05, 0, 1],
  ['TP.SANAYREV4.Y1', 'Sanayi Üretim Endeksi (2021=100)', 109.4, 0.2, 2, 1],
  ['TP.PERAKENDE.A01', 'Perakende Satış Hacim Endeksi (2021=100)', 148.7, 0.15, 9, 1],
  ['TP.YISGUCU2.G8', 'İşsizlik Oranı, mevsim etkisinden arındırılmış', 8.6, 0.2, 0, 1],
  ['TP.TIG02.ISTIHDAM', 'İstihdam, bin kişi', 32_840, 0.02, 1, 0],
  ['TP.IHRACATBEC.9999', 'İhracat, milyon USD', 23_700, 0.5, 4, 0],
  ['TP.ITHALATBEC.9999', 'İthalat, milyon USD', 31_200, 0.5, 4, 0],
  ['TP.ODAOZEL.CARI', 'Cari Açık, 12 aylık, milyon USD', 21_600, 0.8, 3, 0],
  ['TP.KB.GEL001', 'Merkezî Yönetim Bütçe Gelirleri, milyar TL', 1_214, 0.5, 35, 1],
  ['TP.KB.GID001', 'Merkezî Yönetim Bütçe Giderleri, milyar TL', 1_402, 0.5, 33, 1],
  ['TP.KB.A18', 'Merkezî Yönetim Borç Stoku, milyar TL', 13_560, 0.1, 30, 1],
  ['TP.HKFE01', 'Konut Fiyat Endeksi (2023=100)', 224.5, 0.05, 31, 1],
  ['TP.HKFE02', 'Konut Fiyat Endeksi, İstanbul (2023=100)', 218.9, 0.05, 32, 1],
  ['TP.HKFE03', 'Konut Fiyat Endeksi, Ankara (2023=100)', 238.3, 0.05, 33, 1],
  ['TP.YKKE01', 'Yeni Kiracı Kira Endeksi (2023=100)', 241.8, 0.05, 34, 1],
  ['TP.AKONUTSAT1.TOPLAM', 'Konut Satışları, adet', 141_300, 0.9, 4, 0],
  ['TP.ODEMGZS.GEL', 'Turizm Gelirleri, milyon USD', 5_860, 0.9, 5, 0],
  ['TP.TURIZM.ZIY', 'Gelen Yabancı Ziyaretçi, bin kişi', 5_320, 1.1, 3, 0],
  ['TP.OTOMOTIV.URETIM', 'Otomotiv Üretimi, adet', 121_500, 0.7, 2, 0],
  ['TP.ELEKTRIK.TUKETIM', 'Elektrik Tüketimi, GWh', 29_400, 0.3, 3, 0],
  ['TP.PMI.IMALAT', 'İmalat PMI', 48.9, 0.1, 0, 1],
  ['TP.KREDIKARTI.HARCAMA', 'Kredi Kartı Harcamaları, milyar TL', 1_905, 0.3, 45, 1],
  ['TP.EKONOMIKGUVEN.S01', 'Ekonomik Güven Endeksi', 98.9, 0.1, 0, 1],
  ['TP.ASGARI.NET', 'Net Asgari Ücret, TL', 28_075, 0, 0, 2],
];

function rateSeries([code, name]: (typeof RATE_CURRENCIES)[number]): MacroSeries[] {
  const common = {
    frequency: 'daily',
    level: 0,
    dailyMove: 0,
    yearlyGrowth: 0,
    decimals: 4,
  } as const;
  const pair = `${code}TRY`;
  return [
    {
      ...common,
      code: `TP.DK.${code}.A`,
      name: `(${code}) ${name}, döviz alış`,
      rate: { pair, side: 'buying' },
    },
    {
      ...common,
      code: `TP.DK.${code}.S`,
      name: `(${code}) ${name}, döviz satış`,
      rate: { pair, side: 'selling' },
    },
  ];
}

function seriesFrom(frequency: MacroSeries['frequency'], rows: readonly Row[]): MacroSeries[] {
  return rows.map(([code, name, level, dailyMove, yearlyGrowth, decimals]) => ({
    code,
    name,
    frequency,
    level,
    dailyMove,
    yearlyGrowth,
    decimals,
  }));
}

/** The catalog, in order. Codes follow the style of the central bank's data system; values are invented. */
export const MACRO_SERIES: readonly MacroSeries[] = [
  ...RATE_CURRENCIES.flatMap(rateSeries),
  ...seriesFrom('daily', DAILY),
  ...seriesFrom('weekly', WEEKLY),
  ...seriesFrom('monthly', MONTHLY),
];
