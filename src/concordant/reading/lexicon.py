"""Words for what is not ranked: totals, missing values, details of people and things.

To teach the reader a word, add it to a row of a table below. Words are compared in lower case,
without accents and without punctuation: see `concordant.reading.words.key`. Czech, Turkish and
Indonesian words are in `words_latin`, words in other scripts in `words_cjk` and `words_cyrillic`.
"""

from __future__ import annotations

from concordant.reading import words_latin


def _split(words: str) -> list[str]:
    return words.split()


# Columns that are not ranked, unless their numbers look like those of the other columns.
ASIDE = _split(
    "vintage millesime jahrgang anada annata colheita born yob birth geboren naissance nacimiento "
    "nascita nascimento geburtsjahr jg category cat kategorie categorie categoria ak altersklasse "
    "geb kart py tcf tcc runningorder "
    "startfolge startreihenfolge wochen hochstplatz semaines semanas "
    "settimane "
    "agegroup division params parameters size license licence org organization organisation "
    "affiliation institution seed hcp hdcp handicap vorgabe lastpage "
    "startlanguage refererurl confidence konfidenz segment "
    "searchvolume cpc suchvolumen lastweek thisweek lw peak peakposition peakpos weeks "
    "weeksonchart "
    "wks woc previous previousrank lastrank lastweekrank prevrank vorwoche vorjahr hochsteposition "
    "booth stall stand kiosk table tisch tavolo mesa tafel seat sitz startnr stnr startno sailno "
    "segelnummer gap ruckstand "
    "ecart distacco diferencia diferenca diff difference behind achterstand laps giri runden "
    "vueltas "
    "voltas grid griglia startplatz parrilla prize prizemoney prizeusd preisgeld premio "
    "attendance "
    "zuschauer spectateurs espectadores decision entscheidung decisione decisao situacao "
    "situacion "
    "notes notizen obs observacao observacion members entries last submissions breed wojewodztwo "
    "draw drawno draworder startorder startreihenfolge losnummer runningorder "
    "einnahme einnahmen ausgabe ausgaben betrag saldo kontostand recettes depenses montant solde "
    "ingresos gastos entrate uscite receitas despesas inkomsten uitgaven debit credit "
    "provenance provenienza herkunft origine court campo pista terrain board brett bord tavola"
)
# The letters of a league table: games, wins, draws, losses, goals, points.
LEAGUE = frozenset(
    _split(
        "p w d l f a gd pts mp gp gf ga pct pf pa pd gb wl s u n sp tore diff td pkt punkte "
        "punktepts j g e "
        "pj pg pe pp gc dg v bp bc gs dr rf ra t otl sol row played won drawn lost goals points "
        "spiele siege unentschieden niederlagen tordifferenz joues gagnes nuls perdus buts "
        "giocate vinte pareggiate perse "
        # Ladders of games.
        "wins losses win loss draws ties matches games streak kills deaths assists level lvl xp "
        "niederlage victoires defaites victorias derrotas vittorie sconfitte vitorias zwyciestwa "
        "porazki vinster forluster overwinningen nederlagen winst verlies serie "
        # Medals.
        "gold silver bronze total silber ouro prata oro plata argento bronzo argent goud zilver "
        "brons zloto srebro braz guld"
    )
)
# What one person tries several times, so that the best counts.
ATTEMPTS = frozenset(
    _split(
        "attempt attempts try tries versuch versuche essai essais intento intentos tentativo "
        "tentativi prova tentativa tentativas poging pogingen proba forsok"
    )
)
# Columns for the two parts of the name of a person.
GIVEN_NAMES = frozenset(
    _split("firstname first vorname prenom voornaam imie fornamn givenname forename rufname")
)
FAMILY_NAMES = frozenset(
    _split(
        "lastname surname familyname nachname familienname apellido apellidos cognome sobrenome "
        "apelido achternaam nazwisko efternamn nomdefamille"
    )
)
# Words for either a whole name or one of its parts.
OTHER_NAMES = frozenset(_split("name nom nombre nome naam last imie"))
# Titles before the name of a person.
HONORIFICS = frozenset(
    _split(
        "mr mrs ms miss dr prof professor sir lady lord frau herr fr hr mme mlle monsieur "
        "madame sr sra "
        "srta don dona sig signor signora dott dottssa ing avv comm rev dhr mevr"
    )
)
# Columns of forms and lists that are never ranked.
IGNORED = (
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
    "seggio wahllokal wahlbezirk stimmbezirk booth circonscription circoscrizione stembureau "
    "collecteur kollektor recopilador collettore "
    "judgeddate tstamp turn conversationid questionid anony price preis prix precio prezzo preco"
)
# Words for a running number.
NUMBERS = _split(
    "# no nr num number nummer numero index id idx row line zeile ligne fila riga linha "
    "s/n lfd lfdnr lp r/o"
)
TOTALS = _split(
    "total totals sum sums summe gesamt gesamtsumme insgesamt somme totaux suma totale "
    "totali somma soma totais grandtotal subtotal overall average averages avg mean "
    "median mittelwert durchschnitt schnitt mittel moyenne promedio media mediane mediana "
    "stdev std stddev min max standarddeviation variance averagerank meanrank avgrank "
    "topar neto net nett netto netpoints meanscore averagescore finalrank finalranking overallrank "
    "overallranking totalscore sb pb seasonbest seasonsbest personalbest bestresult bestmark "
    "bestleistung saisonbestleistung jahresbestleistung besttime bestzeit "
    "geomean gmean geometricmean sgm par2 par10 "
    "totalpoints rangsumme punktesumme gesamtpunkte gesamtrang ø aa allaround finalresult "
    "finalplace endstand"
)
# Words that make a total of any name: `Punteggio totale`.
SUMS = frozenset(
    _split(
        "total totale totales gesamt sum summe somme som suma somma soma moyenne promedio "
        "durchschnitt "
        "mittelwert"
    )
)
# Rows of votes for nobody.
INVALID = frozenset(
    _split(
        "abstentions invalid spoilt spoiled rejected ungultig ungultige enthaltungen abstention "
        "valid gultig gultige valides validi geldig geldige wazne giltiga "
        "abgegebene wahlberechtigte "
        "exprimes inscrits abstenciones abstencoes astensioni onthoudingen ongeldig niewazne "
        "ogiltiga turnout wahlbeteiligung blancs nuls blancsetnuls blancostemmen blankarostsedlar"
    )
)
# The same behind a word for votes.
VOID = INVALID.union(_split("blanco nulos brancos bianche nulle nulas blancas void blank"))
# What somebody got in the end, beside the choices.
ASSIGNED = frozenset(
    _split(
        "assigned allocated allocation assignment got received granted outcome offered awarded "
        "zugeteilt zugeteilte zugewiesen zugewiesene zuteilung eingeteilt einteilung erhalten "
        "attribue attribuee attribution affecte affectee affectation obtenu obtenue asignado "
        "asignada asignacion adjudicado adjudicada concedido assegnato assegnata assegnazione "
        "atribuido atribuida atribuicao toegewezen ingedeeld toewijzing przydzielony przydzial "
        "tilldelad tilldelat tilldelning"
    )
)
# Sheets that sum up the others.
SUMMARIES = frozenset(
    _split(
        "summary overview results result totals ranking aggregate combined consolidated "
        "zusammenfassung ubersicht uebersicht ergebnis ergebnisse auswertung gesamt gesamtergebnis "
        "resume synthese recapitulatif recap resultats resumen resultados resultado riepilogo "
        "risultati resumo samenvatting overzicht resultaten podsumowanie wyniki sammanfattning "
        "oversikt resultat"
    )
)
# A total by its word alone, for names of rows, which may also be items.
TOTAL_ROWS = _split(
    "total totals sum sums summe gesamt gesamtsumme insgesamt somme totaux suma totale "
    "totali somma soma totais grandtotal subtotal average averages avg mean median "
    "mittelwert durchschnitt schnitt mittel moyenne promedio mediane mediana stdev stddev "
    "standarddeviation averagerank meanrank avgrank averagescore meanscore rank ranking place "
    "gesamtrang overall "
    "overallrank finalrank result ergebnis rang platz classement resultat"
)
# The first cell of a row of units below the header.
UNITS = frozenset(
    _split(
        "unit units einheit einheiten unite unites unidad unidades unita unidade eenheid jednostka"
    )
)
AVERAGES = frozenset(
    _split("average avg mean durchschnitt mittel moyenne promedio media gemiddelde srednia medel")
)
# Beside a word for places, also these speak of an average.
MIDDLING = frozenset(
    _split(
        "mittlerer mittlere mittleres mittl durchschn moyen moyenne medio media medie medi "
        "gemiddeld friedman sredni srednie meta"
    )
)
# Above the best of the attempts or races of each row.
BESTS = frozenset(
    _split(
        "best beste bester bestes bestzeit bestweite bestleistung meilleur meilleure mejor "
        "migliore "
        "melhor najlepszy bast basta pb pr sb"
    )
)
# The number of marks in each column of a poll.
COUNT_ROWS = _split(
    "count counts total totals anzahl nombre recuento conteggio contagem aantal number numero "
    "summe somme suma somma soma totaal antal"
)
# Cells that mean "not ranked", also as names of candidates.
MISSING = _split(
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
    "nothing whatever sansopinion sansavis sanspreference sansreponse pasdereponse "
    "pasdepreference "
    "pasdavis nesaitpas peuimporte sinpreferencia sincontestar sinopinion nosabe nocontesta "
    "noaplica "
    "meesigual nessunapreferenza nessunarisposta nonrisponde nonso indifferente sempreferencia "
    "semresposta semopiniao naosei naorespondeu geenvoorkeur geenantwoord geenmening weetniet "
    "maaktnietuit nvt nsnr ns/nr ns/nc nspnr"
)
# Competitors without a place.
UNPLACED = _split(
    "dnf dns dsq dq disq disqualified dnq dnc ocs ret retired ab abd abandon abandoned np "
    "nc wd withdrawn withdrew excl ufd bfd raf rdg dne nf ns aufgegeben disqualifiziert "
    "abandono ritirato otl hd pu nm nh nt scr lap lapped el notclassified unclassified "
    "r w dnp ausgeschieden rit aband forfait retirado retiro abgebrochen uitgevallen wdr wdn "
    "absent "
    "abs abwesend krank noshow pm mp elim eliminated elimine eliminado eliminato ausente assente "
    "afwezig nq disqualifie descalificado squalificato desclassificado corked bouchonne "
    "korkfehler "
    "sq sqa fg hc dsf ritiro squalifica nonpartito nonpartita "
    "spoiled void coi conflict conflictofinterest recused befangen"
)

