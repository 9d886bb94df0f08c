"""The words of texts: heads of e-mails, chats, attendance, agreement, counts, in many languages.

To teach the reader a word, add it to a row below. The languages are English, German, French,
Spanish, Italian, Portuguese, Dutch, Polish and Swedish, in this order where a row has all of them.
Words are compared in lower case, without accents.
"""

from __future__ import annotations

import re
import unicodedata


def _words(*rows: str) -> frozenset[str]:
    return frozenset(_plain(word) for row in rows for word in row.split())


def _plain(word: str) -> str:
    """Return a word in another script as `folded` writes it."""
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _phrases(*rows: str) -> tuple[str, ...]:
    found = {phrase.strip() for row in rows for phrase in row.split("|")}
    return tuple(sorted(found, key=lambda phrase: (-len(phrase), phrase)))


def any_of(phrases: tuple[str, ...]) -> str:
    """Return a regular expression for one of several phrases, the longest first.

    Phrases in other scripts stand behind a look at their first letter, which most texts fail.
    """
    latin = [phrase for phrase in phrases if phrase[0] < _OTHER_SCRIPTS]
    others = [phrase for phrase in phrases if phrase[0] >= _OTHER_SCRIPTS]
    behind = f"|(?=[{_OTHER_SCRIPTS}-\uffff])(?:{_either(others)})" if others else ""
    return f"(?:{_either(latin)}{behind})"


# The first letter of the Cyrillic script, behind which the others stand.
_OTHER_SCRIPTS = "\u0400"


def _either(phrases: list[str]) -> str:
    return "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in phrases)


