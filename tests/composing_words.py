"""Words and names that composed tables are made of, in several languages.

Words for the same subject are separated by `|`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt"]


def _row(*words: str) -> dict[str, str]:
    return dict(zip(LANGUAGES, words, strict=True))


# A subject, and its words in the order of the languages.
_WORDS = """
judge: Judge, Juror|Jurymitglied, Juge|Juré, Juez|Jurado, Giudice|Giurato, Jurylid, Jurado|Juiz
name: Name, Name, Nom, Nombre, Nome, Naam, Nome
wine: Wine, Wein, Vin, Vino, Vino, Wijn, Vinho
beer: Beer, Bier, Bière, Cerveza, Birra, Bier, Cerveja
film: Film|Movie, Film, Film, Película, Film, Film, Filme
dish: Dish, Gericht, Plat, Plato, Piatto, Gerecht, Prato
project: Project, Projekt, Projet, Proyecto, Progetto, Project, Projeto
city: City, Stadt, Ville, Ciudad, Città, Stad, Cidade
school: University, Universität, Université, Universidad, Università, Universiteit, Universidade
song: Song, Lied|Song, Chanson, Canción, Canzone, Liedje|Lied, Canção
athlete: Athlete|Runner, Athlet|Läufer, Athlète|Coureur, Atleta|Corredor, Atleta, Atleet|Loper,
    Atleta|Corredor
rider: Rider|Driver, Fahrer, Coureur|Pilote, Corredor|Piloto, Corridore|Pilota, Renner|Rijder,
    Ciclista|Piloto
model: Model, Modell, Modèle, Modelo, Modello, Model, Modelo
car: Car|Model, Auto|Modell, Voiture|Modèle, Coche|Modelo, Auto|Modello, Auto|Model,
    Carro|Modelo
drink: Drink, Getränk, Boisson, Bebida, Bevanda, Drankje, Bebida
gene: Gene, Gen, Gène, Gen, Gene, Gen, Gene
rank: Rank|Place|Position, Rang|Platz, Rang|Place|Position, Puesto|Posición, Posizione|Posto,
    Plaats|Positie, Posição|Lugar
points: Points|Score, Punkte|Punktzahl, Points|Score, Puntos|Puntuación, Punti|Punteggio,
    Punten|Score, Pontos|Pontuação
points title: Points per judge|Scores of the jury, Punkte der Jury|Punktzahl je Juror, Points du
    jury|Points par juge, Puntos del jurado|Puntuación del jurado, Punti della giuria|Punteggio
    dei giudici, Punten van de jury, Pontos do júri|Pontuação do júri
run: Run|Heat, Lauf|Durchgang, Manche, Manga, Manche|Prova, Run|Manche, Manga
race: Race|Event, Rennen|Wettkampf, Course|Épreuve, Carrera|Prueba, Gara, Wedstrijd|Koers,
    Corrida|Prova
study: Study, Studie, Étude, Estudio, Studio, Studie, Estudo
total: Total|Sum, Summe|Gesamt, Total|Somme, Total|Suma, Totale|Somma, Totaal|Som, Total|Soma
average: Average|Mean|Avg, Durchschnitt|Mittelwert|Schnitt, Moyenne, Promedio|Media, Media,
    Gemiddelde|Gem., Média
number: #|No., Nr.|Lfd. Nr., N°|No, N.º|Nº, N.|Nr., Nr., N.º|Nº
country: Country, Land, Pays, País, Paese, Land, País
team: Team, Team|Mannschaft, Équipe, Equipo, Squadra, Team|Ploeg, Equipe|Equipa
nation: Nation|Nat., Nation|Nat., Nation|Nat., Nación|Nac., Nazione|Naz., Nat.|Land, Nação|Nac.
director: Director, Regie|Regisseur, Réalisateur|Réalisation, Director|Dirección, Regista|Regia,
    Regisseur|Regie, Realizador|Diretor
producer: Producer|Winery, Weingut|Erzeuger, Producteur|Domaine, Bodega|Productor,
    Produttore|Cantina, Producent|Wijnhuis, Produtor|Adega
brewery: Brewery, Brauerei, Brasserie, Cervecera, Birrificio, Brouwerij, Cervejaria
artist: Artist, Interpret|Künstler, Artiste|Interprète, Artista|Intérprete, Artista|Interprete,
    Artiest, Artista|Intérprete
