"""Misspelt words of the grammar: "avrage", "hwo many", "biggst"; no names and no values.

Only words that say how a question is meant are mended, one slip in a short word and two in a long
one, and no word that is English, in the data, or the grammar's already.
"""

from __future__ import annotations

from functools import lru_cache

from rapidfuzz.distance import OSA

from services.planner.domain.lexicon.real_words import REAL_WORDS
from services.planner.domain.lexicon.stop_words import NUMBER_WORDS, PRESENTATION, STOP_WORDS

CORRECTED = tuple(
    """
    about above across after altogether and april august average averages before below between
    biggest both bottom busiest cheapest combined common compare correlation count current
    currently daily days december deviation different display distinct distribution does during
    each earliest either every except expensive fastest february fewer find first frequency
    frequent friday from give greatest have heaviest highest hours how january july june largest
    last latest least less list longest lowest many march maximum mean median minimum minutes
    missing monday month monthly months more most much names never newest november number
    october oldest only order ordered over overall percent percentage percentile popular quarter
    quarterly quarters ranked recent recently saturday september share shortest show since
    slowest smallest sort sorted standard still sunday tell than that the their there thursday
    together top total totals tuesday typical under unique until variance wednesday week weekly
    weeks what when where which who whom whose with without year yearly years youngest
    """.split()
)
"""What may be meant by a word that is spelt nearly so."""

USUAL: dict[str, str] = {
    "teh": "the",
    "adn": "and",
    "nad": "and",
    "fo": "of",
    "hwo": "how",
    "waht": "what",
    "wat": "what",
    "wot": "what",
    "whats": "what",
    "thats": "that",
    "wheres": "where",
    "whos": "who",
    "hows": "how",
    "wich": "which",
    "whcih": "which",
    "whitch": "which",
    "moer": "more",
    "mroe": "more",
    "thru": "through",
    "avge": "average",
    "nr": "number",
    "nbr": "number",
    "b4": "before",
    "pls": "please",
    "plz": "please",
}
"""Slips and short forms that are too short, or too far off, to be told by their letters."""

_SHORT, _LONG = 4, 8
_KNOWN = frozenset((*CORRECTED, *STOP_WORDS, *PRESENTATION, *NUMBER_WORDS, *REAL_WORDS))


@lru_cache(maxsize=20_000)
def nearest(word: str) -> str:
    """The word of the grammar that a lower-case word is misspelt for; empty where it is none.

    The first letter is right, or has changed places with the second; of two words as near as each
    other neither is meant.
    """
    if word in USUAL:
        return USUAL[word]
    if word in _KNOWN or len(word) < 3 or not word.isalpha() or not word.isascii():
        return ""
    found = sorted((far, target) for target in CORRECTED if (far := _slips(word, target)))
    if not found or (len(found) > 1 and found[1][0] == found[0][0]):
        return ""
    return found[0][1]


def _slips(word: str, target: str) -> int:
    """How many letters were left out, doubled, mistaken or changed places; 0 where too many."""
    begins = word[0] == target[0] or word[:2] == target[1::-1]
    if not begins or abs(len(word) - len(target)) > 2:
        return 0
    if sorted(word) == sorted(target) and OSA.distance(word, target) == 1:
        return 1
    if min(len(word), len(target)) < _SHORT:
        return 0
    most = 2 if len(target) >= _LONG else 1
    far = OSA.distance(word, target, score_cutoff=most)
    return far if far <= most else 0
