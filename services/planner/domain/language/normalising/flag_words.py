"""Words for those of whom a column says yes: "smokers", "survivors and non-survivors".

A column says yes or no where it holds 1 and 0, or "yes" and "no" and the like.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.catalogue import Catalogue, Column
from services.planner.domain.language.linking.mention import flag_value
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.query.columns import numeric

_LEAST = 4
_W = r"[^\W\d_]"
_BOTH = re.compile(
    r"(?:\b(?:of|between|for|from|among|by|in|across) )?(?:\bthe )?"
    rf"(?:\b{_W}+ (?:who|that|which) (?:were |was |are |have |had )?|\b{_W}+s that )?"
    rf"\b(?P<yes>{_W}{{4,}})(?: {_W}+)?,? (?:and|versus|vs\.?|or|from|than)(?: from)? (?:the )?"
    rf"(?:those |ones |{_W}+ )?(?:(?:who|that|which) )?"
    r"(?:did |were |was |are |have |had |has |do )?(?:non[- ]?|not )(?:yet |been )?"
    rf"(?P<no>{_W}{{4,}})(?: {_W}+s(?=\s*(?:[.,;?]|$)))?",
    re.IGNORECASE,
)
_AMONG = re.compile(
    rf"\b(?:among|amongst|for|only)(?: (?:the|all|only))* (?P<who>{_W}{{4,}}(?:e|o)rs)\b"
    r"(?! (?:and|or|versus|vs) )",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"\b(?P<how>how many|number of|count of)(?: (?:the|all))* (?P<who>{_W}{{4,}}(?:e|o)rs)\b"
    r"(?: (?:are|were) there)?(?! (?:and|or|versus|vs) )",
    re.IGNORECASE,
)
_MEAN_OF = re.compile(
    r"(?P<lead>\b(?:mean|average|median|minimum|maximum|sum|total|standard deviation)\b"
    r"[^.,;?]{1,40}?)"
    rf" of (?:(?:the|all) )?(?P<who>{_W}{{4,}}(?:e|o)rs)\b(?! (?:and|or|versus|vs|who|that) )",
    re.IGNORECASE,
)
_SHARE_OF = re.compile(
    r"\b(?:percentage|percent|proportion|share|fraction|rate) of (?:(?:the|all) )?"
    rf"(?P<who>{_W}{{4,}}(?:e|o)rs)\b(?! (?:who|that|which|are|were|is|have|had|with|in|among) )",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"\b(?:percentage|percent|proportion|share|fraction) of (?:the )?(?P<who>[^,.?;]{1,60}?)"
    r"(?: (?:who|that|which))?(?: (?:are|is|were|was))(?: an?)? "
    rf"(?P<word>{_W}{{4,}})(?=\s*(?:[,.?;]|$|\b(?:by|per|for|in|among|at|where|when|across)\b))",
    re.IGNORECASE,
)
_SHARES = re.compile(r"\b(?:percentage|percent|proportion|share|fraction)s? of\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Flag:
    column: str
    stem: str
    yes: str
    numbers: bool

    @property
    def where(self) -> str:
        return f"where {self.column} = {self.yes}"


def flags_in_words(question: str, catalogue: Catalogue) -> str:
    """The question with such words put as conditions, or as a split by the column."""
    if len(catalogue.tables) != 1:
        return question
    flags = [f for c in catalogue.tables[0].columns if (f := _flag(c)) is not None]
    if not flags:
        return question

    def both(match: re.Match[str]) -> str:
        flag = _said(match.group("yes"), flags)
        same = flag is not None and flag == _said(match.group("no"), flags)
        return f" by {flag.column}" if same and flag is not None else match.group()

    def among(match: re.Match[str]) -> str:
        flag = _said(match.group("who"), flags)
        return match.group() if flag is None else flag.where

    def counted(match: re.Match[str]) -> str:
        flag = _said(match.group("who"), flags)
        return match.group() if flag is None else f"{match.group('how')} rows {flag.where}"

    def mean(match: re.Match[str]) -> str:
        flag = _said(match.group("who"), flags)
        return match.group() if flag is None else f"{match.group('lead')} for rows {flag.where}"

    question = re.sub(r"\s{2,}", " ", _BOTH.sub(both, question))
    shared = _as_shares(question, flags)
    if shared != question or _SHARES.search(question):
        return shared
    return _MEAN_OF.sub(mean, _COUNTED.sub(counted, _AMONG.sub(among, question)))


def _as_shares(question: str, flags: Sequence[_Flag]) -> str:
    """A share of those of whom a text says yes is the average of a column of 1 and 0."""
    plain, match = _SHARE_OF.search(question), _SHARE.search(question)
    of_texts = [f for f in flags if not f.numbers]
    flag = _said(plain.group("who"), flags) if plain else None
    if plain is not None and flag is not None:
        return _averaged(question, plain, flag, "")
    flag = _said(match.group("word"), of_texts) if match else None
    if match is None or flag is None:
        return question
    return _averaged(question, match, flag, f" of {match.group('who')}")


def _averaged(question: str, match: re.Match[str], flag: _Flag, who: str) -> str:
    before, after = question[: match.start()], question[match.end() :]
    if flag.numbers:
        return f"{before}average {flag.column}{who}{after}"
    name = f"share with {flag.column}"
    return (
        f"Create a column '{name}' that is 1 if {flag.column} equals '{flag.yes}' and 0 otherwise. "
        f"{before}mean {name}{who}{after}"
    )


def _said(word: str, flags: Sequence[_Flag]) -> _Flag | None:
    """The flag that a word is made from."""
    return next((f for f in flags if word.lower().startswith(f.stem)), None)


def _flag(column: Column) -> _Flag | None:
    words = name_words(column.name)
    if len(words) != 1 or len(words[0]) < _LEAST or column.distinct != 2:
        return None
    if numeric(column.data_type):
        ends = (column.minimum, column.maximum)
        known = ends in (("0", "1"), ("0.0", "1.0"))
        return _Flag(column.name, words[0], "1", numbers=True) if known else None
    yes = flag_value(column.samples)
    return _Flag(column.name, words[0], yes, numbers=False) if yes is not None else None
