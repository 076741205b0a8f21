/** Slug (the `institution` parameter) and name (the record's `institution`). Not in the spec: the real slugs. */
export const INSTITUTIONS: Readonly<Record<string, string>> = {
  tbmm: 'Türkiye Büyük Millet Meclisi',
  'hazine-ve-maliye-bakanligi': 'Hazine ve Maliye Bakanlığı',
  'gelir-idaresi-baskanligi': 'Gelir İdaresi Başkanlığı',
  'calisma-ve-sosyal-guvenlik-bakanligi': 'Çalışma ve Sosyal Güvenlik Bakanlığı',
  'sosyal-guvenlik-kurumu': 'Sosyal Güvenlik Kurumu',
  'kisisel-verileri-koruma-kurumu': 'Kişisel Verileri Koruma Kurumu',
  'cevre-sehircilik-ve-iklim-degisikligi-bakanligi':
    'Çevre, Şehircilik ve İklim Değişikliği Bakanlığı',
  bddk: 'Bankacılık Düzenleme ve Denetleme Kurumu',
  spk: 'Sermaye Piyasası Kurulu',
  epdk: 'Enerji Piyasası Düzenleme Kurumu',
  tcmb: 'Türkiye Cumhuriyet Merkez Bankası',
  'ticaret-bakanligi': 'Ticaret Bakanlığı',
  'saglik-bakanligi': 'Sağlık Bakanlığı',
  'milli-egitim-bakanligi': 'Millî Eğitim Bakanlığı',
  'ulastirma-ve-altyapi-bakanligi': 'Ulaştırma ve Altyapı Bakanlığı',
  'tarim-ve-orman-bakanligi': 'Tarım ve Orman Bakanlığı',
  'rekabet-kurumu': 'Rekabet Kurumu',
  'kamu-ihale-kurumu': 'Kamu İhale Kurumu',
  'bilgi-teknolojileri-ve-iletisim-kurumu': 'Bilgi Teknolojileri ve İletişim Kurumu',
};
