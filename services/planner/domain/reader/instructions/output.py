"""How the answer is wanted: names of figures, their decimals, and the words of a verdict."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from services.planner.domain.lexicon.stop_words import NUMBER_WORDS
from services.planner.domain.reader.instructions.sentences import Sentence
from services.planner.domain.reader.instructions.vocabulary import concepts, words_in

_SLOT = re.compile(r"[\"'`]?@(?P<name>\w+)\s*\[(?P<hint>[^\]]*)\][\"'`]?")
_WHERE = re.compile(
    r"[,;]?\s*(?:\band\s+)?(?:\bwhere\s+)?[\"'“‘](?P<hint>[\w ]+)[\"'”’]\s+"
    r"(?P<said>(?:is|are|should be|must be|will be|represents?|has|have|denotes?)\b.*?)"
    r"(?=[,;]?\s+(?:and\s+)?[\"'“‘][\w ]+[\"'”’]\s+(?:is|are|should|must|will|represents?)\b"
    r"|[.?!](?=\s|$)|$)",
    re.IGNORECASE | re.DOTALL,
)
_PLAIN_WHERE = re.compile(
    r"[,;]?\s*\bwhere\s+(?P<hint>\w{1,30})\s+(?P<said>(?:is|has)\b[^@.]*?)(?=[.?!;](?=\s|$)|$)",
    re.IGNORECASE,
)
_NUMBER = rf"(?:\d+|{'|'.join(NUMBER_WORDS)})"
_DECIMALS = re.compile(rf"\b({_NUMBER})[- ](?:decimals?|digits?)\b", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:integers?|whole numbers?)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"'“‘]([\w ]{1,30})[\"'”’]")
_BOOLEAN = re.compile(r"\bboolean\b|\btrue\b.{0,12}\bfalse\b", re.IGNORECASE)
_YES_NO = re.compile(r"\byes\b.{0,12}\bno\b", re.IGNORECASE)
_PAIR = re.compile(
    r"[\"'“‘](?P<one>[\w ]{1,30})[\"'”’]\s*(?:or|/|,)\s*[\"'“‘](?P<other>[\w ]{1,30})[\"'”’]"
)
_BARE_PAIR = re.compile(r"\b(?P<one>yes|true)\s*(?:or|/)\s*(?P<other>no|false)\b", re.IGNORECASE)
_OPTION = re.compile(r"\s*(?:/|\||\bor\b)\s*", re.IGNORECASE)
_LEADS = re.compile(
    r"(?:\b(?:the )?(?:answer|output|result|response|final)?\s*(?:format|in the form|as follows)"
    r"\s*:?|\bformat\s*:|\b(?:as|answer with|report as|return)\s*:?)\s*$",
    re.IGNORECASE,
)
_CORE = (
    r"(?:to |with |in |as |at |have |has )*(?:a number with )?(?:(?:the )?nearest )?"
    r"(?:⟨n(?P<place>\d+)⟩ (?:decimals?|digits?)(?: (?:places?|points?|digits?))?"
    r"(?: after the decimal point)?|(?P<whole>(?:whole numbers?|integers?)))"
    r"(?: (?:each|both|all))?(?: in all cases)?"
)
_TO_AND = re.compile(
    r"(?P<one>\S+(?: \S+)?) to ⟨n(?P<first>\d+)⟩ and (?P<two>\S+(?: \S+)?) to ⟨n(?P<second>\d+)⟩ "
    r"decimals?(?: places?)?"
)
_ONLY_ROUNDING = re.compile(r"^(?:please |and |then )*(?:round|express)\w*\b[^⟨]*·[^⟨]*$")
_LOOSE = re.compile(r"\b(?:round\w*|give|report|off|should|be)\b")


@dataclass(frozen=True)
class Slot:
    """A name under which a figure is asked for; `options` are the words of a verdict."""

    name: str
    hint: str = ""
    wording: str = ""
    decimals: int | None = None
    options: tuple[str, str] | None = None

    @property
    def text(self) -> str:
        """Name and hint as words."""
        return f"{words_in(self.name)} {words_in(self.hint)} {self.wording.lower()}"


@dataclass
class Rounding:
    """Decimals by what they are said of; those of "" hold for all others."""

    of: dict[str, int] = field(default_factory=dict)

    def decimals(self, texts: frozenset[str]) -> int | None:
        """Those of a figure of these concepts."""
        own = [places for concept, places in self.of.items() if concept in texts]
        return own[0] if own else self.of.get("")


def slots_of(question: str) -> tuple[tuple[Slot, ...], str]:
    """The names asked for, and the question without them and what is said of them."""
    described: list[tuple[str, str]] = []
    rest = question
    hints = {key for match in _SLOT.finditer(question) for key in _keys(match.group("hint"))}
    for pattern in (_WHERE, _PLAIN_WHERE):
        for match in reversed(list(pattern.finditer(rest))):
            if match.group("hint").lower() in hints:
                described.append((match.group("hint").lower(), match.group("said")))
                rest = f"{rest[: match.start()]} {rest[match.end() :]}"
    slots: list[Slot] = []
    kept, last = "", 0
    verdict = _find_options(rest)
    for match in _SLOT.finditer(rest):
        hint = match.group("hint")
        sentence = " ".join(text for name, text in described if name in _keys(hint))
        slot = _slot(match.group("name"), hint, sentence)
        if slot.options is None and slot.decimals is None and not concepts(slot.text):
            slot = replace(slot, options=verdict)
        slots.append(slot)
        kept += _LEADS.sub("", rest[last : match.start()])
        last = match.end()
    return tuple(slots), kept + rest[last:]


def _find_options(question: str) -> tuple[str, str] | None:
    """Two words of which one is to be answered, where the question tells them outside a name."""
    text = _SLOT.sub(" ", question)
    pair = _PAIR.search(text)
    if pair is not None:
        return pair.group("one"), pair.group("other")
    yes_no = _BARE_PAIR.search(text)
    return (yes_no.group("one"), yes_no.group("other")) if yes_no is not None else None


def _keys(hint: str) -> set[str]:
    words = hint.lower().strip()
    return {words, words.replace("_", " ")}


def _slot(name: str, hint: str, sentence: str) -> Slot:
    text = f"{hint} {sentence}"
    places = _DECIMALS.search(text)
    decimals = int(_count(places.group(1))) if places else 0 if _WHOLE.search(text) else None
    return Slot(name, _DECIMALS.sub("", hint), sentence, decimals, options_in(text, hint))


def _count(word: str) -> float:
    return NUMBER_WORDS[word.lower()] if word.lower() in NUMBER_WORDS else float(word)


def options_in(text: str, hint: str = "") -> tuple[str, str] | None:
    """The two words of which one is wanted, in the order told; None where there are none."""
    parts = [p.strip(" '\"") for p in _OPTION.split(hint)]
    if len(parts) == 2 and all(re.fullmatch(r"[A-Za-z][A-Za-z -]{0,30}", p) for p in parts):
        return parts[0], parts[1]
    if _BOOLEAN.search(text):
        return "True", "False"
    if _YES_NO.search(text):
        yes = re.search(r"\byes\b", text, re.IGNORECASE)
        no = re.search(r"\bno\b", text, re.IGNORECASE)
        return (yes.group(), no.group()) if yes and no else None
    quoted = list(dict.fromkeys(_QUOTED.findall(text)))
    return (quoted[0], quoted[1]) if len(quoted) == 2 else None


def read_rounding(sentences: Sequence[Sentence]) -> Rounding:
    """The decimals asked for; the words that say so are taken out of the sentences."""
    found = Rounding()
    for sentence in sentences:
        for match in list(_TO_AND.finditer(sentence.text)):
            for text, place in (("one", "first"), ("two", "second")):
                number = sentence.marks[f"⟨n{match.group(place)}⟩"].number
                for concept in concepts(match.group(text)):
                    found.of[concept] = int(number)
            sentence.cut(match)
        while (core := re.search(rf"(?<!\S){_CORE}(?!\S)", sentence.text)) is not None:
            _add(found, sentence, core)
            sentence.cut(core)
            if _ONLY_ROUNDING.search(sentence.text):
                sentence.text = "·"
    return found


def _add(found: Rounding, sentence: Sentence, match: re.Match[str]) -> None:
    text = sentence.text[: match.start()].rstrip()
    before = re.split(r"[,(.:;·]", text)[-1]
    if text.endswith("("):
        before = re.split(r"[,(.:;·]| and ", text.rstrip(" ("))[-1]
    texts = concepts(_LOOSE.sub(" ", before))
    places = 0
    if match.group("place") is not None:
        places = int(sentence.marks[f"⟨n{match.group('place')}⟩"].number)
    every = re.search(r"\b(?:each|both|all)\b", f"{before} {match.group()}")
    for concept in [""] if every or not texts else texts:
        found.of.setdefault(concept, places)
