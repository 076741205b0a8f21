/** The filter values of `type` in section 2.5. */
export type LawType = 'kanun' | 'yonetmelik' | 'teblig' | 'genelge';

/** An instrument that others amend. Its name ends in Kanunu, Yönetmeliği, Tebliği or Genelgesi. */
export interface ParentLaw {
  type: LawType;
  name: string;
  /** '-' where the instrument has none. */
  number: string;
  institution: string;
  topics: readonly string[];
}

type Row = readonly [name: string, number: string, institution: string, topics: string];

const KANUN: readonly Row[] = [
  ['Gelir Vergisi Kanunu', '193', 'tbmm', 'tax'],
  ['Kurumlar Vergisi Kanunu', '5520', 'tbmm', 'tax'],
  ['Katma Değer Vergisi Kanunu', '3065', 'tbmm', 'tax'],
  ['İş Kanunu', '4857', 'tbmm', 'labour law'],
  ['Sosyal Sigortalar ve Genel Sağlık Sigortası Kanunu', '5510', 'tbmm', 'social security'],
  ['Kişisel Verilerin Korunması Kanunu', '6698', 'tbmm', 'data protection'],
  ['İmar Kanunu', '3194', 'tbmm', 'zoning'],
  ['Bankacılık Kanunu', '5411', 'tbmm', 'banking'],
  ['Sermaye Piyasası Kanunu', '6362', 'tbmm', 'capital markets'],
  ['Elektrik Piyasası Kanunu', '6446', 'tbmm', 'energy'],
  ['Gümrük Kanunu', '4458', 'tbmm', 'customs'],
  ['Çevre Kanunu', '2872', 'tbmm', 'environment'],
  ['Kamu İhale Kanunu', '4734', 'tbmm', 'public procurement'],
  ['Tüketicinin Korunması Kanunu', '6502', 'tbmm', 'consumer'],
];

const YONETMELIK: readonly Row[] = [
  [
    'Planlı Alanlar İmar Yönetmeliği',
    '-',
    'cevre-sehircilik-ve-iklim-degisikligi-bakanligi',
    'zoning',
  ],
  [
    'Mekânsal Planlar Yapım Yönetmeliği',
    '-',
    'cevre-sehircilik-ve-iklim-degisikligi-bakanligi',
    'zoning,environment',
  ],
  [
    'Çevresel Etki Değerlendirmesi Yönetmeliği',
    '-',
    'cevre-sehircilik-ve-iklim-degisikligi-bakanligi',
    'environment',
  ],
  ['Uzaktan Çalışma Yönetmeliği', '-', 'calisma-ve-sosyal-guvenlik-bakanligi', 'labour law'],
  ['Asgari Ücret Yönetmeliği', '-', 'calisma-ve-sosyal-guvenlik-bakanligi', 'labour law'],
  [
    'Sosyal Sigorta İşlemleri Yönetmeliği',
    '-',
    'sosyal-guvenlik-kurumu',
    'social security,labour law',
  ],
  ['Veri Sorumluları Sicili Yönetmeliği', '-', 'kisisel-verileri-koruma-kurumu', 'data protection'],
  ['Bankaların Kredi İşlemleri Yönetmeliği', '-', 'bddk', 'banking'],
  ['Bankaların Bilgi Sistemleri Yönetmeliği', '-', 'bddk', 'banking,data protection'],
  ['Elektrik Piyasası Lisans Yönetmeliği', '-', 'epdk', 'energy'],
  ['Elektrik Piyasası Tüketici Hizmetleri Yönetmeliği', '-', 'epdk', 'energy,consumer'],
  ['Gümrük Yönetmeliği', '-', 'ticaret-bakanligi', 'customs'],
  ['Mesafeli Sözleşmeler Yönetmeliği', '-', 'ticaret-bakanligi', 'consumer'],
  ['Özel Hastaneler Yönetmeliği', '-', 'saglik-bakanligi', 'health'],
  ['Özel Öğretim Kurumları Yönetmeliği', '-', 'milli-egitim-bakanligi', 'education'],
  ['Karayolu Taşıma Yönetmeliği', '-', 'ulastirma-ve-altyapi-bakanligi', 'transport'],
  ['Bitki Koruma Ürünleri Yönetmeliği', '-', 'tarim-ve-orman-bakanligi', 'agriculture,environment'],
  ['Mal Alımı İhaleleri Uygulama Yönetmeliği', '-', 'kamu-ihale-kurumu', 'public procurement'],
  [
    'Elektronik Haberleşme Sektörüne İlişkin Tüketici Hakları Yönetmeliği',
    '-',
    'bilgi-teknolojileri-ve-iletisim-kurumu',
    'consumer',
  ],
];

