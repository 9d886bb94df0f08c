"""The words of tables: names of columns, totals, missing values, outcomes, in many languages.

To teach the reader a word, add it to a row of a table below. Words are compared in lower case,
without accents and without punctuation: see `concordant.reading.words.key`. Czech, Turkish and
Indonesian words are in `words_latin`, words in other scripts in `words_cjk` and `words_cyrillic`.
"""

from __future__ import annotations

from concordant.reading import words_latin


def _split(words: str) -> list[str]:
    return words.split()


# The role of a column by its name, the surest role first.
ROLES = {
    "winner": "winner won victor gewinner sieger vainqueur gagnant ganador vincitore vencedor "
    "winning winnerteam winnername selected picked preferred preference chosen better best "
    "dominant winnaar",
    "loser": "loser lost defeated verlierer perdant perdedor perdente beaten rejected worse "
    "losing loserteam losername worst subordinate verliezer sconfitto derrotado notchosen "
    "unchosen "
    "vencido vencida perdente vinto "
    "battuto "
    "over notpreferred nonpreferred notselected unselected notpicked",
    "outcome": "outcome result verdict judgment judgement ftr resultat ergebnis resultado "
    "risultato vote label wynik rezultat uitslag resultaat",
    "left": "left blue blueteam blueside "
    "modela modelleft itema itemleft optiona playera teama sidea systema a home "
    "hometeam host option1 item1 model1 player1 team1 white answera responsea assistanta heim "
    "heimteam heimmannschaft domicile equipeadomicile equipelocale equipadacasa equipedacasa "
    "equipacasa equipecasa timedacasa local equipolocal casa squadracasa "
    "squadradicasa mandante left_item first gauche links izquierda sinistra esquerda weiss "
    "blancs blancas bianco bianchi wit brancas biale vit thuis gospodarz gospodarze hemma hemmalag "
    "thuisploeg",
    "right": "right red redteam redside "
    "modelb modelright itemb itemright optionb playerb teamb sideb systemb b away "
    "awayteam visitor guest option2 item2 model2 player2 team2 black answerb responseb assistantb "
    "auswarts gast gaste gastteam gastmannschaft exterieur visiteur visiteurs "
    "equipevisiteuse equipafora equipefora equipadefora "
    "equipedefora timedefora visitante visita equipovisitante ospite ospiti squadraospite "
    "trasferta "
    "right_item second droite rechts derecha destra direita schwarz noirs negras nero neri zwart "
    "pretas czarne svart uit fora gosc goscie borta bortalag uitploeg",
    "left points": "homegoals homescore homepoints scorea scoreleft pointsa goalsa score1 points1 "
    "goals1 fthg hg hometore heimtore heimpunkte butsdomicile goleslocal golcasa golscasa",
    "right points": "awaygoals awayscore awaypoints scoreb scoreright pointsb goalsb score2 "
    "points2 goals2 ftag ag gasttore auswartstore gastpunkte butsexterieur golesvisitante "
    "goltrasferta golsvisitante",
    "source": "source from src quelle origen origine origem node1 tail start von de desde da van z",
    "target": "target to dst destination ziel destino destinazione node2 head end nach para hacia "
    "naar vers",
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
    "voter": "voter ballot bulletin papeleta stembiljet judge user ranker rater respondent "
    "participant elector castvoterecord "
    "cvr reviewer evaluator assessor annotator juror panelist panellist taster expert critic "
    "referee examiner grader coach race event heat stage round contest competition regatta "
    "tournament leg run task dataset benchmark query topic study experiment list source sheet "
    "season week session block grandprix gp wettkampf lauf rennen etappe disziplin wahler "
    "wahlerin "
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
    "member citizen attendee delegate panel juries respondentname voternumber",
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
    "docno page url website school university universidad universitat universite universita "
    "universidade universiteit hochschule college city country stock company supplier vendor "
    "policy issue topic destination artist kandidat kandidatin bewerber bewerberin wahlvorschlag "
    "fahrer fahrerin laufer lauferin athlet athletin schwimmer mannschaft verein spieler wein "
    "bier "
    "kaffee kase gericht artikel arbeit vorschlag antrag modell verfahren produkt entwurf gen "
    "liste candidat candidate coureur athlete nageur equipe joueur vin biere cafe fromage plat "
    "projet modele produit gene candidato candidata corredor atleta nadador equipo jugador vino "
    "cerveza queso plato propuesta modelo producto alternativa opcion articulo concorrente "
    "corridore nuotatore squadra giocatore birra formaggio piatto proposta modello prodotto "
    "kandidaat ploeg renner rijder loper voorstel opzione articolo candidata vinho cerveja "
    "queijo prato produto equipa opcao artigo jogador",
    "name": "name names naam imie namn fullname nom nombre nome surname lastname firstname "
    "vorname nachname nazwisko nazwiskoiimie imieinazwisko zawodnikzawodniczka naamdeelnemer "
    "cognomeenome nomeecognome deinname tonnom votrenom "
    "tunombre sunombre tuonome iltuonome seunome jouwnaam uwnaam "
    "prenom apellido cognome sobrenome who wer qui quien chi quem yourname ihrname nickname",
}
# More names of columns, by role and language: English, German, French, Spanish, Italian,
# Portuguese, Dutch, and a little Polish. A word that is in `ROLES` already keeps its role.
MORE = {
    "voter": {
        "en": "reader readers "
        "panelmember adjudicator moto motos giro lap arbiter scrutineer mentor peer "
        "committee neighbour neighbor flat apartment "
        "unit tenant roommate flatmate friend fan predictor pundit tipster columnist publication "
        "outlet magazine newspaper pollster matchday meet rally circuit fold replicate lab "
        "laboratory cupper corpus testset suite scenario prompt instance problem environment "
        "worker crowdworker labeler labeller "
        "keyword keywords searchterm suchbegriff motcle palabraclave parolachiave palavrachave "
        "zoekwoord cohort cohorte kohorte coorte studie etude estudio estudo",
        "de": "wertungsrichter kampfrichter punktrichter sprungrichter jurorin tester testerin "
        "verkoster "
        "verkosterin leser leserin gremium wohnung wohneinheit haushalt familie kollege kollegin "
        "lehrkraft trainer trainerin elternteil anwohner burgerin wettbewerb turnier "
        "saison "
        "datensatz aufgabe studie instanz testinstanz",
        "fr": "evaluatrice juree lecteur lectrice degustateur degustatrice arbitre correcteur "
        "examinateur enseignante voisin foyer logement habitant citoyen collegue saison concours "
        "tournoi discipline agres etude",
        "es": "entrevistador entrevistadora "
        "jueza catador catadora evaluadora revisor revisora lector lectora arbitro "
        "profesora "
        "maestro maestra vecino vecina vivienda hogar ciudadano ciudadana colega socia manga "
        "vuelta "
        "instancia estudio torneo competicion concurso temporada disciplina aparato encuestada",
        "it": "giurata degustatore degustatrice assaggiatore commissario commissaria revisore "
        "valutatrice insegnante vicino famiglia cittadino collega concorso stagione attrezzo "
        "batteria istanza",
        "pt": "juiza provador provadora avaliadora professora vizinho familia cidadao boletim "
        "volta "
        "estudo torneio epoca aparelho respondente inquirido inquirida",
        "nl": "keurmeester proever lid ouder leerkracht docent buur bewoner huishouden klant "
        "ronde "
        "toernooi seizoen onderdeel",
        "pl": "osoba sedzia glosujacy zawody wyscig etap runda recenzent recenzentka ekspert "
        "ekspertka uczestnik uczestniczka jurorka komisja oceniajacy degustator kolejka",
        "sv": "domare jurymedlem juryledamot bedomare provare rostande deltagare tavling lopp "
        "etapp omgang heat kollega medarbetare person granskare recensent svarande",
        "tender": "bewerter bewerterin evaluateurs commissaire comisario comissario vocal perito "
        "beoordelaarster commissielid",
    },
    "item": {
        "en": "learner regressor estimator dog bird animal plant flower variety cultivar bean "
        "roast blend brew ale "
        "lager cider "
        "gin rum spirit sauce salsa chili curry burger pizza sandwich cookie biscuit pastry "
        "flavour "
        "flavor snack drink cocktail photo picture painting sculpture costume garden property "
        "venue "
        "location park beach trail route museum attraction activity workshop module speaker "
        "presenter "
        "keynote pitch startup business initiative requirement story ticket bug epic goal "
        "objective "
        "risk service provider caterer bank car vehicle bike laptop device camera gateway server "
        "database runtime compiler variant config configuration architecture backbone checkpoint "
        "classifier detector encoder optimizer retriever jockey crew rower paddler climber diver "
        "jumper thrower archer shooter golfer skipper helm wrestler boxer judoka dancer singer "
        "musician performer comedian author poet character party motion resolution "
        "amendment stimulus stimuli "
        "compound drug treatment molecule species strain county town village municipality "
        "hospital "
        "fund work ",
        "de": "hund pferd reiter reiterin boot segler seglerin steuermann steuerfrau steuerleute "
        "ruderer turner turnerin "
        "skifahrer "
        "skispringer radfahrer rennfahrer pilotin schutze schutzin tanzer tanzerin tanzpaar paar "
        "sanger sangerin lied buch spiel speise getrank wurst brot sorte ort stadt gemeinde "
        "reiseziel urlaubsziel ausflugsziel aktivitat ausflug kurs fach beruf idee firma anbieter "
        "gasthaus gaststatte klinik krankenhaus "
        "hersteller marke rezept gebaude universitat "
        "lieferant unternehmen auto fahrzeug gerat werk gemalde bild foto plakat referent vortrag "
        "anforderung funktion partei",
        "fr": "patineur patineuse sauteur sauteuse lanceur lanceuse "
        "chien cheval cavalier cavaliere pilote skieur skieuse gymnaste joueuse "
        "concurrent "
        "concurrente danseur danseuse chanteur chanteuse chanson livre jeu boisson pain "
        "huile "
        "miel ville commune lieu activite sortie atelier matiere metier idee affiche entreprise "
        "etablissement "
        "fournisseur prestataire banque voiture appareil oeuvre tableau conference dossier "
        "exigence "
        "hopital marque recette batiment logiciel outil universite "
        "fonctionnalite parti mesure proposition",
        "es": "patron patrona timonel "
        "perro caballo jinete amazona piloto esquiador gimnasta nadadora jugadora "
        "concursante "
        "bailarin pareja cantante cancion libro juego bebida pan pastel aceite miel ciudad "
        "restaurante marca receta edificio herramienta "
        "municipio actividad taller asignatura logotipo cartel empresa proveedor banco coche obra "
        "cuadro pelicula universidad ciclista ponencia solicitud requisito funcionalidad partido "
        "medida proyecto barrio",
        "it": "cane cavallo cavaliere pilota sciatore sciatrice ginnasta nuotatrice "
        "giocatrice "
        "coppia cantante canzone libro gioco bevanda pane olio miele citta comune luogo "
        "ristorante ospedale marca ricetta edificio strumento "
        "attivita laboratorio materia manifesto azienda ditta fornitore banca veicolo opera "
        "quadro universita ciclista "
        "intervento requisito funzione funzionalita partito misura progetto pietanza",
        "pt": "cao cavalo cavaleiro esquiador ginasta jogadora par cantor cantora cancao livro "
        "jogo "
        "sobremesa pao bolo azeite mel cidade atividade oficina ideia cartaz fornecedor carro "
        "veiculo "
        "restaurante marca receita edificio ferramenta "
        "palestra candidatura funcionalidade projeto filme universidade ciclista",
        "nl": "hond paard ruiter piloot coureur schaatser schaatsster zwemmer zwemster "
        "turnster "
        "speler speelster koppel zanger zangeres lied liedje boek spel gerecht drankje brood "
        "taart "
        "kaas olie honing stad bestemming activiteit uitje vak beroep bedrijf leverancier toestel "
        "restaurant ziekenhuis merk recept gebouw "
        "universiteit functie functionaliteit "
        "atleet wielrenner schilderij lezing aanvraag eis partij maatregel wijn "
        "gemeente",
        "pl": "zawodnik zawodniczka kandydat kandydatka druzyna produkt piwo wino projekt "
        "propozycja ksiazka potrawa ciasto miasto firma wniosek praca pomysl danie ser "
        "funkcja funkcjonalnosc wystepujacy utwor piosenka zespol szkola",
        "sv": "tavlande lag lopare akare forslag kandidat projekt ol ratt kaka bok film lat vin "
        "kaffe ost skola foretag idrottare simmare ryttare hast ekipage bidrag ide produkt "
        "maltid tarta spelare rorsman",
        "tender": "bidder tenderer offer bid bieter bieterin angebot soumissionnaire offre "
        "licitador oferta oferente ofertante licitante proponente offerente inschrijver offerte "
        "aanbieder oferent wykonawca dostawca anbudsgivare anbud contractor consultant",
        "research": "journal conference periodical zeitschrift revue revista rivista tijdschrift "
        "sample probe echantillon muestra campione amostra monster probka prov species snp "
        "pathway peptide",
    },
    "rank": {
        "en": "rk plc pl gc",
        "de": "rg plazierung ranglistenplatz endplatzierung",
        "fr": "clt cls",
        "es": "clas",
        "pt": "ordem",
        "nl": "plaatsing positie eindstand plaats",
        "pl": "miejsce pozycja kolejnosc lokata",
        "sv": "placering plats placeringar rangordning",
    },
    "score": {
        "en": "evaluation assessment ratings chrf",
        "es": "nota puntaje",
        "nl": "beoordeling waardering",
        "pl": "punkty ocena punktacja",
        "sv": "poang betyg poangsumma",
    },
    "low score": {
        "en": "chiptime guntime nettime grosstime",
        "de": "fehler strafpunkte nettozeit bruttozeit endzeit laufzeit rundenzeit",
        "fr": "erreurs penalites",
        "es": "faltas penalizacion",
        "it": "errori penalita",
        "pt": "penalizacoes",
        "nl": "tijd fouten",
        "pl": "czas bledy",
        "sv": "tid fel straffpoang",
    },
    "count": {
        "en": "tally",
        "times": "veces fois volte vezes keer razy ggr",
        "more": "suffrages schede bulletins papeletas boletins stembiljetten",
        "nl": "aantal stemmen",
        "pl": "liczba glosy glosow",
        "sv": "antal roster rostetal",
    },
}
for _role, _by_language in MORE.items():
    ROLES[_role] = " ".join([ROLES[_role], *_by_language.values()])