# The same lists, continued by language.
MORE = {
    "ignored": {
        "en": "responsetype randomseed lastpage startlanguage submitdate datestamp "
        "room extension ext mobile cell address street phonenumber contact created createdat "
        "updated updatedat modified joined membersince website homepage issn isbn doi orcid pmid "
        "tel fax att",
        "de": "zufallsstartwert letzteseite startsprache "
        "zimmer durchwahl telefonnummer handy mobil adresse strasse plz erstellt uhrzeit "
        "wohnort ",
        "fr": "codepostal adresse tel courriel remarquesgenerales heure",
        "es": "direccion movil codigopostal hora",
        "it": "indirizzo cellulare cap ora",
        "pt": "morada endereco telemovel codigopostal hora",
        "nl": "jaar leeftijd afdeling geslacht opmerking opmerkingen telefoon tijd adres",
        "pl": "wiek plec uwagi komentarz dzial wydzial adres sygnaturaczasowa",
        "sv": "alder kon avdelning kommentarer adress tidsstampel telefonnummer ovrigt",
    },
    "aside": {
        "en": "dd difficulty tariff degreeofdifficulty dimensions dimension dims dim params "
        "epochs epoch layers chr chrom chromosome entrez entrezid ensembl ensemblid class "
        "headcount capacity population founded established latitude longitude elevation nat",
        "de": "schwierigkeit schwierigkeitsgrad klasse lizenz chromosom gruendungsjahr "
        "grundungsjahr einwohner",
        "fr": "difficulte classe effectifs parametres",
        "es": "dificultad clase poblacion nacion nac licencia organizacion parametros cromosoma",
        "it": "difficolta classe nazione naz licenza organizzazione parametri",
        "pt": "dificuldade turma nacao safra licenca organizacao cromossoma cromossomo",
        "nl": "moeilijkheid moeilijkheidsgraad klas jaargang oogstjaar rugnummer licentie "
        "organisatie "
        "chromosoom",
        "pl": "trudnosc klasa rokurodzenia rocznik",
        "sv": "svarighetsgrad svarighet klass fodelsear fodd arskurs",
    },
    "totals": {
        "en": "gc gcgap gctime aggregate combined cumulative combinedtime aggregatetime totaltime "
        "overalltime finaltime overallgap totalgap finalscore finalgrade compositescore "
        "composite weightedtotal weightedscore weightedaverage meanscore championshippoints "
        "general generalclassification seasonpoints cuppoints ranksum sumofranks sumranks "
        "totalgross totalnet meanwinrate majority maj",
        "de": "gesamtpunktzahl gesamtzeit gesamtnote endnote endergebnis gesamtergebnis "
        "gesamtwertung gesamtscore endpunktzahl notendurchschnitt punkteschnitt platzziffer",
        "fr": "moyennegenerale notefinale totalgeneral tempstotal notemoyenne notetotale "
        "scoretotal classementgeneral ecarttotal general generale",
        "es": "notafinal puntajetotal puntajefinal puntuaciontotal puntuacionfinal notamedia "
        "tiempototal puestofinal posicionfinal clasificacionfinal",
        "it": "votofinale punteggiototale punteggiofinale tempototale mediavoti posizionefinale "
        "classificafinale classificagenerale",
        "pt": "notafinal pontuacaototal pontuacaofinal tempototal mediafinal posicaofinal "
        "classificacaofinal geral classificacaogeral",
        "nl": "totaal gemiddelde eindtotaal eindscore eindcijfer totaalscore som eindklassement "
        "totaaltijd totaalpunten gem algemeen klassement algemeenklassement",
        "pl": "razem srednia ogolem lacznie sumapunktow sredniaocen czaslaczny ocenakoncowa "
        "miejscekoncowe wynikkoncowy",
        "sv": "summa totalt medel medelvarde medelpoang snitt totalpoang totaltid slutpoang "
        "slutbetyg slutplacering genomsnitt",
    },
    "total rows": {
        "en": "ranksum sumofranks ranksums totalscore totalpoints weightedtotal weightedaverage "
        "numberofvotes totalvotes overallmean grandmean",
        "de": "rangsumme punktesumme gesamtpunkte gesamtpunktzahl gesamtergebnis notenschnitt "
        "platzziffer mittelw standardabweichung",
        "fr": "moyennegenerale ecarttype sommedesrangs rangmoyen totalpoints",
        "es": "promediogeneral desviacionestandar desviaciontipica sumaderangos",
        "it": "sommadeiranghi deviazionestandard mediagenerale",
        "pt": "desviopadrao somadospostos mediageral",
        "nl": "totaal gemiddelde eindtotaal somvanrangen standaarddeviatie",
        "pl": "razem srednia ogolem lacznie sumarang odchyleniestandardowe",
        "sv": "summa totalt medelvarde medeltal genomsnitt rangsumma standardavvikelse",
    },
    "missing": {
        "en": "notvoted abstained didnotanswer prefernottosay prefernottoanswer noidea cantsay "
        "dontknownoopinion dk dkna nr notasked nodata notfound notlisted notranking notseen "
        "notused neverused didnotuse havenotused nottried nottasted notjudged notscored notgraded "
        "nograde noscore norating notavailable unanswered noanswergiven nothanks nodecision "
        "notdecided pending notassessed notreviewed notrated notinterviewed didnotattend "
        "notsubmitted",
        "de": "weissichnicht keinedaten nichtgefunden keineantwort keinestimme ungultig "
        "nichtabgegeben nichtabgestimmt nichtgenutzt nichtbenutzt niegenutzt nichtbesucht "
        "ohneangabe nichtbeantwortet nichtvergeben nichtverkostet nichtprobiert keinewertung "
        "keinebewertung keinenote ohnewertung nichtgewertet keineahnung "
        "keineentscheidung nichtentschieden ausstehend",
        "fr": "pasutilise nonutilise jamaisutilise "
        "pasdedonnees nontrouve nonvote pasvote apasvote nonrepondu voteblanc "
        "bulletinblanc votenul abstenu nspp "
        "nsp neseprononcepas nonrenseigne nonnote nonevalue pasnote pasdenote jenesaispas "
        "sansvote nongoute",
        "es": "nolouse nousado "
        "nohaydatos noencontrado sinvotar sinvoto novota novoto nocontesto abstencion "
        "enblanco votoenblanco sindatos "
        "sinvalorar sinpuntuar sinpuntuacion sinnota sincalificar nose nosabenocontesta nosabria "
        "norespondio noresponde nocatado",
        "it": "nonusato maiusato "
        "nessundato nontrovato nonvotato nonvota astenuto astenuta astensione schedabianca "
        "nessunvoto nonpervenuto "
        "nonvalutato senzavoto nonespresso nonassaggiato nessunaopinione nonsaprei nonrisposto "
        "nonsanonrisponde",
        "pt": "naousei nuncausei naoutilizado "
        "naoencontrado naovotou semvoto abstencao embranco votoembranco naoavaliado "
        "semnota naorespondido "
        "semdados semopiniao naosabe naosabenaoresponde semavaliacao naoseaplica",
        "nl": "geengegevens nietgevonden nietgestemd geenstem onthouding weetikniet "
        "nietbeoordeeld nietingevuld geenidee "
        "geenoordeel nietvantoepassing nietgeproefd geencijfer blancostem",
        "pl": "brakodpowiedzi brakglosu niewiem niedotyczy niezaznaczono brakdanych brakoceny "
        "brakzdania wstrzymalsie wstrzymalasie nieglosowal nieglosowala niemamzdania "
        "trudnopowiedziec nieoceniono nd",
        "sv": "vetej vetinte ingetsvar ingasvar ejsvar ingenasikt ejrostat blankrost avstar saknas "
        "ejaktuellt ejbedomd ejbetygsatt ingenuppfattning",
    },
    "unplaced": {
        "en": "inj ill sick absent abs "
        "excluded injured didnotfinish didnotstart didnotcompete nofinish nostart dnr "
        "notadmitted inadmissible missedcut mc cut "
        # Runs of a program.
        "timeout timedout timelimit memout memoryout outofmemory oom unsolved crash "
        "crashed failed tle mle",
        "de": "ausgeschlossen verletzt nichtgestartet nichtimziel nichtangetreten gesturzt sturz "
        "nichtzugelassen nichtwertbar zeituberschreitung zeitlimit",
        "fr": "exclu exclue nonclasse nonpartant nonpartante abandonne blesse irrecevable "
        "horsconcours horsdelai",
        "es": "excluido excluida nosepresento nopresentado lesionado lesionada noclasificado "
        "inadmitido nofinalizo nosalio",
        "it": "escluso esclusa nonclassificato nonpartito infortunato nonammesso fuoriclassifica "
        "fuorigara ritirata",
        "pt": "excluido excluida desistiu naoclassificado lesionado naoadmitido naoterminou "
        "naopartiu",
        "nl": "uitgesloten opgegeven gediskwalificeerd nietgestart nietgefinisht geblesseerd "
        "afgestapt",
        "pl": "wykluczony wykluczona dyskwalifikacja nieukonczyl nieukonczyla rezygnacja "
        "niestartowal wycofany odrzucona odrzucony",
        "sv": "utesluten diskvalificerad diskad brutit brot startadeej ejstart ejimal skadad "
        "ejkvalificerad",
    },
}
IGNORED = " ".join([IGNORED, words_latin.IGNORED, *MORE["ignored"].values()])
NUMBERS += _split(words_latin.NUMBERS)
ASIDE += _split(" ".join(MORE["aside"].values()))
TOTALS += _split(" ".join([words_latin.TOTALS, *MORE["totals"].values()]))
TOTAL_ROWS += _split(" ".join([words_latin.TOTAL_ROWS, *MORE["total rows"].values()]))
MISSING += _split(" ".join([words_latin.MISSING, *MORE["missing"].values()]))
UNPLACED += _split(" ".join([words_latin.UNPLACED, *MORE["unplaced"].values()]))
# Rows of sums or the like by these words only if the arithmetic fits: they may be items, too.
SOFT_TOTALS = frozenset(
    _split(
        "media medel som snitt gem min max minimum maximum minimo massimo maximo minst hogst n sd "
        "std varianz variance varianza stddev points punkte puntos punti pontos punten punkty "
        "poang score rangs final all alle tous todos tutti todas geral general generale"
    )
)
# Rows that state the highest possible value of each column.
MAXIMA = frozenset(
    _split(
        "erreichbar erreichbare max maximum maximal maximale maximaler maximaal maxima maximo "
        "massimo massima maksimum "
        "maks maksymalna maksymalnie hochstpunktzahl hochstpunkte hochstwert maximalpunkte "
        "maximalpunktzahl bareme possible maxpoints maxscore maxpoang maxpoeng"
    )
)
# Rows that state how much each column counts.
WEIGHTINGS = frozenset(
    _split(
        "weight weights weighting weightings gewicht gewichte gewichtung gewichtungen poids "
        "ponderation ponderations coefficient coefficients coeff coef coefficiente coefficienti "
        "coeficiente peso pesos pesi ponderacion ponderazione ponderacao weging wegingsfactor "
        "weegfactor waga wagi vikt vikter viktning faktor factor"
    )
)
# What a thing is, and not how good it is: `Model Size (Million Parameters)`.
DETAILS = frozenset(
    _split(
        "params param parameter parameters size dimensions dimension dims dim seed seeds epochs "
        "epoch layers "
        "vocab license licence chr chrom chromosome issn isbn doi phone room capacity headcount "
        "founded released release"
    )
)
DETAIL_UNITS = frozenset(
    _split(
        "million millions billion billions mrd mio m b k gb mb kb max min number embedding "
        "embeddings "
        "hidden context sequence model team group of in the and year"
    )
)
# Matches that were not played, or that have no result.
NOT_PLAYED = _split(
    "p-p a-a c-c postp postponed ppd cancelled canceled abandoned tbd tbc tba void annulled "
    "noresult nr v vs -:- -- - : n-n x-x abgesagt verlegt ausgefallen abgebrochen reporte annule "
    "aplazado suspendido cancelado rinviata rinviato sospesa annullata adiado cancelado afgelast "
    "uitgesteld gestaakt przelozony odwolany przelozone installd uppskjuten "
    "abges abg ausgef ausf abgebr canc aband susp aplaz rinv sosp afg odw verschoben ausfall "
    "spielausfall nichtausgetragen repousse aplazada suspendida"
)