# The lines at the head of an e-mail; the first group names the sender.
MAIL_FROM = _words("from von de da van od fran avsandare")
MAIL_HEADS = _words(
    "to cc bcc date sent subject reply-to received message-id mime-version content-type "
    "content-transfer-encoding x-mailer importance attachments in-reply-to references return-path "
    "delivered-to thread-topic list-id",
    "an kopie datum gesendet betreff antwort wichtigkeit anlagen",
    "a copie envoye objet",
    "para fecha enviado asunto",
    "inviato oggetto data",
    "enviada assunto",
    "aan verzonden onderwerp",
    "do wyslano temat",
    "till skickat amne kopia",
)
# The line above a quoted e-mail: "On Tue, 7 May 2024, Ann wrote:".
WROTE = _phrases(
    "написал|написала|пишет|写道|寫道|のメッセージ|님이 작성|"
    "wrote|schrieb|a écrit|a ecrit|escribió|escribio|ha scritto|escreveu|schreef|napisał|napisała"
    "|napisał(a)|pisze|skrev"
)
WHEN = _phrases("on|am|le|el|il|em|op|dnia|w dniu|den")
# The day of a message in words.
DAYS = _phrases(
    "today|yesterday|heute|gestern|aujourd'hui|hier|hoy|ayer|oggi|ieri|hoje|ontem|vandaag|gisteren"
    "|dzisiaj|dziś|wczoraj|idag|i dag|igår|i går",
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|donnerstag"
    "|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
)
MONTHS = _words(
    "january february march april may june july august september october november december",
    "januar februar marz mai juni juli oktober dezember",
    "janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre",
    "janeiro fevereiro marco maio junho julho setembro outubro novembro dezembro",
    "januari februari maart mei augustus",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada "
    "grudnia",
    "maj augusti",
)
AT = _phrases("at|um|à|a las|a la|alle|alle ore|às|om|o|kl.|kl")
CLOCK_ENDS = _phrases("a.m.|p.m.|am|pm|a. m.|p. m.|uhr")
# Lines of minutes that list people, times or topics: never a vote.
LABELS_ASIDE = _words(
    "присутствовали отсутствовали дата время место повестка итог результат итоги варианты "
    "кандидаты вопрос",
    "主持人 时间 時間 地点 地點 参会 出席 缺席 候选 候选人 选项 結果 结果 问题 日期 备注 說明 "
    "说明 注 日時 場所 議題 "
    "候補 欠席 出席者 備考 참석 불참 일시 장소 안건 후보 결과 비고 질문",
    "present attendance attending attendees apologies absent guests guest chair minutes secretary "
    "participants members date time place venue room agenda note notes nb ps subject re options "
    "choices candidates nominees shortlist key legend deadline action actions decision result "
    "results winner outcome total totals quorum scale rules title question poll topic scrutineers "
    "tellers spoilt invalid edit update copy distribution",
    "anwesend anwesende entschuldigt abwesend gaste vorsitz protokoll teilnehmer datum zeit ort "
    "hinweis anmerkung tagesordnung kandidaten auswahl ergebnis sieger gesamt frage umfrage "
    "legende beschluss ungultig",
    "presents excuses absents invites president participants lieu ordre remarque candidats "
    "resultat vainqueur total question sondage legende nuls",
    "presentes asistentes ausentes excusados fecha hora lugar nota candidatos opciones resultado "
    "ganador pregunta encuesta leyenda nulos",
    "presenti assenti giustificati segretario luogo nota candidati opzioni risultato vincitore "
    "domanda sondaggio legenda nulle",
    "ausentes convidados local candidatos opcoes vencedor pergunta sondagem nulos",
    "aanwezig afwezig gasten voorzitter notulist kandidaten opties uitslag winnaar vraag peiling",
    "obecni nieobecni goscie kandydaci opcje wynik zwyciezca pytanie ankieta",
    "narvarande franvarande gaster ordforande kandidater alternativ resultat vinnare fraga",
)
# Labels before a ranking that name nobody: "My order: A > B".
OPENERS = _words(
    "my mine me order ranking rank ranked vote votes voting list choice choices preference "
    "preferences favourites favorites top ballot answer i id i'd say would go for is are the so ok "
    "okay hi hello hey all everyone thanks sorry here here's heres it's well hmm then "
    "would probably think prefer like pick picks goes as follows final",
    "meine mein reihenfolge rangliste wahl favoriten ich wurde sagen stimme fur mich hallo hi "
    "nehme bin also hier liste ist die von mir",
    "mon ma mes ordre classement choix pour moi je dirais bonjour voici vote preference "
    "preferences mets alors",
    "mi mis orden ranking voto para yo diria hola aqui va lista preferencia preferencias",
    "mio mia miei ordine classifica per io direi ciao ecco voto lista preferenze",
    "meu minha ordem classificacao eu diria ola aqui voto lista preferencias",
    "mijn volgorde voor mij ik zou zeggen hoi hallo lijst voorkeur stem keuze hier",
    "moj moja moje kolejnosc dla mnie czesc lista glos wybor",
    "мои мое мой порядок выбор рейтинг голос для меня я за привет мои предпочтения",
    "我 我的 我选 我選 排名 排序 顺序 順序 私 私は 私の順位 順位 저는 제 순위 제순위 나는 내 "
    "moje poradi benim "
    "siralamam urutan saya",
    "min mitt mina ordning for mig jag skulle saga hej lista rost",
)
# Those that name nobody when they stand alone; "Mia" is a name.
OPENERS_ALONE = _words(
    "mine order ranking vote list choice choices preference preferences favourites favorites "
    "ballot answer top reihenfolge rangliste wahl favoriten stimme liste ordre classement choix "
    "orden voto lista ordine classifica preferenze ordem classificacao volgorde lijst stem keuze "
    "kolejnosc ordning rost порядок выбор рейтинг голос 我 我的 我选 我選 排名 排序 顺序 順序 "
    "私 順位 순위 poradi "
    "siralama urutan"
)
# The first words of "my order is A > B", and the last of "A > B for me".
MINE = _words(
    "my i i'd id mine meine mein ich mon ma mes je mi mis yo mio mia miei io meu minha eu mijn ik",
    "moj moja moje min mitt mina jag",
)
FOR_ME = _phrases(
    "for me|from me|für mich|von mir|pour moi|para mí|para mi|per me|para mim|voor mij|dla mnie"
    "|för mig|please|thanks|thank you|danke|merci|gracias|grazie|obrigado|obrigada"
)
# A message that votes as somebody else did.
SAME = _phrases(
    "same|same here|same as|me too|ditto|agree|agreed|i agree|+1|seconded|likewise|what .* said"
    "|as above|exactly as",
    "dito|ebenso|genauso|gleich wie|wie oben|sehe ich auch so|schliesse mich an|bin dabei wie",
    "pareil|idem|comme|moi aussi|d'accord avec",
    "igual|lo mismo|de acuerdo con|yo tambien|como",
    "uguale|lo stesso|d'accordo con|anch'io|stesso",
    "o mesmo|concordo|eu tambem",
    "zelfde|hetzelfde|eens met|ik ook",
    "tak samo|jak|zgadzam sie|ja tez",
    "samma|likadant|haller med|jag med",
)
# Words of a vote in other words, where a message names an item.
PREFER = _words(
    "vote prefer favourite favorite best love like want choose pick first second last top rather "
    "me my i",
    "ich mir mich stimme lieber liebsten bevorzuge favorit zuerst erste",
    "je moi prefere vote mieux premier",
    "yo prefiero voto mejor primero",
    "io preferisco meglio primo",
    "eu prefiro melhor primeiro",
    "ik liefst beste stem eerst",
    "ja wole najlepiej glosuje",
    "jag helst bast rostar forst",
)
# Words of a message that announces what was decided.
DECIDED = _words(
    "wins won winner result booked book decided reserved leads leading order closed",
    "gewinnt gewonnen sieger ergebnis gebucht entschieden reserviert",
    "gagne gagnant resultat reserve decide",
    "gana ganador resultado reservado decidido",
    "vince vincitore risultato prenotato deciso",
    "ganha vencedor resultado marcado",
    "wint winnaar uitslag geboekt besloten",
    "wygrywa wynik zarezerwowane",
    "vinner vinnare resultat bokat",
)
# What a chat writes in place of a message.
SYSTEM = re.compile(
    r"<[^<>]{3,60}>|\W*(?:media omitted|image omitted|video omitted|audio omitted|sticker omitted|"
    r"gif omitted|document omitted|bild weggelassen|medien weggelassen|image absente|"
    r"imagen omitida|immagine omessa|imagem omitida|afbeelding weggelaten|pominięto multimedia|"
    r"this message was deleted|you deleted this message|diese nachricht wurde gelöscht|"
    r"ce message a été supprimé|se eliminó este mensaje)\W*",
    re.IGNORECASE,
)
# Items of business in numbered agendas.
AGENDA = _words(
    "apologies minutes matters correspondence treasurer treasurers report aob business welcome "
    "agenda opening closing next meeting adjournment attendance",
    "begrussung protokoll verschiedenes bericht tagesordnung sonstiges eroffnung",
    "ouverture proces-verbal rapport divers questions accueil",
    "apertura acta informe varios ruegos",
    "verbale relazione varie",
    "abertura ata relatorio assuntos",
    "opening notulen rondvraag verslag sluiting",
    "otwarcie protokol sprawozdanie rozne",
    "mote dagordning ovrigt",
)
# What is counted: "7 votes".
COUNTED = _phrases(
    "votes|vote|ballots|ballot|papers|paper|people|persons|person|voters|voter|members|member|slips"
    "|forms|times|responses|respondents|students|pupils|households",
    "stimmen|stimme|stimmzettel|zettel|personen|wähler|mal|bögen",
    "voix|bulletins|bulletin|personnes|électeurs|fois",
    "votos|voto|papeletas|papeleta|personas|votantes|veces",
    "voti|schede|scheda|persone|elettori|volte",
    "boletins|boletim|pessoas|eleitores|vezes",
    "stemmen|stem|stembiljetten|biljetten|stemmers|keer",
    "głosów|głosy|głos|osób|osoby|kart|karty|razy",
    "röster|röst|personer|sedlar|gånger",
    "票|张票|張票|人|名|표|명|голосов|голоса|голос|голоси|голосів|бюллетеней|человек|человека|осіб",
    "hlasů|hlasy|hlas|osob|oy|kişi|suara|orang",
)
POINTS = _phrases(
    "points|point|pts|pt|punkte|punkt|pkt|puntos|punto|punti|pontos|ponto|punten|punt|punkty"
    "|punktów|poäng|点|점|分|балла|баллов|балл|бали|балів|очка|очков|bodů|puan|poin"
)
POINTS_TO = _phrases("to|for|an|für|à|pour|para|a|al|alla|per|aan|voor|dla|till")
# Words between the items of a list.
THEN = _phrases(
    "then|and then|followed by|before|next|after that|ahead of|over",
    "dann|und dann|danach|gefolgt von|vor",
    "puis|ensuite|et puis|suivi de|avant",
    "luego|después|despues|y luego|seguido de|antes que",
    "poi|e poi|seguito da|prima di",
    "depois|e depois|seguido de|antes de",
    "daarna|dan|en dan|gevolgd door",
    "potem|następnie|a potem",
    "sedan|därefter|och sedan|följt av",
    "потом|затем|далее|потім|далі|pak|potom|poté|sonra|ardından|lalu|kemudian",
)
AND_LAST = _phrases(
    "and|und|et|y|e|en|i|och|and last|and finally|and lastly|finally|lastly|zuletzt|und zuletzt"
    "|und zum schluss|zum schluss|enfin|et enfin|por último|y por último|finalmente|infine|e infine"
    "|por fim|e por fim|tot slot|en tot slot|na koniec|till sist|och till sist|sist|и|та"
    "|наконец|и наконец|nakonec|a nakonec|terakhir|dan terakhir|son olarak"
)
# Items that share a place: "Oak and Elm (tie)", "Oak and Elm tied for second".
AND = _phrases("and|&|und|et|y|e|en|i|och|with|mit|avec|con|com|met|z|med|и|та")
TIED = _phrases(
    "tie|tied|a tie|joint|jointly|equal|equally|equal first|both|ex aequo|ex-aequo|gleichauf"
    "|gleich|unentschieden|punktgleich|à égalité|égalité|empate|empatados|empatadas|pari merito"
    "|a pari merito|a pari|empatado|gelijk|gelijkspel|remis|równo|delat|lika"
    "|并列|並列|同率|동률|공동|поровну|наравне|ничья|remíza|berabere|seri"
)
# Results of matches: "Ajax beat PSV", "PSV lost to Ajax", "Ajax drew with PSV", "Ajax v PSV".
BEAT = _phrases(
    "beat|beats|defeated|defeats|def.|def|d.|bt|won against|wins against|won over|overcame|edged",
    "schlägt|schlug|besiegt|besiegte|gewinnt gegen|gewann gegen|bezwingt|bezwang",
    "bat|a battu|gagne contre|gagne face à|l'emporte contre|s'impose contre",
    "vence a|venció a|gana a|ganó a|derrota a|derrotó a|le gana a|le ganó a",
    "batte|ha battuto|vince contro|sconfigge",
    "vence|venceu|bate|bateu|derrota|derrotou|ganhou a|ganha a",
    "wint van|won van|verslaat|versloeg",
    "pokonał|pokonała|pokonało|wygrał z|wygrała z|wygrywa z",
    "slog|slår|besegrade|besegrar|vann mot|vinner mot",
)
LOST_TO = _phrases(
    "lost to|loses to|lost against|loses against|was beaten by|verliert gegen|verlor gegen"
    "|unterliegt|perd contre|a perdu contre|s'incline contre|pierde con|pierde contra|perdió con"
    "|perdió contra|perde contro|perde con|ha perso contro|perdeu com|perdeu contra|perde com"
    "|verliest van|verloor van|przegrał z|przegrała z|przegrywa z|förlorade mot|förlorar mot"
)
DREW = _phrases(
    "drew with|draws with|drew against|tied with|tied|spielt unentschieden gegen"
    "|spielte unentschieden gegen|fait match nul contre|empata con|empató con|pareggia con"
    "|pareggia contro|empata com|empatou com|speelt gelijk tegen|zremisował z|spelade lika mot"
)
VERSUS = _phrases("v|vs|v.|vs.|versus|gegen|contre|contra|contro|tegen|mot|x|против|проти|対|对|對")
SHOOTOUT = _phrases(
    "penalties|penalty shootout|shootout|on penalties|on pens|pens|pen|elfmeterschießen|i.e.|n.e."
    "|tirs au but|t.a.b.|tab|penales|penaltis|rigori|d.c.r.|dcr|grandes penalidades|gp"
    "|strafschoppen|karne|k.|straffar"
)
# What is counted of each side, where a line is no match: "wins of the first - wins of the second".
WINS = _words(
    "wins win won votes voters prefer preferred preferring preference preferences judgments "
    "judgements judges raters annotators prompts comparisons trials respondents participants",
    "siege stimmen bevorzugt bevorzugen urteile vergleiche befragte",
    "victoires voix preferes preferent jugements comparaisons votants",
    "victorias votos prefieren preferencias juicios comparaciones",
    "vittorie voti preferiscono preferenze giudizi confronti",
    "vitorias preferem julgamentos comparacoes",
    "overwinningen stemmen voorkeuren vergelijkingen",
    "wygrane zwyciestwa glosy porownania",
    "vinster roster jamforelser",
)
# A match that may not count.
VOID = _phrases(
    "abandoned|annulled|void|voided|abgebrochen|annulliert|nicht gewertet|arrêté|annulé|suspendido"
    "|anulado|sospesa|annullata|suspenso|interrompido|gestaakt|przerwany|avbruten"
)