year: Year, Jahr, Année, Año, Anno, Jaar, Ano
vintage: Vintage, Jahrgang, Millésime, Añada, Annata, Jaargang|Oogstjaar, Safra|Colheita
category: Category, Kategorie, Catégorie, Categoría, Categoria, Categorie, Categoria
class: Class, Klasse, Classe, Clase, Classe, Klasse|Klas, Classe|Turma
bib: Bib|Start no., Startnr.|Startnummer, Dossard, Dorsal, Pettorale, Startnr.|Rugnummer, Dorsal
organisation: Organization|Organisation, Organisation|Anbieter, Organisation, Organización,
    Organizzazione, Organisatie, Organização
licence: License|Licence, Lizenz, Licence, Licencia, Licenza, Licentie, Licença
params: Params|Parameters (B), Parameter|Parameter (Mrd.), Paramètres, Parámetros, Parametri,
    Parameters, Parâmetros
brand: Brand|Make, Marke|Hersteller, Marque, Marca, Marca, Merk, Marca
chromosome: Chromosome|Chr, Chromosom|Chr, Chromosome|Chr, Cromosoma|Chr, Cromosoma|Chr,
    Chromosoom|Chr, Cromossoma|Chr
comment: Comment|Comments|Remarks, Kommentar|Bemerkung|Anmerkungen, Commentaire|Remarques,
    Comentario|Observaciones, Commento|Note, Opmerking|Opmerkingen, Comentário|Observações
group: Group|Department, Gruppe|Abteilung, Groupe|Service, Grupo|Departamento, Gruppo|Reparto,
    Groep|Afdeling, Grupo|Departamento
age: Age, Alter, Âge, Edad, Età, Leeftijd, Idade
timestamp: Timestamp, Zeitstempel, Horodateur, Marca temporal, Informazioni cronologiche,
    Tijdstempel, Carimbo de data/hora
email: Email Address|E-mail, E-Mail-Adresse|E-Mail, Adresse e-mail, Dirección de correo
    electrónico|Correo, Indirizzo email|E-mail, E-mailadres, Endereço de e-mail|E-mail
votes: Votes|Count, Stimmen|Anzahl, Voix|Nombre, Votos, Voti, Stemmen|Aantal, Votos
question: Rank the options|Please rank, Bitte ordnen|Reihenfolge, Classez les options, Ordene
    las opciones, Ordina le opzioni, Rangschik de opties, Ordene as opções
ranking: Ranking|Your ranking, Rangliste|Reihenfolge|Rangfolge, Classement,
    Clasificación|Ranking, Classifica, Rangschikking|Rangorde, Classificação|Ranking
home: Home|Home team, Heim|Heimmannschaft, Domicile|Équipe à domicile, Local|Equipo local,
    Casa|Squadra di casa, Thuis|Thuisploeg, Casa|Equipa da casa
away: Away|Guest|Visitor, Gast|Gastmannschaft|Auswärts, Extérieur|Visiteur, Visitante,
    Ospite|Trasferta, Uit|Uitploeg, Visitante|Fora
result: Result|Score, Ergebnis|Resultat, Résultat|Score, Resultado, Risultato,
    Uitslag|Resultaat, Resultado
goals: Goals, Tore, Buts, Goles, Gol, Doelpunten|Goals, Golos|Gols
winner: Winner, Sieger|Gewinner, Vainqueur|Gagnant, Ganador|Vencedor, Vincitore, Winnaar,
    Vencedor
loser: Loser, Verlierer, Perdant, Perdedor, Perdente|Sconfitto, Verliezer, Perdedor|Derrotado
magazine: Magazine|Publisher, Zeitschrift|Verlag, Magazine|Journal, Revista|Periódico,
    Rivista|Giornale, Tijdschrift|Krant, Revista|Jornal
date: Date, Datum, Date, Fecha, Data, Datum, Data
round: Round|Matchday, Runde|Spieltag, Tour|Journée, Ronda|Jornada, Turno|Giornata,
    Ronde|Speelronde, Ronda|Jornada|Rodada
venue: Venue|Stadium, Ort|Stadion, Lieu|Stade, Sede|Estadio, Luogo|Stadio, Locatie|Stadion,
    Local|Estádio