for _role, _words in words_latin.ROLES.items():
    ROLES[_role] += " " + _words
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
        "1/2, ½, 1/2-1/2, 1/2 1/2, ½-½, ½ ½, 0.5-0.5, no preference, unentschieden, remis, "
        "gleich, "
        "égalité, nul, match nul, empate, pareggio, about the same, much the same, the same, "
        "about equal, roughly equal, equally good, equally bad, both equal, no difference, "
        "similar, comparable, equivalent, undecided, cannot decide, can't decide, can't choose, "
        "no winner, indifferent, gleich gut, gleich schlecht, etwa gleich, ungefähr gleich, "
        "beide gleich, kein unterschied, keine präferenz, unentscheidbar, pareil, équivalent, "
        "ex aequo, aucune préférence, pas de différence, les deux, igual, iguales, indiferente, "
        "ambos, sin diferencia, sin preferencia, uguale, uguali, nessuna differenza, "
        "nessuna preferenza, entrambi, iguais, sem diferença, sem preferência, gelijk, "
        "gelijkspel, geen verschil, geen voorkeur, bez różnicy, oavgjort, lika, "
        "ingen skillnad",
        "left flag": "win, won, wins, victory, true, sieg, victoire, victoria, vittoria, vitória",
        "right flag": "loss, lost, loses, lose, defeat, false, niederlage, défaite, derrota, "
        "sconfitta",
    }.items()
}
for _side, _phrases in words_latin.OUTCOMES.items():
    OUTCOMES[_side] += tuple(_phrases.removeprefix(", ").split(", "))
