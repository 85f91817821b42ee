"""What a request may see: a whitelist of columns, and patterns of personal data.

A blocked pattern works in three places with one meaning. A column whose *name* matches does not
exist for the request: it is in no description and in no view, and naming it is refused. A text
*cell* that matches is replaced as a whole by a pseudonym before a query sees it, so no function can
take it apart while joins, groups and distinct counts stay right (`mesh.pseudonym`). A *question*
that matches is refused by whoever receives it, with `Policy.match`, and kept as `Policy.masked`.

Digits alone are personal data or not as a whole column: `Policy.blocked_digits`.

Not bounded: of a column of numbers that is not one of personal data no cell is searched, so that
an amount which happens to be a card's number stays one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property

from pydantic import BaseModel, ConfigDict, field_validator

from mesh.canonical import canonical_json
from mesh.digest import sha256_hex
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.pseudonym import HIDDEN, MASK, OTHER
from mesh.recognising import ODD, RECOGNISERS
from mesh.recognising.columns import words_of
from mesh.recognising.folding import TELLING

__all__ = ["MASK", "NAMED_PATTERNS", "Disclosure", "Policy"]

NAMED_PATTERNS = tuple(RECOGNISERS)
"""Names that a blocked pattern may have; any other text is a regular expression."""

_LEAST_DIGITS = 6
"""A shorter number is no sign of what an expression is meant for."""

_TELLING = re.compile(TELLING, re.IGNORECASE)


class Disclosure(StrEnum):
    """What of the data a language model may be told, each level with all of those before it.

    `names`: names and types of tables and columns, and what people wrote of them. `values`: how
    many rows there are, ranges, frequent values, and values that a question may mean. `shapes`: of
    results how many rows they have, ranges and shares of empty cells. `results`: a few of their
    rows. What a policy hides is told at no level.
    """

    NAMES = "names"
    VALUES = "values"
    SHAPES = "shapes"
    RESULTS = "results"

    def allows(self, wanted: Disclosure) -> bool:
        """Whether what needs the level `wanted` may be told."""
        return _LEVELS.index(self) >= _LEVELS.index(wanted)

    def within(self, other: Disclosure) -> Disclosure:
        """The lower of two levels."""
        return self if other.allows(self) else other


_LEVELS = tuple(Disclosure)


class Policy(BaseModel):
    """Safety and access rules of one request (seed 000).

    `allowed_columns` holds `column` or `table.column`, case ignored; empty allows all.
    `blocked_patterns` holds names of NAMED_PATTERNS or regular expressions, case ignored.
    `disclosure` is the most that a language model may be told; whoever runs the planner may have
    set it lower.
    Raises AssayError(INVALID_ARGUMENT) for an expression that cannot be compiled.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    allowed_columns: tuple[str, ...] = ()
    blocked_patterns: tuple[str, ...] = ()
    disclosure: Disclosure = Disclosure.RESULTS

    @field_validator("blocked_patterns")
    @classmethod
    def _compiles(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            if pattern in NAMED_PATTERNS:
                continue
            try:
                if re.compile(pattern).search(""):
                    raise _bad_pattern(pattern, "it matches the empty text, so everything")
            except re.error as error:
                raise _bad_pattern(pattern, f"{error.msg} at position {error.pos}") from None
        return patterns

    @cached_property
    def key(self) -> str:
        """A digest of the rules on data: policies that hide the same have equal keys."""
        rules = self.model_dump(mode="json", exclude={"disclosure"})
        return sha256_hex(canonical_json(rules))

    @property
    def own_expressions(self) -> tuple[str, ...]:
        """The blocked patterns that are regular expressions of the caller's."""
        return tuple(p for p in self.blocked_patterns if p not in RECOGNISERS)

    @cached_property
    def suspect(self) -> str:
        """An expression that matches every text which a named pattern may match, and few others;
        case ignored. Python, RE2 and PostgreSQL read it alike."""
        named = [RECOGNISERS[p].suspect for p in self.blocked_patterns if p in RECOGNISERS]
        return "|".join([*dict.fromkeys(named), ODD, HIDDEN] if named else [HIDDEN])

    def column_allowed(self, table: str, column: str) -> bool:
        """Whether the column exists for this request; a name that is personal data hides it."""
        words = words_of(column)
        if any(e.search(column) or (p in RECOGNISERS and e.search(words)) for p, e in self._names):
            return False
        if self.match(column):
            return False
        return not self._allowed or bool(
            {column.casefold(), f"{table}.{column}".casefold()} & self._allowed
        )

    def match(self, text: str) -> str | None:
        """The first blocked pattern, as it was given, that the text holds; None if it is clean."""
        suspected = _TELLING.search(text) is not None
        for pattern, expression in self._texts:
            if expression is not None:
                if expression.search(text):
                    return pattern
            elif suspected and RECOGNISERS[pattern].holds(text):
                return pattern
        return None

    def blocked_digits(
        self, kinds: Sequence[str], examples: Sequence[str | None]
    ) -> tuple[str, ...]:
        """The kinds of pseudonyms for cells of a column whose plain digits are of these `kinds`.

        `examples` are numbers of the column: an expression of the caller's that matches the whole
        of one, of six digits and more, blocks it too. Empty for a column that stays as it is.
        """
        blocked = [kind for kind in kinds if kind in self.blocked_patterns]
        long = [text.removesuffix(".0") for text in examples if text]
        if any(
            expression.fullmatch(text)
            for _, expression in self._texts
            if expression is not None
            for text in long
            if len(text) >= _LEAST_DIGITS and text.isdecimal()
        ):
            blocked.append(OTHER)
        return tuple(blocked)

    def kind(self, text: str) -> str | None:
        """The kind of pseudonym that stands for a cell; None for one that is shown."""
        found = self.match(text)
        if found is None:
            forged = self.blocked_patterns and re.search(HIDDEN, text)
            return OTHER if forged else None
        return found if found in RECOGNISERS else OTHER

    def is_personal(self, name: str) -> bool:
        """Whether a name of something is itself what a named pattern blocks."""
        return self.kind(name) in RECOGNISERS

    def masked(self, text: str) -> str:
        """The text without what a blocked pattern matches: word for word if that is enough."""
        if self.match(text) is None:
            return text
        words = [MASK if self.match(part) else part for part in re.split(r"(\s+)", text)]
        left = "".join(words)
        return left if self.match(left) is None else MASK

    @cached_property
    def _allowed(self) -> frozenset[str]:
        return frozenset(name.strip().casefold() for name in self.allowed_columns)

    @cached_property
    def _names(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        """Each pattern as given, and what names of columns it takes away match."""
        return tuple(
            (p, re.compile(RECOGNISERS[p].names if p in RECOGNISERS else p, re.IGNORECASE))
            for p in self.blocked_patterns
        )

    @cached_property
    def _texts(self) -> tuple[tuple[str, re.Pattern[str] | None], ...]:
        """Each pattern as given, and its expression; None for one that has a recogniser."""
        return tuple(
            (p, None if p in RECOGNISERS else re.compile(p, re.IGNORECASE))
            for p in self.blocked_patterns
        )


def _bad_pattern(pattern: str, why: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"blocked pattern {pattern!r} cannot be used: {why}.",
        hint="Write a regular expression, or one of " + ", ".join(NAMED_PATTERNS) + ".",
        fields={"policy.blocked_patterns": why},
    )
