"""The words of tables: names of columns, totals, missing values, outcomes, in many languages.

To teach the reader a word, add it to a row of a table below. Words are compared in lower case,
without accents and without punctuation: see `key`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise


def _split(words: str) -> list[str]:
    return words.split()


# The role of a column by its name, the surest role first.
_ROLES = {
    "winner": "winner won victor gewinner sieger vainqueur gagnant ganador vincitore vencedor "
    "winning winnerteam winnername preferred preference chosen better best dominant winnaar",
    "loser": "loser lost defeated verlierer perdant perdedor perdente beaten rejected worse "
    "losing loserteam losername worst subordinate verliezer",
    "outcome": "outcome result verdict judgment judgement ftr resultat ergebnis resultado "
    "risultato vote label",
    "left": "left blue blueteam blueside "
    "modela modelleft itema itemleft optiona playera teama sidea systema a home "
    "hometeam host option1 item1 model1 player1 team1 white answera responsea assistanta heim "
    "heimteam heimmannschaft domicile equipelocale local equipolocal casa squadracasa "
    "squadradicasa mandante left_item first gauche links izquierda sinistra esquerda",
    "right": "right red redteam redside "
    "modelb modelright itemb itemright optionb playerb teamb sideb systemb b away "
    "awayteam visitor guest option2 item2 model2 player2 team2 black answerb responseb assistantb "
    "auswarts gast gaste gastteam gastmannschaft exterieur visiteur visiteurs "
    "equipevisiteuse visitante visita equipovisitante ospite ospiti squadraospite trasferta "
    "right_item second droite rechts derecha destra direita",
    "left points": "homegoals homescore homepoints scorea scoreleft pointsa goalsa score1 points1 "
    "goals1 fthg hg hometore heimtore heimpunkte butsdomicile goleslocal golcasa golscasa",
    "right points": "awaygoals awayscore awaypoints scoreb scoreright pointsb goalsb score2 "
    "points2 goals2 ftag ag gasttore auswartstore gastpunkte butsexterieur golesvisitante "
    "goltrasferta golsvisitante",
    "source": "source from src quelle origen origine origem node1 tail start",
    "target": "target to dst destination ziel destino destinazione node2 head end",
    "weight": "weight weights wt gewicht gewichtung poids ponderation peso ponderacion "
    "ponderazione ponderacao importance",
    "count": "count counts votes encounters frequency freq multiplicity copies ballots n "
    "nballots nvotes times "
    "people persons personen personnes personas persone pessoas anzahl haufigkeit stimmen "
    "stimmenzahl effectif frequence voix cantidad frecuencia votos "
    "conteggio frequenza voti contagem frequencia quantidade",
    "rank": "rank ranking ranked position pos place placement placing placed finish finishing "
    "order standing rnk rang platz platzierung rangplatz reihenfolge classement puesto posicion "
    "lugar clasificacion orden posizione posto classifica ordine colocacao classificacao posicao",
    "score": "score scores rating points stars star grade mark marks pts punkte punktzahl "
    "punten cijfer bewertung sterne puntos puntuacion calificacion estrellas "
    "punteggio punti stelle pontos pontuacao avaliacao estrelas accuracy acc f1 auc bleu "
    "rouge elo winrate precision recall ndcg map mrr percent percentage",
    "low score": "time seconds secs laptime finishtime racetime zeit temps tiempo tempo duration "
    "loss error rmse mae mse perplexity latency wer cer fid errors penalty penalties strokes "
    "golpes",
    "voter": "voter ballot judge user ranker rater respondent participant elector castvoterecord "
    "cvr reviewer evaluator assessor annotator juror panelist panellist taster expert critic "
    "referee examiner grader coach race event heat stage round contest competition regatta "
    "tournament leg run task dataset benchmark query topic study experiment list source sheet "
    "season week session block grandprix gp wettkampf lauf rennen etappe disziplin wahler wahlerin "
    "stimmzettel juror jury giuria jurymitglied richter richterin preisrichter "
    "gutachter gutachterin teilnehmer teilnehmerin befragter person personne electeur "
    "votant jure juge evaluateur repondant course "
    "epreuve etape membre votante juez jurado evaluador encuestado carrera prueba etapa "
    "participante persona giudice giurato valutatore elettore gara prova tappa partecipante "
    "jurylid beoordelaar deelnemer wedstrijd koers kiezer stemmer wyborca valjare juiz jurada "
    "avaliador eleitor corrida colleague employee "
    "manager director teacher parent supervisor interviewer shareholder owner writer editor "
    "scorer marker student pupil eigentumer gesellschafter lehrer lehrerin schuler schulerin "
    "prufer "
    "prueferin eleve enseignant alumno alumna profesor alunno professore aluno professor docente "
    "rispondente intervistato befragte durchgang runde manche ronda turno spieltag giornata "
    "jornada stakeholder client customer investor analyst partner viewer listener resident "
    "household family mitglied kunde kundin nutzer nutzerin besucher miembro membro cliente "
    "usuario utente socio convive invite invitado tester "
    "member citizen attendee delegate panel respondentname voternumber",
    "item": "engine tool library framework software app browser springer springerin werfer "
    "couple pair duo band act choir group nominee finalist hotel unterkunft hebergement "
    "alojamiento alloggio vorhaben massnahme projekt thema sujet tema dessert dolce kuchen torte "
    "gateau torta postre nageuse coureuse corredora candidature kandidatur "
    "item candidate alternative option object rider athlete driver runner swimmer skater "
    "gymnast skier cyclist sailor boat yacht horse competitor contestant entrant entry finisher "
    "fencer pilot team club squad player model system method algorithm solver approach llm "
    "wine beer coffee tea soup cake jam honey oil bread pie cheese whisky dish recipe chocolate "
    "paper proposal submission abstract "
    "applicant essay poster talk product brand design prototype logo feature idea project movie "
    "film book song track album game restaurant gene protein marker symbol document doc docid "
    "docno page url website school university college city country stock company supplier vendor "
    "policy issue topic destination artist kandidat kandidatin bewerber bewerberin wahlvorschlag "
    "fahrer fahrerin laufer lauferin athlet athletin schwimmer mannschaft verein spieler wein bier "
    "kaffee kase gericht artikel arbeit vorschlag antrag modell verfahren produkt entwurf gen "
    "liste candidat candidate coureur athlete nageur equipe joueur vin biere cafe fromage plat "
    "projet modele produit gene candidato candidata corredor atleta nadador equipo jugador vino "
    "cerveza queso plato propuesta modelo producto alternativa opcion articulo concorrente "
    "corridore nuotatore squadra giocatore birra formaggio piatto proposta modello prodotto "
    "kandidaat ploeg renner rijder loper voorstel opzione articolo candidata vinho cerveja "
    "queijo prato produto equipa opcao artigo jogador",
    "name": "name names naam imie namn fullname nom nombre nome surname lastname firstname "
    "vorname nachname "
    "cognomeenome nomeecognome deinname tonnom votrenom "
    "tunombre sunombre tuonome iltuonome seunome jouwnaam uwnaam "
    "prenom apellido cognome sobrenome who wer qui quien chi quem yourname ihrname nickname",
}
# Columns of forms and lists that are never ranked.
_IGNORED = (
    "timestamp tijdstempel znacznikczasu tidsstampel zeitstempel horodateur horodatage "
    "marcatemporal informazionicronologiche "
    "carimbodedatahora submittedat submitdate submitted starttime startdate completiontime "
    "enddate endtime recordeddate datesubmitted startzeit fertigstellungszeit heuredebut "
    "heuredefin horadeinicio horadefinalizacion oradiinizio oradicompletamento horadeinicio "
    "horadeconclusao date datum fecha data day tag email emailaddress mail emailadresse "
    "adresseemail adressemail correo correoelectronico direcciondecorreoelectronico "
    "indirizzoemail enderecodeemail recipientemail ipaddress ip phone telephone telefon "
    "telefono comment comments remark remarks feedback bemerkung bemerkungen kommentar anmerkung "
    "anmerkungen commentaire commentaires remarque remarques comentario comentarios observaciones "
    "commento commenti osservazioni observacoes anyothercomments anyothercomment note2 age alter "
    "edad eta idade gender geschlecht sexe sexo sesso genero genre genero duration progress "
    "finished responseid recordid collectorid status useragent language userlanguage sprache "
    "langue idioma lingua locationlatitude locationlongitude distributionchannel "
    "externalreference recipientlastname recipientfirstname customdata1 year jahr annee ano anno "
    "birthyear department abteilung service departamento dipartimento region precinct tabulator "
    "bib bibnumber startnumber startnummer dossard dorsal pettorale lane bahn nationality nation "
    "nationalitat nationalite nacionalidad nazionalita noc lasttime bestof district ward polling "
    "precinctportion ballottype countinggroup batchid imprintedid cvrnumber zip postcode "
    "judgeddate tstamp turn conversationid questionid anony price preis prix precio prezzo preco"
)
# Words for a running number.
_NUMBERS = _split(
    "# no nr num number nummer numero index id idx row line zeile ligne fila riga linha "
    "s/n lfd lfdnr"
)
_TOTALS = _split(
    "total totals sum sums summe gesamt gesamtsumme insgesamt somme totaux suma totale "
    "totali somma soma totais grandtotal subtotal overall average averages avg mean "
    "median mittelwert durchschnitt schnitt mittel moyenne promedio media mediane mediana "
    "stdev std stddev min max standarddeviation variance averagerank meanrank avgrank "
    "net nett netto netpoints meanscore averagescore finalrank finalranking overallrank "
    "overallranking totalscore "
    "totalpoints rangsumme punktesumme gesamtpunkte gesamtrang"
)
# Words that make a total of any name: `Punteggio totale`.
_SUMS = frozenset(
    _split("totale totales gesamt summe somme suma somma moyenne promedio durchschnitt mittelwert")
)
# A total by its word alone, for names of rows, which may also be items.
_TOTAL_ROWS = _split(
    "total totals sum sums summe gesamt gesamtsumme insgesamt somme totaux suma totale "
    "totali somma soma totais grandtotal subtotal average averages avg mean median "
    "mittelwert durchschnitt schnitt mittel moyenne promedio mediane mediana stdev stddev "
    "standarddeviation averagerank meanrank avgrank averagescore meanscore rank ranking place "
    "gesamtrang overall "
    "overallrank finalrank result ergebnis rang platz classement resultat"
)
# Cells that mean "not ranked", also as names of candidates.
_MISSING = _split(
    "na n/a nan null none nil ? - -- --- – — . n.a. n.a k.a. ka keine keines keiner aucun "
    "aucune ninguno ninguna nessuno nessuna nenhum nenhuma undefined missing leer vide "
    "vacio vuoto vazio blank empty skipped undervote #n/a #na #nv unranked abstain "
    "abstention enthaltung noanswer nochoice nopreference noopinion n.d. nd n.v. k.a geen "
    "brak ingen sinrespuesta nsnc "
    # Phrases, without blanks.
    "keineangabe keineangaben keinepraferenz keineauswahl keinewahl keinemeinung nichtgewahlt "
    "nichtbewertet weissnicht mirgleich egal enthalten noresponse nopref idontmind dontmind "
    "dontknow "
    "donotknow idontknow dontcare novote notranked notrated notanswered notapplicable didnotvote "
    "nothing whatever sansopinion sansavis sanspreference sansreponse pasdereponse pasdepreference "
    "pasdavis nesaitpas peuimporte sinpreferencia sincontestar sinopinion nosabe nocontesta "
    "noaplica "
    "meesigual nessunapreferenza nessunarisposta nonrisponde nonso indifferente sempreferencia "
    "semresposta semopiniao naosei naorespondeu geenvoorkeur geenantwoord geenmening weetniet "
    "maaktnietuit nvt"
)
# Competitors without a place.
_UNPLACED = _split(
    "dnf dns dsq dq disq disqualified dnq dnc ocs ret retired ab abd abandon abandoned np "
    "nc wd withdrawn withdrew excl ufd bfd raf rdg dne nf ns aufgegeben disqualifiziert "
    "abandono ritirato otl hd pu nm nh nt scr lap lapped el notclassified unclassified "
    "r w dnp ausgeschieden rit aband forfait retirado retiro abgebrochen uitgevallen"
)
# Words for the outcome of a battle. A flag, such as "won", is seen from the left side, and counts
# only where the name of its column speaks of an outcome. Underscores, hyphens and brackets are
# blanks.
OUTCOMES = {
    side: tuple(words.split(", "))
    for side, words in {
        "left": "a, left, 1, home, first, model a, model 1, model left, side a, option a, "
        "option 1, option1, response a, answer a, item a, item 1, player a, player 1, team a, "
        "team 1, candidate a, a wins, left wins, home win, home wins, white, 1-0, a>b, a>>b, >, "
        "links, heim, heimsieg, gauche, domicile, izquierda, local, sinistra, casa, esquerda",
        "right": "b, right, 2, away, second, model b, model 2, model right, side b, option b, "
        "option 2, option2, response b, answer b, item b, item 2, player b, player 2, team b, "
        "team 2, candidate b, b wins, right wins, away win, away wins, black, 0-1, b>a, b>>a, "
        "a<b, a<<b, <, rechts, gast, auswärtssieg, droite, extérieur, derecha, visitante, destra, "
        "trasferta, direita",
        "tie": "tie, tied, draw, drawn, drew, d, t, x, =, a=b, equal, even, both, same, neither, "
        "both good, both bad, bothbad, bothgood, tie bothbad, tie both bad, tie both good, 0.5, "
        "1/2, ½, 1/2-1/2, 1/2 1/2, ½-½, ½ ½, 0.5-0.5, no preference, unentschieden, remis, gleich, "
        "égalité, nul, match nul, empate, pareggio",
        "left flag": "win, won, wins, victory, true, sieg, victoire, victoria, vittoria, vitória",
        "right flag": "loss, lost, loses, lose, defeat, false, niederlage, défaite, derrota, "
        "sconfitta",
    }.items()
}
# How the names of the columns of the two sides differ.
ENDS = (
    ("a", "b"),
    ("1", "2"),
    ("left", "right"),
    ("home", "away"),
    ("first", "second"),
    ("one", "two"),
    ("white", "black"),
    ("heim", "gast"),
    ("local", "visitante"),
    ("domicile", "extérieur"),
    ("domicile", "visiteur"),
    ("casa", "ospite"),
    ("casa", "trasferta"),
    ("i", "j"),
    ("host", "guest"),
    ("blue", "red"),
)

_ORDINALS = {
    1: "first erste erster erstes erst premier premiere primera primero primer prima primo "
    "primeira primeiro best eerste pierwszy pierwsza forsta ensimmainen forste "
    "gold champion",
    2: "second zweite zweiter zweites zweit deuxieme seconde segunda segundo seconda secondo "
    "tweede drugi druga andra anden "
    "silver runnerup",
    3: "third dritte dritter drittes dritt troisieme tercera tercero tercer terza terzo terceira "
    "terceiro derde trzeci trzecia tredje bronze",
    4: "fourth vierte vierter viertes viert quatrieme cuarta cuarto quarta quarto vierde "
    "czwarty czwarta fjarde",
    5: "fifth funfte funfter funftes funft cinquieme quinta quinto vijfde piaty piata femte",
    6: "sixth sechste sechster sechstes sechst sixieme sexta sexto sesta sesto",
    7: "seventh siebte siebter siebtes siebt septieme septima septimo settima settimo setima "
    "setimo",
    8: "eighth achte achter achtes acht huitieme octava octavo ottava ottavo oitava oitavo",
    9: "ninth neunte neunter neuntes neunt neuvieme novena noveno nona nono",
    10: "tenth zehnte zehnter zehntes zehnt dixieme decima decimo",
}
_CHOICE = (
    "choice choices rank ranking ranked preference pref position place pick vote option favourite "
    "favorite wahl platz rang praferenz prioritat stelle stimme choix preference place vote "
    "opcion eleccion preferencia lugar puesto voto scelta preferenza posto posizione opcao escolha "
    "posicao colocacao priority top best keuze voorkeur plaats wybor miejsce val valet plats "
    "choose chosen prefer valg voeu prio wunsch wish wens deseo desiderio desejo prioritat "
    "prioridad priorita prioriteit priorite nomination prioridade prefere preferee favorito "
    "favorita preferito preferita preferido "
    "preferida favoriete"
)

_SYMBOLS = str.maketrans({"ß": "ss", "œ": "oe", "ø": "o", "æ": "ae", "ł": "l", "’": "'", "‘": "'"})


@lru_cache(maxsize=65536)
def key(text: str) -> str:
    """Return a text as the tables compare it.

    Example:
        >>> key("E-Mail-Adresse"), key("Âge"), key("#")
        ('emailadresse', 'age', '#')
    """
    plain = re.sub(r"[\W_]+", "", folded(text))
    return plain or text.strip().casefold()


@lru_cache(maxsize=65536)
def folded(text: str) -> str:
    """Return a text in lower case, without accents."""
    text = unicodedata.normalize("NFKD", text[:200].casefold().translate(_SYMBOLS))
    return "".join(letter for letter in text if not unicodedata.combining(letter))


def tokens(text: str) -> list[str]:
    """Return the words of a text, as the tables compare them.

    Example:
        >>> tokens("Judge_ID (name)"), tokens("1er choix")
        (['judge', 'id', 'name'], ['1er', 'choix'])
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text[:200])
    return re.findall(r"[^\W_]+", folded(spaced))


