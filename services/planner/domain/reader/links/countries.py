"""Countries by ISO 3166-1: how data names them, and which columns hold them."""

from __future__ import annotations

from functools import lru_cache

from services.planner.domain.catalogue import Column, DataType, Table

_LINES = """
af afg afghanistan|al alb albania|dz dza algeria|ad and andorra|ao ago angola
ar arg argentina|am arm armenia|au aus australia|at aut austria|az aze azerbaijan|bs bhs bahamas
bh bhr bahrain|bd bgd bangladesh|bb brb barbados|by blr belarus|be bel belgium|bz blz belize
bj ben benin|bt btn bhutan|bo bol bolivia|ba bih bosnia and herzegovina|bw bwa botswana
br bra brazil|bn brn brunei|bg bgr bulgaria|bf bfa burkina faso|bi bdi burundi|kh khm cambodia
cm cmr cameroon|ca can canada|cv cpv cape verde|cf caf central african republic|td tcd chad
cl chl chile|cn chn china|co col colombia|km com comoros|cg cog congo|cr cri costa rica
hr hrv croatia|cu cub cuba|cy cyp cyprus|cz cze czechia|dk dnk denmark|dj dji djibouti
do dom dominican republic|ec ecu ecuador|eg egy egypt|sv slv el salvador|ee est estonia
sz swz eswatini|et eth ethiopia|fj fji fiji|fi fin finland|fr fra france|ga gab gabon
gm gmb gambia|ge geo georgia|de deu germany|gh gha ghana|gr grc greece|gt gtm guatemala
gn gin guinea|gy guy guyana|ht hti haiti|hn hnd honduras|hk hkg hong kong|hu hun hungary
is isl iceland|in ind india|id idn indonesia|ir irn iran|iq irq iraq|ie irl ireland
il isr israel|it ita italy|jm jam jamaica|jp jpn japan|jo jor jordan|kz kaz kazakhstan
ke ken kenya|kp prk north korea|kr kor south korea|kw kwt kuwait|kg kgz kyrgyzstan|la lao laos
lv lva latvia|lb lbn lebanon|ls lso lesotho|lr lbr liberia|ly lby libya|li lie liechtenstein
lt ltu lithuania|lu lux luxembourg|mo mac macao|mg mdg madagascar|mw mwi malawi|my mys malaysia
mv mdv maldives|ml mli mali|mt mlt malta|mr mrt mauritania|mu mus mauritius|mx mex mexico
md mda moldova|mc mco monaco|mn mng mongolia|me mne montenegro|ma mar morocco|mz moz mozambique
mm mmr myanmar|na nam namibia|np npl nepal|nl nld netherlands|nz nzl new zealand
ni nic nicaragua|ne ner niger|ng nga nigeria|mk mkd north macedonia|no nor norway|om omn oman
pk pak pakistan|ps pse palestine|pa pan panama|pg png papua new guinea|py pry paraguay
pe per peru|ph phl philippines|pl pol poland|pt prt portugal|pr pri puerto rico|qa qat qatar
ro rou romania|ru rus russia|rw rwa rwanda|sa sau saudi arabia|sn sen senegal|rs srb serbia
sl sle sierra leone|sg sgp singapore|sk svk slovakia|si svn slovenia|so som somalia
za zaf south africa|es esp spain|lk lka sri lanka|sd sdn sudan|sr sur suriname|se swe sweden
ch che switzerland|sy syr syria|tw twn taiwan|tj tjk tajikistan|tz tza tanzania|th tha thailand
tg tgo togo|tt tto trinidad and tobago|tn tun tunisia|tr tur turkey|tm tkm turkmenistan
ug uga uganda|ua ukr ukraine|ae are united arab emirates|gb gbr united kingdom
us usa united states|uy ury uruguay|uz uzb uzbekistan|ve ven venezuela|vn vnm vietnam
ye yem yemen|zm zmb zambia|zw zwe zimbabwe
"""
_ALSO = frozenset(
    (
        "uk",
        "england",
        "scotland",
        "wales",
        "great britain",
        "czech republic",
        "the netherlands",
        "turkiye",
        "ivory coast",
        "russian federation",
        "viet nam",
        "korea",
        "u.s.",
        "u.k.",
        "usa",
    )
)
_CONTINENTS = frozenset(
    (
        "africa",
        "europe",
        "asia",
        "oceania",
        "americas",
        "north america",
        "south america",
        "antarctica",
        "latin america",
    )
)
_MOST, _LEAST = 0.7, 3  # of the samples; a column of two values tells little


def _codes() -> dict[str, tuple[str, str]]:
    rows = (one.split(" ", 2) for one in _LINES.replace("\n", "|").split("|") if one)
    return {name: (short, long) for short, long, name in rows}


CODES = _codes()
"""The codes of two and of three letters of each country, all in lower case."""
_NAMES = frozenset(CODES) | _ALSO
_SHORT = frozenset(short for short, _ in CODES.values())
_LONG = frozenset(long for _, long in CODES.values())
ISO_CODES = _SHORT | _LONG


@lru_cache(maxsize=4096)
def holds_country_codes(samples: tuple[str, ...]) -> bool:
    """Whether frequent values of a column are country codes, all of two letters or all of three."""
    return _mostly(samples, _SHORT, _LEAST, 1.0) or _mostly(samples, _LONG, _LEAST, 1.0)


def named_by_values(column: Column, table: Table) -> tuple[str, ...]:
    """What a column of texts is called by what it holds, where no column of the table is: a
    "location" that holds countries answers "per country"."""
    if column.data_type is not DataType.STRING or column.synonyms or not column.samples:
        return ()
    for words, held in _HELD.items():
        if any(word in other.name.casefold() for other in table.columns for word in words):
            continue
        if words[0] == "country" and _mostly(column.samples, _CONTINENTS, 1, _MOST):
            continue
        of_kind = [c for c in table.columns if _mostly(c.samples, held, 1, _MOST)]
        if words[0] == "country":  # a continent beside the countries is none of them
            of_kind = [c for c in of_kind if not _mostly(c.samples, _CONTINENTS, 1, _MOST)]
        if of_kind == [column] and _mostly(column.samples, held, _LEAST, _MOST):
            return words
    return ()


_HELD = {("continent",): _CONTINENTS, ("country", "nation"): _NAMES | _CONTINENTS}
"""The likeliest first: of cars from "europe, japan, usa" people say countries too."""


def _mostly(samples: tuple[str, ...], held: frozenset[str], least: int, share: float) -> bool:
    values = {text.strip().casefold() for text in samples} - {""}
    found = values & held
    return len(found) >= least and len(found) >= share * len(values)
