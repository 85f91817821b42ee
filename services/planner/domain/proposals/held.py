"""The question that an edited statement is held to: all that was asked so far, but what the edit
took back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from services.planner.domain.checks.asked import DISTINCT, DOWN, MEAN, SHARE, TOTAL, UP
from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.proposals.unbound import names_of
from services.planner.domain.statements.parsing import statement
from services.planner.domain.statements.proposal import Proposal

_WORD = re.compile(r"[^\W_]+")
_ENDS = frozenset("top bottom first last best worst".split())
_AGGREGATE_WORDS: tuple[tuple[tuple[type[exp.Expr], ...], frozenset[str]], ...] = (
    ((exp.Sum,), TOTAL),
    ((exp.Avg,), MEAN),
    ((exp.Count,), frozenset("many number count".split())),
    ((exp.Distinct,), DISTINCT),
    ((exp.Div, exp.Window), SHARE),
    ((exp.Limit, exp.Max, exp.Min), DOWN | UP | _ENDS),
)
"""Words that a kind of node is said by."""
_CONTRAST = re.compile(
    r"\W*\b(?:not|instead of|in place of|rather than|no longer)\b((?:[^\S\n]+[^\W_]+){1,4}?)"
    r"(?=\s*(?:[,.;:!?\n]|$|\bbut\b))",
    re.IGNORECASE,
)
"""Words that are set aside, behind what sets them aside."""
_CALENDAR = (exp.Year, exp.Quarter, exp.Month, exp.Week, exp.Day)


def held_to(texts: Sequence[str], before: str, after: str, proposal: Proposal | None = None) -> str:
    """What was said in order, as one text, without words that only the statement `before` was about
    and the one `after` is not; `proposal` is that of before, whose bindings say more of words."""
    *earlier, now = texts
    gone = _gone(before, after, proposal) if before else frozenset[str]()
    kept = [" ".join(w for w in text.split() if not _is_gone(w, gone)) for text in earlier]
    return "\n".join((*kept, _without_contrast(now, gone)))


def find_current_text(now: str, before: str, after: str, proposal: Proposal | None = None) -> str:
    """What is said now without what it sets aside: "the mean, not the sum" is about the mean, where
    only the statement `before` had a sum."""
    return _without_contrast(now, _gone(before, after, proposal))


def _without_contrast(now: str, gone: frozenset[str]) -> str:
    def left(found: re.Match[str]) -> str:
        pieces = [p.casefold() for p in _WORD.findall(found[1]) if p.casefold() not in STOP_WORDS]
        return "" if pieces and all(p in gone or stem(p) in gone for p in pieces) else found[0]

    return _CONTRAST.sub(left, now).strip()


def _is_gone(word: str, gone: frozenset[str]) -> bool:
    pieces = [piece.casefold() for piece in _WORD.findall(word)]
    return bool(pieces) and all(piece in gone or stem(piece) in gone for piece in pieces)


def _gone(before: str, after: str, proposal: Proposal | None) -> frozenset[str]:
    old, new = names_of(before), names_of(after)
    bound = _unbound_now(proposal, after) if proposal is not None else frozenset[str]()
    return ((old | bound | _spoken(before)) - new) - _spoken(after)


def _unbound_now(proposal: Proposal, after: str) -> frozenset[str]:
    """Words whose fragments the later statement has no more, nor any that others are bound to."""
    written = _plain(after)
    gone, kept = set[str](), set[str]()
    for one in proposal.bindings:
        there = bool(one.fragment.strip()) and _plain(one.fragment) in written
        (kept if there else gone).update(w.casefold() for w in _WORD.findall(one.words))
    return frozenset(gone - kept)


def _plain(text: str) -> str:
    return re.sub(r'[\s"]', "", text).casefold()


def _spoken(text: str) -> frozenset[str]:
    tree = statement(text)
    if tree is None:
        return frozenset()
    found = {w for kinds, words in _AGGREGATE_WORDS if tree.find(*kinds) is not None for w in words}
    found.update(unit.name.casefold() for unit in tree.find_all(exp.Var))
    found.update(node.key for node in tree.find_all(*_CALENDAR))
    return frozenset(found)