const TEBLIG: readonly Row[] = [
  ['Katma Değer Vergisi Genel Uygulama Tebliği', '-', 'gelir-idaresi-baskanligi', 'tax'],
  ['Vergi Usul Kanunu Genel Tebliği', '509', 'gelir-idaresi-baskanligi', 'tax'],
  ['Gelir Vergisi Genel Tebliği', '311', 'gelir-idaresi-baskanligi', 'tax'],
  [
    'Özel Tüketim Vergisi (II) Sayılı Liste Uygulama Tebliği',
    '-',
    'hazine-ve-maliye-bakanligi',
    'tax,customs',
  ],
  ['Zorunlu Karşılıklar Tebliği', '2013/15', 'tcmb', 'banking'],
  ['Menkul Kıymet Tesisi Tebliği', '2022/20', 'tcmb', 'banking'],
  ['Pay Tebliği', 'VII-128.1', 'spk', 'capital markets'],
  ['Yatırım Fonlarına İlişkin Esaslar Tebliği', 'III-52.1', 'spk', 'capital markets'],
  [
    'İthalatta Haksız Rekabetin Önlenmesi Tebliği',
    '2024/9',
    'ticaret-bakanligi',
    'customs,competition',
  ],
  ['Birleşme ve Devralmalar Tebliği', '2010/4', 'rekabet-kurumu', 'competition'],
  ['Sağlık Uygulama Tebliği', '-', 'sosyal-guvenlik-kurumu', 'health,social security'],
  ['Kamu İhale Genel Tebliği', '-', 'kamu-ihale-kurumu', 'public procurement'],
  [
    'Aydınlatma Yükümlülüğünün Yerine Getirilmesi Tebliği',
    '-',
    'kisisel-verileri-koruma-kurumu',
    'data protection',
  ],
];

const GENELGE: readonly Row[] = [
  [
    'Yapı Denetimi Uygulama Genelgesi',
    '2021/7',
    'cevre-sehircilik-ve-iklim-degisikligi-bakanligi',
    'zoning',
  ],
  ['Gümrük İşlemleri Genelgesi', '2019/24', 'ticaret-bakanligi', 'customs'],
  [
    'İşveren Uygulamaları Genelgesi',
    '2020/20',
    'sosyal-guvenlik-kurumu',
    'social security,labour law',
  ],
  ['Tasarruf Tedbirleri Genelgesi', '2024/7', 'hazine-ve-maliye-bakanligi', 'public procurement'],
  ['Okul Kayıtları Genelgesi', '-', 'milli-egitim-bakanligi', 'education'],
];

function lawsFrom(type: LawType, rows: readonly Row[]): ParentLaw[] {
  return rows.map(([name, number, institution, topics]) => ({
    type,
    name,
    number,
    institution,
    topics: topics.split(','),
  }));
}

/** Instruments by kind; each kind has at least one. */
export const LAWS: Readonly<Record<LawType, readonly ParentLaw[]>> = {
  kanun: lawsFrom('kanun', KANUN),
  yonetmelik: lawsFrom('yonetmelik', YONETMELIK),
  teblig: lawsFrom('teblig', TEBLIG),
  genelge: lawsFrom('genelge', GENELGE),
};
