"""Names of months, weekdays and quarters, in their order."""

from __future__ import annotations

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

# By language, what stands for one month or weekday, separated by "/".
_MONTHS = (
    "jan/january feb/february mar/march apr/april may jun/june jul/july aug/august "
    "sep/sept/september oct/october nov/november dec/december",
    "jan/jän/januar/jänner feb/februar/feber mär/mrz/märz/maerz apr/april mai jun/juni jul/juli "
    "aug/august sep/sept/september okt/oktober nov/november dez/dezember",
    "janv/jan/janvier févr/fév/fevr/février/fevrier mars avr/avril mai juin juil/juillet "
    "août/aout/aoû sept/sep/septembre oct/octobre nov/novembre déc/dec/décembre/decembre",
    "ene/enero feb/febrero mar/marzo abr/abril may/mayo jun/junio jul/julio ago/agosto "
    "sep/sept/septiembre oct/octubre nov/noviembre dic/diciembre",
    "gen/gennaio feb/febbraio mar/marzo apr/aprile mag/maggio giu/giugno lug/luglio ago/agosto "
    "set/settembre ott/ottobre nov/novembre dic/dicembre",
    "jan/januari feb/februari mrt/maart apr/april mei jun/juni jul/juli aug/augustus "
    "sep/september okt/oktober nov/november dec/december",
    "jan/janeiro fev/fevereiro mar/março/marco abr/abril mai/maio jun/junho jul/julho ago/agosto "
    "set/setembro out/outubro nov/novembro dez/dezembro",
)
_WEEKDAYS = (
    "monday/mon/mo tuesday/tue/tues wednesday/wed/we thursday/thu/thur/thurs friday/fri/fr "
    "saturday/sat/sa sunday/sun/su",
    "montag/mo dienstag/di mittwoch/mi donnerstag/do freitag/fr samstag/sonnabend/sa sonntag/so",
    "lundi/lun mardi/mar mercredi/mer jeudi/jeu vendredi/ven samedi/sam dimanche/dim",
    "lunes/lun martes/mar miércoles/miercoles/mié/mie jueves/jue viernes/vie sábado/sabado/sáb/sab "
    "domingo/dom",
    "lunedì/lunedi/lun martedì/martedi/mar mercoledì/mercoledi/mer giovedì/giovedi/gio "
    "venerdì/venerdi/ven sabato/sab domenica/dom",
    "maandag/ma dinsdag/di woensdag/wo donderdag/do vrijdag/vr zaterdag/za zondag/zo",
)


def _placed(names: str, first: int) -> dict[str, int]:
    steps = enumerate(names.split(), first)
    return {name: place for place, step in steps for name in step.split("/")}


CALENDARS: tuple[dict[str, int], ...] = (
    *(_placed(names, 0) for names in _MONTHS),
    *(_placed(names, 0) for names in _WEEKDAYS),
    {f"q{i}": i for i in range(1, 5)},
    {f"quarter {i}": i for i in range(1, 5)},
)
"""The place of each name of a month, a weekday or a quarter, in lower case, by language."""


def calendar_of(names: set[str]) -> dict[str, int]:
    """The first calendar that has all of these names, in any case and with a full stop or without;
    empty where none has, or there is but one name."""
    folded = {" ".join(name.strip().rstrip(".").lower().split()) for name in names}
    found = (calendar for calendar in CALENDARS if folded <= calendar.keys())
    return next(found, {}) if len(folded) > 1 else {}