price: Price, Preis, Prix, Precio, Prezzo, Prijs, Preço
weight: Weight, Gewicht, Poids, Peso, Peso, Gewicht, Peso
range: Range, Reichweite, Autonomie, Autonomía, Autonomia, Bereik|Actieradius, Autonomia
noise: Noise, Lautstärke, Bruit, Ruido, Rumore, Geluid, Ruído
power: Power, Leistung, Puissance, Potencia, Potenza, Vermogen, Potência
higher: higher is better, höher ist besser, plus élevé = mieux, mayor es mejor, più alto è
    meglio, hoger is beter, maior é melhor
lower: lower is better, niedriger ist besser, plus bas = mieux, menor es mejor, più basso è
    meglio, lager is beter, menor é melhor
"""


def _table(text: str) -> dict[str, dict[str, str]]:
    found = {}
    for line in re.sub(r"\n +", " ", text.strip()).splitlines():
        subject, _, words = line.partition(": ")
        found[subject] = _row(*words.split(", "))
    return found


WORDS = _table(_WORDS)

TITLES = {
    "en": [
        "Results 2025",
        "Spring tasting, final version",
        "Export of 14 March 2025",
        "Club evening",
    ],
    "de": ["Ergebnisse 2025", "Frühjahrsprobe, Endfassung", "Stand: 14.03.2025", "Vereinsabend"],
    "fr": [
        "Résultats 2025",
        "Dégustation de printemps",
        "Export du 14 mars 2025",
        "Soirée du club",
    ],
    "es": ["Resultados 2025", "Cata de primavera", "Exportado el 14/03/2025", "Noche del club"],
    "it": [
        "Risultati 2025",
        "Degustazione di primavera",
        "Esportato il 14/03/2025",
        "Serata del club",
    ],
    "nl": ["Resultaten 2025", "Proeverij voorjaar", "Export van 14-03-2025", "Clubavond"],
    "pt": ["Resultados 2025", "Prova de primavera", "Exportado em 14/03/2025", "Noite do clube"],
}
NOTES = {
    "en": ["Source: own survey", "Note: provisional results", "* subject to change"],
    "de": ["Quelle: eigene Erhebung", "Hinweis: vorläufige Angaben", "* ohne Gewähr"],
    "fr": ["Source : enquête interne", "Remarque : données provisoires", "* sous réserve"],
    "es": ["Fuente: encuesta propia", "Nota: datos provisionales", "* sujeto a cambios"],
    "it": ["Fonte: indagine interna", "Nota: dati provvisori", "* salvo errori"],
    "nl": ["Bron: eigen onderzoek", "Opmerking: voorlopige cijfers", "* onder voorbehoud"],
    "pt": ["Fonte: inquérito próprio", "Nota: dados provisórios", "* sujeito a alterações"],
}
MISSING = ["", "", "-", "–", "n/a", "N/A", "k. A.", "NA", "--"]
UNPLACED = ["DNF", "DNS", "DSQ", "abs", "", "-", "dnf"]


def _counted(form: str, most: int = 8) -> list[str]:
    return [form.format(k) for k in range(1, most + 1)]


# The names of choices on a ballot.
ORDINALS = {
    "en": [
        ["First choice", "Second choice", "Third choice", "Fourth choice", "Fifth choice"],
        ["1st choice", "2nd choice", "3rd choice", "4th choice", "5th choice"],
        _counted("Choice {}"),
        _counted("Rank {}"),
    ],
    "de": [
        ["Erste Wahl", "Zweite Wahl", "Dritte Wahl", "Vierte Wahl", "Fünfte Wahl"],
        _counted("{}. Wahl"),
        _counted("{}. Platz"),
        _counted("Platz {}"),
    ],
    "fr": [
        [
            "Premier choix",
            "Deuxième choix",
            "Troisième choix",
            "Quatrième choix",
            "Cinquième choix",
        ],
        ["1er choix", "2e choix", "3e choix", "4e choix", "5e choix"],
        _counted("Choix {}"),
    ],
    "es": [
        ["Primera opción", "Segunda opción", "Tercera opción", "Cuarta opción", "Quinta opción"],
        _counted("{}ª opción"),
        ["1.er lugar", "2.º lugar", "3.er lugar", "4.º lugar", "5.º lugar"],
    ],
    "it": [
        ["Prima scelta", "Seconda scelta", "Terza scelta", "Quarta scelta", "Quinta scelta"],
        _counted("{}ª scelta"),
        _counted("{}° posto"),
    ],
    "nl": [
        ["Eerste keuze", "Tweede keuze", "Derde keuze", "Vierde keuze", "Vijfde keuze"],
        _counted("{}e keuze"),
        _counted("Keuze {}"),
    ],
    "pt": [
        [
            "Primeira escolha",
            "Segunda escolha",
            "Terceira escolha",
            "Quarta escolha",
            "Quinta escolha",
        ],
        _counted("{}ª escolha"),
        _counted("{}º lugar"),
    ],
}


def _best(word: str) -> list[str]:
    return [f"1 ({word})", *_counted("{}")[1:]]


# The cells of a grid, from the first place on.
GRIDS = {
    "en": [
        _counted("{}"),
        ["1st", "2nd", "3rd", "4th", "5th", "6th"],
        [
            "First choice",
            "Second choice",
            "Third choice",
            "Fourth choice",
            "Fifth choice",
            "Sixth choice",
        ],
        _best("best"),
    ],
    "de": [
        _counted("{}"),
        _counted("{}."),
        _counted("{}. Platz"),
        _counted("Platz {}"),
        _best("am besten"),
    ],
    "fr": [
        _counted("{}"),
        ["1er", "2e", "3e", "4e", "5e", "6e"],
        ["1er choix", *_counted("{}e choix")[1:]],
    ],
    "es": [_counted("{}"), _counted("{}º"), _counted("{}ª opción"), _best("mejor")],
    "it": [_counted("{}"), _counted("{}°"), _counted("{}° posto"), _best("migliore")],
    "nl": [_counted("{}"), _counted("{}e"), _counted("{}e keuze"), _best("beste")],
    "pt": [_counted("{}"), _counted("{}º"), _counted("{}º lugar"), _best("melhor")],
}

PAPERS = ["The Gazette", "Le Phare", "Stadtblatt", "El Faro", "Il Corriere Nuovo"]
PEOPLE = [
    "Anna",
    "Björn",
    "Chloé",
    "David",
    "Elif",
    "François",
    "Grace",
    "Hugo",
    "Inês",
    "Jörg",
    "Kees",
    "Lucía",
    "Marta",
    "Niamh",
    "Olga",
    "Pedro",
    "Quentin",
    "Rosa",
    "Søren",
    "Tomás",
]


SURNAMES = ["Meyer", "Dupont", "García", "Rossi", "de Vries", "Silva", "O'Connor", "Smith-Jones"]


@dataclass(frozen=True)
class Field:
    """A subject: the key of its word, names of items, columns that describe them, events."""

    word: str
    items: list[str]
    attributes: dict[str, list[str]] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)


_COUNTRIES = ["France", "Italia", "Deutschland", "España", "USA", "Portugal", "België"]
_NATIONS = ["FRA", "ITA", "GER", "ESP", "USA", "POR", "BEL", "NED"]
_YEARS = [str(year) for year in range(1994, 2024)]
_TEAMS = ["Alpha Racing", "Team Nord", "RC Lyon", "Velo Club", "SC Süd"]

FIELDS = {
    "wine": Field(
        "wine",
        [
            "Château Bellevue",
            "Barolo Riserva 2016",
            "Rioja Alta",
            "Merlot",
            "Grüner Veltliner",
            "Côtes du Rhône",
            "Chardonnay, barrique",
            "Vinho Verde",
            "Riesling trocken",
            "Syrah",
            "Malbec Reserva",
            "Nero d'Avola",
        ],
        {
            "country": _COUNTRIES,
            "producer": ["Bodegas Ríos", "Weingut Moser", "Dom. Petit"],
            "vintage": _YEARS,
        },
    ),
    "beer": Field(
        "beer",
        [
            "Pale Ale",
            "Zwickl",
            "Stout 1840",
            "Helles",
            "IPA No. 9",
            "Weizen",
            "Tripel",
            "Kölsch",
            "Porter",
        ],
        {"brewery": ["Brauhaus Nord", "Abbaye St-Jean", "Hop & Co"], "country": _COUNTRIES},
    ),
    "film": Field(
        "film",
        [
            "Amélie",
            "2001: A Space Odyssey",
            "The Good, the Bad and the Ugly",
            "Parasite",
            "Das Boot",
            "La Strada",
            "Vertigo",
            "Alien",
            "Roma",
            "Se7en",
            "Heat",
            "M",
            "1917",
        ],
        {"director": ["S. Kubrick", "F. Fellini", "Bong Joon-ho", "A. Varda"], "year": _YEARS},
    ),
    "dish": Field(
        "dish",
        [
            "Lasagne",
            "Crème brûlée",
            "Fish, chips and peas",
            "Paella",
            "Sushi",
            "Käsespätzle",
            "Tacos al pastor",
            "Ramen",
            "Feijoada",
            "Pizza Margherita",
        ],
        {"category": ["A", "B", "C"], "country": _COUNTRIES},
    ),
    "project": Field(
        "project",
        [
            "Bike lanes",
            "Library roof",
            "Solar panels",
            "Playground",
            "Route 66 signs",
            "Park & Ride",
            "School garden",
            "Public Wi-Fi",
            "Skate park",
        ],
        {"category": ["Traffic", "Culture", "Energy"]},
    ),
    "city": Field(
        "city",
        [
            "Lyon",
            "Zürich",
            "São Paulo",
            "New York",
            "Málaga",
            "Gent",
            "Krakow",
            "Torino",
            "Köln",
            "Washington, D.C.",
            "Oslo",
        ],
        {"country": _COUNTRIES},
    ),
    "school": Field(
        "school",
        [
            "ETH Zürich",
            "Università di Bologna",
            "Oxford",
            "KU Leuven",
            "Sorbonne",
            "TU München",
            "MIT",
            "Universidad de Chile",
            "UC Berkeley",
        ],
        {"country": _COUNTRIES},
    ),
    "song": Field(
        "song",
        [
            "99 Luftballons",
            "La vie en rose",
            "Hey Jude",
            "Volare",
            "Route 66",
            "Despacito",
            "Wonderwall",
            "Take Five",
            "Águas de Março",
            "Africa",
        ],
        {
            "artist": ["Nena", "E. Piaf", "Toto", "D. Modugno"],
            "year": _YEARS,
            "country": _COUNTRIES,
        },
    ),
    "athlete": Field(
        "athlete",
        [
            "K. Meyer",
            "J. O'Brien",
            "Sofía Ruiz",
            "L. Novak",
            "Ana Prado",
            "T. de Vries",
            "M. Rossi",
            "P. Lefèvre",
            "B. Koch",
            "Y. Tanaka",
        ],
        {
            "team": _TEAMS,
            "nation": _NATIONS,
            "class": ["U18", "U20", "Elite"],
            "bib": [str(k) for k in range(101, 180)],
        },
        ["Berlin", "Lisboa", "Roma", "Bern", "Paris"],
    ),
    "rider": Field(
        "rider",
        [
            "Van Dijk",
            "Pogorelec",
            "Álvarez",
            "Müller",
            "Bianchi",
            "Dubois",
            "O'Neill",
            "Costa",
            "Kowalski",
            "Jensen",
        ],
        {"team": _TEAMS, "nation": _NATIONS, "bib": [str(k) for k in range(101, 180)]},
        ["Spring Classic", "Tour du Lac", "Grote Prijs", "Coppa Nord", "Volta Sul"],
    ),
    "model": Field(
        "model",
        [
            "GPT-4",
            "Llama-3-70B",
            "Mixtral-8x7B",
            "Qwen2.5-72B",
            "Gemma 2 27B",
            "Phi-3-mini",
            "Claude 3",
            "Falcon-180B",
            "Yi-34B",
            "Command R+",
        ],
        {
            "organisation": ["Meta", "OpenAI", "Mistral AI", "Google"],
            "licence": ["MIT", "Apache 2.0", "proprietary"],
            "params": ["7", "13", "34", "70", "180"],
        },
    ),
    "car": Field(
        "car",
        ["Alto", "Brisa 2", "Comet", "e-Drive 40", "Duna", "Fjord", "i4", "Zoé", "Model X7"],
        {"brand": ["Volta", "Nordic", "Sole", "Kaito"]},
    ),
    "drink": Field(
        "drink",
        [
            "Tea",
            "Coffee",
            "Apfelschorle",
            "Limonade",
            "Mate",
            "Cola",
            "Agua",
            "Milk, warm",
            "Café con leche",
        ],
    ),
    "gene": Field(
        "gene",
        ["TP53", "MYC", "BRCA1", "EGFR", "KRAS", "PTEN", "CDK4", "VEGFA", "IL6", "STAT3"],
        {"chromosome": [str(k) for k in range(1, 23)]},
        ["Smith", "Lee", "García", "Huang", "Rossi"],
    ),
    "club": Field(
        "club",
        [
            "FC Nord",
            "SV 04 Süd",
            "Real Costa",
            "Étoile Bleue",
            "AC Lago",
            "Sporting",
            "Hansa 1890",
            "Union",
            "Dynamo",
        ],
    ),
}
