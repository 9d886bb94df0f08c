"""More words of tables in Latin letters: Czech, Turkish and Indonesian.

To teach the reader a word, add it to a row below. Words are in lower case, without accents and
without blanks, as `concordant.reading.words.key` writes them. Words that are names or common words
of another language stay out: Czech "body", Turkish "ad", Indonesian "tim".
"""

from __future__ import annotations

# The role of a column by its name, as in `vocabulary.ROLES`.
ROLES = {
    "winner": "vitez vitezka kazanan pemenang juara",
    "loser": "porazeny porazena kaybeden maglup kalah",
    "outcome": "vysledek sonuc hasil hasilpertandingan",
    "left": "domaci evsahibi tuanrumah kandang timtuanrumah",
    "right": "hoste deplasman konuk konuktakim tamu tandang timtamu",
    "left points": "golydomaci evsahibigol goltuanrumah skortuanrumah",
    "right points": "golyhoste deplasmangol goltamu skortamu",
    "weight": "vaha agirlik bobot",
    "count": "hlasy hlasu pocet pocethlasu oysayisi oylar adet suara jumlahsuara",
    "rank": "poradi misto umisteni sira siralama derece peringkat ranking urutan posisi",
    "score": "bodu pocetbodu bodove hodnoceni znamka skore puan puani skor nilai poin",
    "low score": "cas sure derecesure waktutempuh waktufinis",
    "voter": "hodnotitel hodnotitelka porotce porotkyne rozhodci hlasujici volic ucastnik "
    "ucastnice "
    "respondentka degustatorka zavod etapa hakem hakemler secmen katilimci oykullanan "
    "degerlendiren yaris etap ogrenci ogretmen penilai juri dewanjuri pemilih peserta "
    "responden "
    "anggota lomba babak mahasiswa siswa",
    "item": "soutezici zavodnik zavodnice tym druzstvo kandidatka uchazec navrh napad vino pivo "
    "jidlo "
    "kniha skladba vyrobek vzorek hrac hracka yarismaci sporcu takim aday adaylar secenek oneri "
    "urun kitap sarap oyuncu proje peserta_lomba regu calon kandidat produk pilihanproduk usulan "
    "makanan minuman pemain",
    "name": "jmeno prijmeni jmenoaprijmeni adsoyad adisoyadi adiniz adinizsoyadiniz isim "
    "nama namalengkap namaanda",
}
# As in `lexicon`.
IGNORED = (
    "casoverazitko casovaznacka znacka datum datumvyplneni poznamka poznamky komentare pripominky "
    "vek pohlavi oddeleni trida zamandamgasi tarih yas cinsiyet yorum yorumlar aciklama "
    "eposta epostaadresi epostaadresiniz sinif bolum telefonnumarasi stempelwaktu capwaktu tanggal "
    "umur usia jeniskelamin komentar saran catatan alamatemail surel nomorhp kelas jurusan durasi "
    "emailova_adresa emailovaadresa"
)
NUMBERS = "poradovecislo cislo sirano numarasi nomor nourut"
TOTALS = (
    "celkem soucet prumer celkovebody celkoveporadi toplam ortalama toplampuan ortalamapuan "
    "genelsiralama genelortalama rata-rata ratarata jumlah jumlahnilai totalnilai nilaitotal "
    "nilaiakhir nilairatarata peringkatakhir totalskor"
)
TOTAL_ROWS = "celkem soucet prumer toplam ortalama jumlah ratarata totalnilai"
MISSING = (
    "nehodnoceno neodpovedel neodpovedela bezodpovedi nevim neuvedeno zadny zadna zadne nevyplneno "
    "cevapyok cevapsiz bilmiyorum fikrimyok kararsizim tidakada kosong tidakmemilih "
    "tidakmenjawab tidaktahu abstain belumdinilai tidakdinilai"
)
UNPLACED = (
    "nedokoncil nedokoncila nestartoval nestartovala diskvalifikovan diskvalifikovana odstoupil "
    "odstoupila bitiremedi baslamadi diskalifiye cekildi yarisdisi tidakfinis tidakselesai "
    "tidakhadir diskualifikasi mengundurkandiri gugur"
)
# As in `vocabulary`.
ORDINALS = {
    1: "prvni birinci ilk pertama kesatu",
    2: "druha ikinci kedua",
    3: "treti ucuncu ketiga",
    4: "ctvrty ctvrta ctvrte dorduncu keempat",
    5: "paty pata besinci kelima",
    6: "sesty altinci keenam",
    7: "sedmy yedinci ketujuh",
    8: "osmy sekizinci kedelapan",
    9: "devaty dokuzuncu kesembilan",
    10: "desaty onuncu kesepuluh",
}
CHOICE = (
    "volba volby preference priorita misto tercih tercihi tercihiniz tercihim siradaki secim "
    "secimim pilihan peringkat urutan juara prioritas"
)
OUTCOMES = {
    "left": ", domácí, ev sahibi, tuan rumah",
    "right": ", hosté, deplasman, tamu",
    "tie": ", remíza, plichta, stejné, nerozhodně, berabere, beraberlik, fark yok, eşit, seri, "
    "imbang, sama saja, tidak ada perbedaan",
    "left flag": ", výhra, galibiyet, menang",
    "right flag": ", prohra, mağlubiyet, kalah",
}
# As in `scales`: from the worst to the best.
SCALES = (
    "rozhodně nesouhlasím|zcela nesouhlasím, nesouhlasím, spíše nesouhlasím, neutrální|nevím|ani "
    "souhlas ani nesouhlas, spíše souhlasím, souhlasím, rozhodně souhlasím|zcela souhlasím",
    "velmi nespokojen|velmi nespokojená|velmi nespokojený, "
    "nespokojen|nespokojená|nespokojený, spíše "
    "nespokojen, neutrální, spíše spokojen, spokojen|spokojená|spokojený, velmi spokojen|velmi "
    "spokojená|velmi spokojený",
    "zcela nedůležité|vůbec ne důležité, nedůležité, spíše nedůležité, neutrální, spíše důležité, "
    "důležité, velmi důležité",
    "velmi špatné|velmi špatný|hrozné, špatné|špatný, průměrné|průměrný|ucházející, dobré|dobrý, "
    "velmi dobré|velmi dobrý, výborné|výborný|vynikající",
    "ne, možná|když bude třeba, ano",
    "kesinlikle katılmıyorum|hiç katılmıyorum, katılmıyorum, kısmen katılmıyorum, kararsızım|ne "
    "katılıyorum ne katılmıyorum|nötr, kısmen katılıyorum, katılıyorum, kesinlikle katılıyorum|"
    "tamamen katılıyorum",
    "hiç memnun değilim|çok memnuniyetsiz, memnun değilim|memnuniyetsiz, kararsızım|nötr|ne "
    "memnun ne "
    "memnun değil, memnunum|memnun, çok memnunum|çok memnun",
    "hiç önemli değil, önemli değil|önemsiz, az önemli, orta|nötr, önemli, çok önemli",
    "çok kötü, kötü, orta|fena değil|vasat, iyi, çok iyi, mükemmel",
    "hayır, belki, evet",
    "sangat tidak setuju, tidak setuju, kurang setuju, netral|ragu-ragu, cukup setuju, setuju, "
    "sangat setuju",
    "sangat tidak puas, tidak puas, kurang puas, netral|biasa saja, cukup puas, puas, sangat puas",
    "sangat tidak penting, tidak penting, kurang penting, netral, cukup penting, penting, sangat "
    "penting",
    "sangat buruk|buruk sekali, buruk|jelek, kurang|kurang baik, cukup|sedang|biasa saja, "
    "baik|bagus, "
    "sangat baik|sangat bagus|baik sekali",
    "tidak bisa|tidak, mungkin|jika perlu, bisa|ya",
)
# As in `ends`: words for points and for places, and what is best or worst.
POINTS = "bodu bodove hodnoceni skore puan puani nilai skor poin"
PLACES = "poradi misto umisteni siralama peringkat"
BEST = (
    r"nejlepsi|nejoblibenejsi|nejdulezitejsi|en iyi|en cok begen\w*|en onemli|terbaik"
    r"|paling (?:baik|suka|penting)"
)
WORST = (
    r"nejhorsi|nejmene oblibe\w*|en kotu|en az begen\w*|en az onemli|terburuk|paling (?:buruk"
    r"|tidak suka)"
)
HIGHER = (
    r"vyssi (?:cislo |hodnota )?(?:je |= )?lepsi|cim vic\w*,? tim lepe|(?:yuksek|buyuk)(?: \w+)? "
    r"(?:daha )?iyi|semakin (?:tinggi|besar),? semakin baik"
)
LOWER = (
    r"nizsi (?:cislo |hodnota )?(?:je |= )?lepsi|cim men\w*,? tim lepe|(?:dusuk|kucuk)(?: \w+)? "
    r"(?:daha )?iyi|semakin (?:rendah|kecil),? semakin baik"
)
ORDERED = r"\bserad|\bporadi\b|\bsirala|\btercih|\burut|\bperingkat|\bpilihan"
