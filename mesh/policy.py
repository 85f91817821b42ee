"""What a request may see: a whitelist of columns, and patterns of personal data.

A blocked pattern works in three places with one meaning. A column whose *name* matches does not
exist for the request: it is in no description and in no view, and naming it is refused. A text
*cell* that matches is replaced by a pseudonym before a query sees it, so no function can take it
apart while joins and distinct counts stay right, and by `[blocked]` in every result. A *question*
that matches is refused by whoever receives it, with `Policy.match`.

Not bounded: numbers are not searched (a telephone number stored as an integer passes unless its
column's name is blocked).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from pydantic import BaseModel, ConfigDict, field_validator

from mesh.digest import canonical_json, sha256_hex
from mesh.errors import INVALID_ARGUMENT, AssayError

MASK = "[blocked]"


@dataclass(frozen=True, slots=True)
class PatternOfPersonalData:
    """A named pattern: one expression for column names, one for text."""

    names: str
    text: str


# Written in the syntax that Python and RE2 share, because both evaluate them.
NAMED_PATTERNS: dict[str, PatternOfPersonalData] = {
    "email": PatternOfPersonalData(
        r"e[-_ ]?mail", r"[a-z0-9._%+-]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}"
    ),
    "phone": PatternOfPersonalData(
        r"phone|(^|[_ ])(fax|tel|mobile)([_ ]|$)",
        r"\+\d{1,3}([ ./-]?\(?\d{1,5}\)?){2,5}|\(\d{2,5}\) ?\d{3,4}[ .-]?\d{3,4}"
        r"|\b\d{3}[ .-]\d{3}[ .-]\d{4}\b|\b0\d{2,4}[ /-]\d{3,4}[ -]?\d{3,4}\b"
        r"|\b0\d([ .-]\d{2}){4}\b",
    ),
    "ssn": PatternOfPersonalData(
        r"(^|[_ ])ssn([_ ]|$)|social[-_ ]?security", r"\b\d{3}-\d{2}-\d{4}\b"
    ),
    "credit_card": PatternOfPersonalData(
        r"(credit|debit)[-_ ]?card|card[-_ ]?(no|num)", r"\b\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,7}\b"
    ),
    "iban": PatternOfPersonalData(r"iban", r"\b[a-z]{2}\d{2} ?([a-z0-9]{4} ?){2,7}[a-z0-9]{1,4}\b"),
    "ip": PatternOfPersonalData(
        r"(^|[_ ])ip([_ ]|$)|ip[-_ ]?addr",
        r"\b((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)\b",
    ),
}


class Policy(BaseModel):
    """Safety and access rules of one request (seed 000).

    `allowed_columns` holds `column` or `table.column`, case ignored; empty allows all.
    `blocked_patterns` holds names of NAMED_PATTERNS or regular expressions, case ignored.
    Raises AssayError(INVALID_ARGUMENT) for an expression that cannot be compiled.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    allowed_columns: tuple[str, ...] = ()
    blocked_patterns: tuple[str, ...] = ()

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
        """A digest of the rules: equal policies have equal keys."""
        return sha256_hex(canonical_json(self.model_dump(mode="json")))

    @property
    def text_expressions(self) -> tuple[str, ...]:
        """The blocked expressions for text, in the order given."""
        return tuple(
            NAMED_PATTERNS[p].text if p in NAMED_PATTERNS else p for p in self.blocked_patterns
        )

    def column_allowed(self, table: str, column: str) -> bool:
        """Whether the column exists for this request."""
        if any(expression.search(column) for expression in self._names):
            return False
        return not self._allowed or bool(
            {column.casefold(), f"{table}.{column}".casefold()} & self._allowed
        )

    def match(self, text: str) -> str | None:
        """The first blocked pattern, as it was given, that the text holds; None if it is clean."""
        return next((given for given, expression in self._texts if expression.search(text)), None)

    @cached_property
    def _allowed(self) -> frozenset[str]:
        return frozenset(name.strip().casefold() for name in self.allowed_columns)

    @cached_property
    def _names(self) -> tuple[re.Pattern[str], ...]:
        return tuple(
            re.compile(NAMED_PATTERNS[p].names if p in NAMED_PATTERNS else p, re.IGNORECASE)
            for p in self.blocked_patterns
        )

    @cached_property
    def _texts(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        pairs = zip(self.blocked_patterns, self.text_expressions, strict=True)
        return tuple((given, re.compile(text, re.IGNORECASE)) for given, text in pairs)


def _bad_pattern(pattern: str, why: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"blocked pattern {pattern!r} cannot be used: {why}.",
        hint="Write a regular expression, or one of " + ", ".join(NAMED_PATTERNS) + ".",
        fields={"policy.blocked_patterns": why},
    )