def _table(words: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for role, names in words.items():
        for name in names.split():
            found.setdefault(name, role)
    return found


_BY_WORD = _table(_ROLES)
_SETS = {
    name: frozenset(key(word) for word in words) | frozenset(words)
    for name, words in {
        "ignored": _IGNORED.split(),
        "number": _NUMBERS,
        "total": _TOTALS,
        "total row": _TOTAL_ROWS,
        "missing": _MISSING,
        "unplaced": _UNPLACED,
        **OUTCOMES,
        # Letters that mean other things beside others: see `concordant.battles`.
        "left": (*OUTCOMES["left"], "l", "h", "w"),
        "right": (*OUTCOMES["right"], "r"),
    }.items()
}
# Words beside "score" or "loss" that do not change what it is.
_QUALIFIERS = frozenset(_split("overall test train val validation dev review final"))
_FAVOURITES = frozenset(
    _split(
        "favourite favorite best top prefere preferee favorito favorita preferito preferita "
        "preferido preferida favoriete"
    )
)
_LIKED = frozenset(_split("preferred liked favourite favorite important wanted desired loved"))
_REFERENCES = frozenset(_split("id ids no nr num number code nummer numero"))
_FILLERS = frozenset(
    _split(
        "id ids name names no nr num number code the of your my full der die das des den von "
        "de du la le les el los il lo do da dos nom nombre nome ihr ihre votre tu su in on "
        "for total et und and dein deine"
    )
)
_PLACES = {word: place for place, words in _ORDINALS.items() for word in words.split()}
_CHOICES = frozenset(key(word) for word in _CHOICE.split())
_ENDS = (
    *("wahl", "keuze", "val", "valg", "choice", "stimme", "rang", "platz"),
    *("wunsch", "praferenz", "prioritat", "favorit", "voorkeur", "vote", "pick"),
)
GROUPS = frozenset(
    _split(
        "city country club team school company region nation venue university squad brand "
        "verein mannschaft land equipe pais ciudad equipo squadra paese citta cidade"
    )
)
# People who judge in one table and are judged in another.
PEOPLE = frozenset(
    _split(
        "student students pupil pupils employee employees schuler schulerin eleve eleves alumno "
        "alumna alunno alunna aluno aluna mitarbeiter mitarbeiterin trainee"
    )
)
_NUMBERED = re.compile(r"(\d{1,3})(?:st|nd|rd|th|er|ere|re|e|eme|ieme|a|o|ª|º|te|ter|tes)?")


def role_words(role: str) -> tuple[str, ...]:
    """Return the names of columns with a role, the surest first."""
    return tuple(_ROLES[role].split())


def is_word(kind: str, text: str) -> bool:
    """Return whether a text is one of the words of a kind.

    Example:
        >>> is_word("missing", "N/A"), is_word("unplaced", "DNF"), is_word("total row", "Summe:")
        (True, True, True)
    """
    words = _SETS[kind]
    return text.strip().casefold() in words or key(text) in words


@lru_cache(maxsize=16384)
def role_of(name: str) -> str | None:
    """Return the role that the name of a column shows.

    Example:
        >>> role_of("Judge ID"), role_of("Platz"), role_of("E-mail"), role_of("Merlot")
        ('voter', 'rank', 'ignored', None)
    """
    whole = key(name)
    if not name.strip():
        return None
    if whole in _SETS["number"] or name.strip() in _SETS["number"]:
        return "number"
    if whole in _BY_WORD:
        return _BY_WORD[whole]
    if whole in _SETS["ignored"]:
        return "ignored"
    words = tokens(name)
    left = [word for word in words if word not in _FILLERS]
    if len(left) == 1 and len(words) > 1:
        if left[0] in _BY_WORD and len(left[0]) > 1:
            return _BY_WORD[left[0]]
        if left[0] in _SETS["ignored"]:
            return "ignored"
    shared = {_BY_WORD.get(word) for word in left}
    if len(left) > 1 and len(shared) == 1 and shared & {"count", "weight", "rank", "item", "voter"}:
        # "Anzahl Stimmen", "Vote count", "gene_symbol".
        return _BY_WORD[left[0]]
    if len(words) == 2 and words[0] in ("from", "by", "voting"):
        # "From country", "By user".
        return "voter" if _BY_WORD.get(words[1]) in ("item", "voter", "name") else None
    metric = [word for word in left if word not in _QUALIFIERS]
    if (
        len(metric) == 1
        and _BY_WORD.get(metric[0]) in ("score", "low score")
        and whole not in _SETS["total"]
    ):
        return _BY_WORD[metric[0]]
    if whole.endswith("s") and _BY_WORD.get(whole[:-1]) in ("item", "voter"):
        return _BY_WORD[whole[:-1]]
    outside = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", name)
    if outside != name and outside.strip():
        # "Points (max. 100)"
        found = role_of(outside)
        if found in ("score", "low score", "count", "weight", "voter", "item", "name"):
            return found
    if {"email", "mail", "timestamp", "comment", "comments", "kommentar"} & set(words):
        return "ignored"
    return None


def side_of(name: str) -> str | None:
    """Return "voter" or "item" where a name such as `Judge 1` or `Wine B` shows it.

    Example:
        >>> side_of("Judge 1"), side_of("Wine B"), side_of("R2"), side_of("Merlot")
        ('voter', 'item', None, None)
    """
    words = [word for word in tokens(re.sub(r"(?<=[A-Za-z])(?=\d)", " ", name)) if word]
    if not words:
        return None
    # "Points judge 1": the word before the number.
    numbered = words[-2:-1] if words[-1].isdecimal() or len(words[-1]) == 1 else []
    for word in (words[0], words[-1], *numbered):
        role = _BY_WORD.get(word) or _BY_WORD.get(word.removesuffix("s"))
        if role in ("voter", "item") and len(words) <= 3:
            return role
    return None


def only_side(name: str) -> str | None:
    """Return "voter" or "item" where all words of a name that show one agree.

    Example:
        >>> only_side("Judge / Score"), only_side("Judge / Wine")
        ('voter', None)
    """
    found = {_BY_WORD.get(word) for word in tokens(name)} & {"voter", "item"}
    return found.pop() if len(found) == 1 else None


def is_reference(name: str) -> bool:
    """Return whether a name such as `Paper ID` or `Bib no.` shows numbers that only name things."""
    return bool(
        {"id", "ids", "no", "nr", "num", "number", "code", "nummer", "numero"} & set(tokens(name))
    )


def _split_compounds(words: list[str]) -> list[str]:
    """Split words such as `zweitwahl`, `forstaval`, `zweitliebstes` and `lieblingsfach`."""
    found = []
    for word in words:
        liked = re.fullmatch(r"(\w*?)(?:lieblings\w*|liebste[rsn]?|beste[rsn]?)", word)
        if liked and (not liked[1] or liked[1] in _PLACES) and word not in _PLACES:
            found += [*([liked[1]] if liked[1] else []), "favourite"]
            continue
        end = next((c for c in _ENDS if word.endswith(c) and word[: -len(c)] in _PLACES), None)
        found += [word] if end is None else [word[: -len(end)], end]
    return found


@lru_cache(maxsize=16384)
def place_of(name: str) -> int | None:
    """Return the place that a name such as `1st choice` or `Zweite Wahl` stands for.

    Example:
        >>> [place_of(x) for x in ("Your 1st choice", "2. Wahl", "Primera opción", "Rank 3", "Ann")]
        [1, 2, 1, 3, None]
    """
    words = _split_compounds(tokens(re.sub(r"(?<=[A-Za-z])(?=\d)", " ", name)))
    if len(words) == 2 and words[0] == "most" and words[1] in _LIKED:
        return 1
    if {"least", "last"} & set(words):
        return None
    if not any(word in _CHOICES for word in words):
        # "1st", "2nd", "1.", "#1" alone.
        bare = re.fullmatch(
            r"\s*(?:#\s*(\d{1,3})|(\d{1,3})\s*(?:st|nd|rd|th|\.?[ªº°]|\.|er|re|ère|e|ème|ste|de))\s*",
            name,
        )
        if bare:
            return int(bare[1] or bare[2])
        if key(name) == "runnerup":
            return 2
        return (
            _PLACES.get(words[0])
            if len(words) == 1 and words[0] in _PLACES and words[0] != "prima"
            else None
        )
    places = []
    for position, word in enumerate(words):
        match = _NUMBERED.fullmatch(word)
        if match:
            # "choice 1 of 5"
            if position and words[position - 1] in ("of", "von", "sur", "de", "di"):
                continue
            if position and _BY_WORD.get(words[position - 1]) == "voter":
                # "Rank Judge 1": the judge has the number.
                continue
            places.append(int(match[1]))
        elif word in _PLACES:
            places.append(_PLACES[word])
    if len(places) > 1:
        # "Mayor Choice 1 of 5 Citywide (7)": the number beside the word.
        beside = [
            int(match[1])
            for word, following in pairwise(words)
            if word in _CHOICES and (match := _NUMBERED.fullmatch(following))
        ]
        places = beside if len(beside) == 1 else places
    if len(places) == 1:
        return places[0]
    if not places and len(words) <= 2 and (words[0] in _FAVOURITES or words[-1] in _FAVOURITES):
        return 1
    return None


def ordinal(word: str) -> int | None:
    """Return the number of an ordinal such as `second` or `2nd`; None for other words."""
    if word in _PLACES:
        return _PLACES[word]
    match = _NUMBERED.fullmatch(word)
    return int(match[1]) if match and not word.isdecimal() else None


def is_last_place(name: str) -> bool:
    """Return whether a name such as `Least preferred` or `Last choice` stands for the last place.

    Example:
        >>> is_last_place("Least favourite"), is_last_place("Last name")
        (True, False)
    """
    words = tokens(name)
    return (
        1 < len(words) <= 4
        and bool(
            {"least", "last", "letzte", "letzter", "derniere", "dernier", "ultima"} & set(words)
        )
        and bool((_CHOICES | _LIKED) & set(words))
    )


def column_role(name: str) -> str | None:
    """Return the role of a column, with "total" for sums and averages."""
    found = role_of(name)
    words = tokens(name)
    if found is None and (
        is_word("total", name)
        or {"total", "average"} & set(words[1:])
        or not _SUMS.isdisjoint(words)
    ):
        return "total"
    return found