# How the names of the columns of the two sides differ.
ENDS = (
    ("a", "b"),
    ("1", "2"),
    ("left", "right"),
    ("home", "away"),
    ("first", "second"),
    ("one", "two"),
    ("white", "black"),
    ("weiss", "schwarz"),
    ("blancs", "noirs"),
    ("blancas", "negras"),
    ("bianco", "nero"),
    ("wit", "zwart"),
    ("biale", "czarne"),
    ("heim", "gast"),
    ("local", "visitante"),
    ("domicile", "extérieur"),
    ("domicile", "visiteur"),
    ("casa", "ospite"),
    ("casa", "trasferta"),
    ("i", "j"),
    ("host", "guest"),
    ("blue", "red"),
    ("links", "rechts"),
    ("gauche", "droite"),
    ("izquierda", "derecha"),
    ("izquierdo", "derecho"),
    ("sinistra", "destra"),
    ("esquerda", "direita"),
    ("lewa", "prawa"),
    ("vanster", "hoger"),
)

ORDINALS = {
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
for _place, _words in words_latin.ORDINALS.items():
    ORDINALS[_place] += " " + _words
CHOICE = words_latin.CHOICE + (
    " choice choices rank ranking ranked preference pref position place pick vote option favourite "
    "favorite wahl platz rang praferenz prioritat stelle stimme choix preference place vote "
    "opcion eleccion preferencia lugar puesto voto scelta preferenza posto posizione opcao "
    "escolha "
    "posicao colocacao priority top best keuze voorkeur plaats wybor miejsce val valet plats "
    "choose chosen prefer valg voeu prio wunsch wish wens deseo desiderio desejo prioritat "
    "prioridad priorita prioriteit priorite nomination prioridade prefere preferee favorito "
    "favorita preferito preferita preferido "
    "preferida favoriete"
)

# Words beside "score" or "loss" that do not change what it is.
QUALIFIERS = frozenset(_split("overall test train val validation dev review final"))
FAVOURITES = frozenset(
    _split(
        "best top "
        "favourite favorite favourites favorites favoritas favoritos preferiti preferite prefere "
        "preferee favorito favorita preferito preferita "
        "preferido preferida favoriete"
    )
)
LIKED = frozenset(_split("preferred liked favourite favorite important wanted desired loved"))
# What is counted, beside a word for a number: `Antal svar`, `Anzahl Antworten`.
COUNTED = frozenset(
    _split(
        "responses answers ballots replies voters votes antworten reponses bulletins "
        "respuestas papeletas risposte schede respostas boletins antwoorden stembiljetten "
        "odpowiedzi svar rostsedlar people persons"
    )
)
AMOUNTS = frozenset(
    _split(
        "number anzahl nombre numero num nr no aantal antal liczba cantidad quantita quantidade "
        "count total"
    )
)
REFERENCES = frozenset(_split("id ids no nr num number code nummer numero"))
FILLERS = frozenset(
    _split(
        "id ids uuid guid name names no nr num number code the of your my full der die das des den "
        "von "
        "de du la le les el los il lo do da dos nom nombre nome ihr ihre votre tu su in on "
        "for total et und and dein deine ca circa approx environ ungefahr etwa"
    )
)
COMPOUND_ENDS = (
    *("wahl", "keuze", "val", "valg", "choice", "stimme", "rang", "platz"),
    *("wunsch", "praferenz", "prioritat", "favorit", "voorkeur", "vote", "pick"),
)
GROUPS = frozenset(
    _split(
        "city country club team school company region nation venue university squad brand "
        "verein mannschaft land equipe pais ciudad equipo squadra paese citta cidade ploeg equipa "
        "stad ville"
    )
)
# Of these, the ones that say where a thing is from.
ORIGINS = frozenset(
    _split("city country region nation land pays pais paese pais stad ville ciudad")
)
# People who judge in one table and are judged in another.
PEOPLE = frozenset(
    _split(
        "student students pupil pupils employee employees schuler schulerin eleve eleves alumno "
        "alumna alunno alunna aluno aluna mitarbeiter mitarbeiterin trainee kind kinder child "
        "enfant "
        "nino nina bambino crianca uczen leerling elev uczennica"
    )
)
# Words for what is ranked in one table, and for who ranks in another.
EITHER = frozenset(_split(ROLES["voter"])) & frozenset(_split(ROLES["item"]))
# Words of a question to which "yes" is the better answer.
LIKING = frozenset(
    _split(
        "like liked enjoy enjoyed approve recommend gefallen gefallt gefiel mogen magst empfehlen "
        "aime aimez aimes plu plait recommandez gusta gusto gustado recomienda piace piaciuto "
        "piaciuta consiglieresti gosta gostou gostaste recomenda leuk vind podoba podobalo gillar "
        "gillade"
    )
)
# What repeated measurements are summed up by, and their units.
STATISTICS = frozenset(
    _split(
        "mean average avg median mode min max minimum maximum lowest highest std stddev sd dev "
        "standard deviation se sem stderr error err variance var iqr quartile range ci lower upper "
        "relative ratio speedup baseline outliers rounds iterations iters runs repeats samples "
        "cnt n ops user system sys cpu p50 p75 p90 p95 p99 q1 q3 gen0 gen1 gen2 allocated alloc "
        "time times duration elapsed wall real "
        "mittelwert durchschnitt mittel minimal maximal abweichung standardabweichung moyenne "
        "mediane ecart type promedio media mediana minimo maximo desviacion desvio deviazione "
        "gemiddelde srednia medel"
    )
)
UNIT_WORDS = frozenset(_split("ms us ns s sec secs seconds sek 95 99 of the to vs"))
# Words around the better of two sides, which do not change it.
DEGREES = frozenset(
    _split(
        "is was are much slightly bit far clearly significantly strongly somewhat marginally "
        "better wins won prefer preferred ist war viel etwas deutlich klar leicht besser gewinnt "
        "bevorzugt est beaucoup nettement legerement un peu mieux meilleur meilleure gagne es "
        "mucho algo claramente ligeramente mejor gana e molto leggermente nettamente meglio "
        "migliore vince muito ligeiramente melhor ganha veel iets duidelijk beter wint znacznie "
        "troche lepszy lepsza lepsze mycket lite battre"
    )
)
# Above the titles of things, beside their links.
TITLES = frozenset(
    _split(
        "title titel titre titulo titolo tytul subject headline summary betreff oggetto asunto "
        "assunto objet onderwerp amne name"
    )
)
# What voters work on, where their names stand beside it.
TASKS = frozenset(
    _split(
        "task prompt query problem instance scenario testset dataset aufgabe anfrage tache requete "
        "tarea consulta compito richiesta tarefa pedido taak zadanie uppgift"
    )
)
# Above the names of what is measured.
METRICS = frozenset(
    _split("metric measure metrik metrique metrica kennzahl metriek miara matt scoring scorer")
)
# Words of a title above what judges say.
JUDGES = frozenset(
    _split(
        "tribunal judge judges jury juries juror jurors panel panelists panellists tasters "
        "reviewers "
        "richter richterinnen preisrichter kampfrichter wertungsrichter juroren jurorinnen "
        "verkoster juge juges jure jures degustateurs jurado jurados juez jueces catadores "
        "giuria giurati giudice giudici juri juizes provadores jurylid juryleden keurmeesters "
        "sedzia sedziow sedziowie jurorzy jurorow domare domarna"
    )
)
# Things are measured by each of these, where they name the rows or the columns.
CRITERIA = frozenset(
    _split(
        "criterion criteria criterium indicator indicators kriterium kriterien indikator "
        "indikatoren critere criteres indicateur indicateurs criterio criterios indicador "
        "indicadores criteri indicatore indicatori kryterium kryteria indicatoren kriterier"
    )
)
# Columns beside the names of those who compete.
COMPETITORS = frozenset(
    _split(
        "bib bibnumber bibno startnumber startnummer startnr startno stnr dossard dorsal pettorale "
        "lane bahn nat noc nation nationality nationalitat nationalite nacionalidad nazionalita "
        "sailno sailnumber segelnummer horse pferd"
    )
)
# People who are in charge of an item, and rank only where they share items.
OWNERS = frozenset(
    _split(
        "owner assignee assigned lead responsible author manager contact supervisor "
        "verantwortlich verantwortliche verantwortlicher zustandig ansprechpartner "
        "ansprechpartnerin bearbeiter bearbeiterin responsable referente encargado encargada "
        "asignado eigenaar verantwoordelijke trekker opiekun ansvarig coach trainer trainerin"
    )
)
# People who take part: voters in a survey, and ranked where others judge them.
ENTRANTS = frozenset(
    _split(
        "participant participants teilnehmer teilnehmerin participante partecipante deelnemer "
        "uczestnik deltagare member mitglied membre miembro membro lid name person"
    )
)
# Parts of a town or a country, whose votes are counted.
REGIONS = frozenset(
    _split(
        "district ward precinct borough neighbourhood neighborhood constituency bezirk stadtteil "
        "wahlkreis ortsteil quartier arrondissement circonscription commune barrio distrito "
        "region regione quartiere circoscrizione collegio bairro freguesia wijk dzielnica valkrets"
    )
)
# Words for the result of all parts, beside a word for a result: `GC gap`, `Tempo finale`.
OVERALL = frozenset(
    _split(
        "overall global globale gc final finale finales general generale generales generaal "
        "aggregate combined "
        "total totaal totalt totale "
        "cumulative championship season cup league wc standings gesamt end eind eindelijk slut "
        "koncowy koncowa koncowe campeonato campionato championnat saison meisterschaft"
    )
)
RESULTS = frozenset(
    _split(
        "gap time times points pts place rank position result results score standing standings "
        "zeit punkte platz rang ergebnis ruckstand temps ecart place classement tiempo puntos "
        "puesto posicion resultado tempo punti posto posizione risultato distacco pontos lugar "
        "posicao tijd punten plaats achterstand czas punkty miejsce wynik tid poang placering"
    )
)
