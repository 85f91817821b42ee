"""What a follow-up changed: the difference of two statements, in people's words.

Derived from the statements alone, whatever was said of them. A part that is gone although the new
words neither put another in its place nor take it back is a doubt: so a split or a condition of
before is not lost unseen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.checks.asked import lower_words
from services.planner.domain.proposals.parts import Part, PartKind, parts_of

_TAKES_BACK = frozenset(
    "instead rather forget back single one total totals altogether overall together sum all every "
    "any everything everyone everywhere whole both full again undo".split()
)
"""Words that take back something that stood before."""
_LEAVES_OUT = frozenset("not no without drop remove leave out skip ignore exclude".split())
"""So do these, unless it is values that they leave out."""
_ANOTHER = frozenset("now about same for what how".split())
"""Words behind which another value takes the place of one, whatever column it is of."""
_EDIT_TEXTS: dict[PartKind, tuple[str, str]] = {
    "number": ("", "without {}"),
    "split": ("by ", "not by {}"),
    "condition": ("", "without {}"),
    "limit": ("", "not only {}"),
    "order": ("ordered by ", ""),
}
_LOSABLE: tuple[PartKind, ...] = ("split", "condition", "limit")


@dataclass(frozen=True)
class Edit:
    """Parts of a later statement that an earlier one has not, and the other way round."""

    added: tuple[Part, ...] = ()
    dropped: tuple[Part, ...] = ()

    @property
    def description(self) -> str:
        """For people: "as before, but average Freight instead of total Freight"."""
        changes = list(dict.fromkeys(filter(None, self._changes())))
        return "as before, but " + ", ".join(changes) if changes else "as before"

    def lost(self, words: str) -> tuple[str, ...]:
        """What is gone though these new words do not say so."""
        texts = frozenset(lower_words(words))
        return tuple(
            _without(part)
            for part in self.dropped
            if part.kind in _LOSABLE and not self._is_replaced(part, texts)
        )

    def _is_replaced(self, part: Part, texts: frozenset[str]) -> bool:
        added = {one.kind for one in self.added}
        if texts & _TAKES_BACK or (texts & _LEAVES_OUT and "condition" not in added):
            return True
        others = [one for one in self.added if one.kind == part.kind]
        if part.kind == "condition":
            return bool(others) and (
                any(part.columns & one.columns for one in others) or bool(texts & _ANOTHER)
            )
        return bool(others)

    def _changes(self) -> Iterator[str]:
        for kind in _EDIT_TEXTS:
            added = [one for one in self.added if one.kind == kind]
            dropped = [one for one in self.dropped if one.kind == kind]
            for one in list(added):
                place = _place_of(one, dropped) if kind != "order" else None
                if place is not None:
                    added.remove(one)
                    dropped.remove(place)
                    yield f"{_with(one)} instead of {_with(place)}"
            yield from map(_with, added)
            yield from map(_without, dropped)


def edit_of(before: str, after: str, catalogue: Catalogue) -> Edit:
    """How a statement differs from the one before; nothing where either cannot be taken apart."""
    old, new = parts_of(before, catalogue), parts_of(after, catalogue)
    if not old or not new:
        return Edit()
    had, has = {(p.kind, p.text) for p in old}, {(p.kind, p.text) for p in new}
    return Edit(
        tuple(p for p in new if (p.kind, p.text) not in had),
        tuple(p for p in old if (p.kind, p.text) not in has),
    )


def _place_of(one: Part, dropped: Sequence[Part]) -> Part | None:
    """What a part takes the place of: one about the same column, else the only one there is."""
    same = [old for old in dropped if old.columns & one.columns]
    if one.kind == "condition":
        return same[0] if same else None
    return same[0] if same else dropped[0] if len(dropped) == 1 else None


def _with(part: Part) -> str:
    return f"{_EDIT_TEXTS[part.kind][0]}{part.wording}"


def _without(part: Part) -> str:
    return _EDIT_TEXTS[part.kind][1].format(part.wording)
