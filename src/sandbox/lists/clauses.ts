import { rowsOf } from './table.ts';

/** A clause of an instrument; `#` is a number that an amendment changes. */
export interface Clause {
  topic: string;
  subject: string;
  text: string;
  /** Lowest and highest number that may stand for `#`. */
  from: number;
  to: number;
}

/** topic | subject | from | to | text */
const TABLE = `
tax | vergi oranı | 5 | 30 | Birinci fıkrada sayılan kazançlara uygulanacak vergi oranı yüzde # olarak belirlenmiştir.
tax | istisna tutarı | 50 | 900 | Bir takvim yılında elde edilen kazancın # bin Türk lirasını aşmayan kısmı vergiden müstesnadır.
labour law | fazla çalışma süresi | 180 | 320 | Fazla çalışma süresinin toplamı bir yılda # saatten fazla olamaz.
labour law | bildirim süresi | 5 | 30 | Çalışma şartlarında esaslı değişiklik işçiye en az # gün önce yazılı olarak bildirilir.
social security | prim oranı | 18 | 24 | Malullük, yaşlılık ve ölüm sigortaları prim oranı, sigortalının prime esas kazancının yüzde # kadarıdır.
social security | bildirge süresi | 1 | 15 | Sigortalı işe giriş bildirgesi en geç # gün içinde Kuruma verilir.
data protection | ihlal bildirimi | 24 | 96 | Veri sorumlusu, ihlali öğrendiği tarihten itibaren # saat içinde Kurula bildirimde bulunur.
data protection | saklama süresi | 30 | 180 | Kişisel veriler, işlendikleri amaç ortadan kalktıktan sonra en geç # gün içinde silinir veya anonim hâle getirilir.
zoning | yapı yaklaşma mesafesi | 200 | 500 | Yan bahçe mesafesi en az # santimetre olarak düzenlenir.
zoning | otopark zorunluluğu | 60 | 150 | Brüt alanı # metrekareyi aşan her bağımsız bölüm için bir otopark yeri ayrılır.
banking | karşılık oranı | 4 | 32 | Bankalar, yabancı para yükümlülükleri için yüzde # oranında zorunlu karşılık tesis eder.
banking | kredi vadesi | 12 | 36 | Tutarı sınırı aşan tüketici kredilerinin vadesi # ayı geçemez.
capital markets | halka açıklık oranı | 10 | 30 | Halka arz edilecek payların çıkarılmış sermayeye oranı yüzde # oranından az olamaz.
capital markets | açıklama süresi | 1 | 5 | Özel durumun ortaya çıkmasından itibaren # iş günü içinde kamuya açıklama yapılır.
energy | lisans süresi | 10 | 49 | Üretim lisansları en az # yıl için verilir.
energy | teminat oranı | 1 | 10 | Başvuru sahibinden yatırım tutarının yüzde # oranında teminat mektubu alınır.
customs | muafiyet sınırı | 20 | 150 | Posta yoluyla gelen ve kıymeti # avroyu geçmeyen eşya için tek ve maktu vergi uygulanır.
customs | ek yükümlülük | 5 | 40 | Eşyanın CIF kıymetinin yüzde # oranında ilave gümrük vergisi tahsil edilir.
environment | idari para cezası | 50 | 600 | İzin almadan atık bertaraf edenlere # bin Türk lirası idari para cezası verilir.
environment | izleme süresi | 1 | 12 | Tesisin emisyonları # ayda bir ölçülür ve Bakanlığa raporlanır.
public procurement | geçici teminat | 2 | 6 | Teklif edilen bedelin yüzde # oranından az olmamak üzere geçici teminat alınır.
public procurement | ilan süresi | 7 | 40 | İhale ilanı, ihale tarihinden en az # gün önce yayımlanır.
consumer | cayma hakkı | 7 | 30 | Tüketici, # gün içinde gerekçe göstermeksizin sözleşmeden cayma hakkına sahiptir.
consumer | iade süresi | 5 | 21 | Satıcı, bildirimin ulaşmasından itibaren # gün içinde ödemeyi iade eder.
health | yatak kapasitesi | 25 | 150 | Özel hastaneler en az # hasta yatağı ile faaliyet gösterir.
health | katılım payı | 8 | 60 | Ayakta tedavide hekim muayenesi katılım payı # Türk lirasıdır.
education | kontenjan | 16 | 36 | Bir derslikte öğrenim görecek öğrenci sayısı # kişiyi geçemez.
education | ücret artışı | 25 | 65 | Ara sınıflarda öğrenim ücreti artışı yüzde # oranını aşamaz.
transport | araç yaşı | 8 | 20 | Yetki belgesine kaydedilecek taşıtlar # yaşından büyük olamaz.
transport | dinlenme süresi | 30 | 60 | Sürücüler her dört saatlik sürüşten sonra en az # dakika dinlenir.
agriculture | kalıntı sınırı | 3 | 28 | Ürünün hasadından önceki son # gün içinde uygulama yapılamaz.
agriculture | destek oranı | 10 | 50 | Sertifikalı tohum kullanan üreticilere maliyetin yüzde # oranında destek verilir.
competition | ciro eşiği | 250 | 3000 | İşlem taraflarının Türkiye ciroları toplamı # milyon Türk lirasını aşarsa Kuruldan izin alınır.
`;

const CLAUSES = rowsOf(TABLE).map(([topic = '', subject = '', from, to, text = '']): Clause => {
  return { topic, subject, text, from: Number(from), to: Number(to) };
});

const DEFAULT: readonly Clause[] = [
  {
    topic: '',
    subject: 'başvuru süresi',
    text: 'Başvurular # gün içinde sonuçlandırılır.',
    from: 7,
    to: 60,
  },
];

/** The clauses of a topic; at least one. */
export function clausesOf(topic: string): readonly Clause[] {
  const found = CLAUSES.filter((clause) => clause.topic === topic);
  return found.length > 0 ? found : DEFAULT;
}
