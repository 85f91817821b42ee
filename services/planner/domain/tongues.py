"""Which language a question is in, and which of its words say nothing by themselves.

Scripts and function words are enough, and need nothing to be installed: Chinese is known by its
characters; of the others, the one whose function words a question has most of, and more of than of
English ones. The words are a choice from the stop-word lists of the Snowball project
(snowballstem.org) and question words; what denies, compares or counts ("nicht", "moins", "sin")
is not silent, for a statement must do something about it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

ENGLISH, CHINESE = "en", "zh"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


_SILENT: Mapping[str, frozenset[str]] = {
    "de": _words(
        """der die das den dem des ein eine einen einem einer eines und in im am an auf aus bei mit
        von vom zu zum zur für nach pro je wie viel viele wieviel wieviele welche welcher welches
        welchen welchem was wer wen wem wo wann ist sind war waren wurde wurden werden wird hat
        haben hatte hatten gab gibt gebe es mir uns wir ich du sie er ihr ihre ihren ihrer ihrem
        sein seine seinen bitte zeige zeig liste sich dass da dort davon dabei deren dessen denen
        hoch kam kamen kommt kommen lag liegt denn so auch"""
    ),
    "fr": _words(
        """le la les l d de du des un une et en au aux à a ont avait avaient est sont était étaient
        par pour avec dans sur chaque quel quelle quels quelles qui que qu quoi où quand comment
        combien se s il elle ils elles nous vous je tu y eu été fait font ce cet cette ces leur
        leurs son sa ses notre nos montre montrez donne donnez liste moi t"""
    ),
    "es": _words(
        """el la los las lo un una unos unas y e de del al a en con por para que es son fue fueron
        era eran ha han hay hubo había se su sus nos me cada cuál cuáles cual cuales qué quién
        quiénes quien cuánto cuánta cuántos cuántas cuanto cuantos cuantas cómo cuándo dónde donde
        este esta estos estas muestra muéstrame dame lista tiene tienen tuvo tuvieron hizo
        hicieron ellos ella"""
    ),
}
"""By language, words that say nothing of their own."""
_TELLING: Mapping[str, frozenset[str]] = {
    "de": _words("ohne nicht kein keine mehr als jahr monat anzahl umsatz alle durchschnitt"),
    "fr": _words("sans ne n pas jamais plus moins nombre pays année mois tous toutes"),
    "es": _words("sin no nunca más menos número país año mes todos todas ventas"),
}
"""Words that say something, and by which a language is known as well."""
_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "de": ("ung", "ungen", "en", "keit", "heit", "ß"),
    "fr": ("és", "ée", "ées", "eur", "eurs", "aux", "ent", "elle"),
    "es": ("os", "as", "ción", "ron", "dad", "ía", "ías"),
}
"""How words end: this parts languages that share their function words."""
_ENGLISH = _words(
    """the of and in to a an is are was were what which who how many much each by for with from on
    at per there did do does have has had show list give me all it its that this or vs versus than
    not no without total average mean median number count top highest lowest most least sales
    year month week day between over time as if whether my our their they we i you can could
    be please"""
)
_SILENT_HAN = frozenset(
    "的了是在有和与及从到由其该这那个位名多少哪些什么怎么样吗呢啊吧请给我们你列出显示各每几为于里"
)
"""Chinese particles, measure words, question words and requests, character by character."""
_HAN, _WORD = re.compile(r"[㐀-䶿一-鿿]"), re.compile(r"[^\W\d_]+")
_KANA_OR_HANGUL = re.compile(r"[぀-ヿ가-힯]")
_NAMES = {"de": "German", "fr": "French", "es": "Spanish", CHINESE: "Chinese"}


def language_of(text: str, fewest: int = 1) -> str:
    """de, fr, es or zh; en for English and whatever has fewer than so many words of another, or as
    many English ones."""
    written = _WORD.findall(text)
    # A capital in the middle begins a name: Los Angeles, Rio de la Plata.
    words = [word.casefold() for n, word in enumerate(written) if n == 0 or word[0].islower()]
    english = sum(word in _ENGLISH for word in words)
    if _HAN.search(text):
        mixed = english > 1 or _KANA_OR_HANGUL.search(text)
        return ENGLISH if mixed else CHINESE
    found = {
        name: sum(word in silent or word in _TELLING[name] for word in words)
        for name, silent in _SILENT.items()
    }
    looks = {name: sum(word.endswith(ends) for word in words) for name, ends in _ENDINGS.items()}
    best = max(found, key=lambda name: (found[name], looks[name]))
    return best if found[best] >= fewest and found[best] > english else ENGLISH


def named(language: str) -> str:
    """A language as people call it in English."""
    return _NAMES.get(language, "English")


def is_silent(word: str, language: str) -> bool:
    """Whether a word of a question in that language says nothing by itself."""
    if language == CHINESE:
        return bool(word) and all(character in _SILENT_HAN for character in word)
    return word.casefold() in _SILENT.get(language, ())


def is_han(text: str) -> bool:
    """Whether a text has Chinese characters in it."""
    return _HAN.search(text) is not None
