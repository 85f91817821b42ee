"""What a test found: one row for each statistic, in the order in which it is told.

Names of groups and columns are whatever the data says; no sentence goes on to another line by them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import pyarrow as pa

from mesh.text.harmless import harmless_line

SCHEMA = pa.schema(
    [
        ("about", pa.string()),
        ("statistic", pa.string()),
        ("value", pa.float64()),
        ("text", pa.string()),
    ]
)


_UNDERFLOWN = "below 1e-300"  # no double tells it from nought
_SMALL = 0.01  # below this a table of two decimals shows nought


@dataclass(slots=True)
class Outcome:
    """Rows of a result under way; `caveats` are assumptions that the data does not meet."""

    rows: list[tuple[str, str, float | None, str | None]] = field(default_factory=list)
    caveats: list[str] = field(default_factory=list)

    def add_sentence(self, statistic: str, text: str, about: str = "") -> None:
        """Adds a statement in words."""
        self.rows.append((about, statistic, None, harmless_line(text)))

    def add(self, statistic: str, value: float, about: str = "", text: str = "") -> None:
        """Adds a number, missing where it is not finite; small p-values are spelled out as well."""
        number = float(value)
        if statistic.endswith("p-value") and number < _SMALL:
            spelled = f"{number:.2e}" if number else _UNDERFLOWN
            text = f"{spelled}, {text}" if text else spelled
        self.rows.append(
            (
                about,
                statistic,
                number if math.isfinite(number) else None,
                harmless_line(text) or None,
            )
        )

    def assume(self, *texts: str) -> None:
        """Adds what the test takes for granted, one row each; what was checked says so."""
        for text in texts:
            self.add_sentence("assumes", text)

    def assume_checked(self, text: str, *, met: bool) -> None:
        """Adds what the test takes for granted and was checked, and whether the data meets it."""
        self.assume(f"{text} ({'checked' if met else 'not met'})")

    def deny(self, assumed: str, why: str) -> None:
        """Adds that the data does not bear out what the test takes for granted, so that what it
        concludes is not to be relied on."""
        self.add_sentence("not met", f"{assumed}: {why}")
        self.caveats.append(harmless_line(f"Not met: {why}"))

    def interval(self, statistic: str, low: float, high: float, about: str = "") -> None:
        """Adds the two ends of a confidence interval."""
        self.add(f"{statistic} low", low, about)
        self.add(f"{statistic} high", high, about)

    def has(self, statistic: str, about: str = "") -> bool:
        """Whether such a number was added."""
        return any(row[:2] == (about, statistic) and row[2] is not None for row in self.rows)

    def words(self, statistic: str) -> str:
        """A statement made before. Raises StopIteration."""
        return next(str(text) for _, sentence, _, text in self.rows if sentence == statistic)

    def value(self, statistic: str, about: str = "") -> float:
        """A number added before. Raises KeyError."""
        for name, text, number, _ in self.rows:
            if (name, text) == (about, statistic) and number is not None:
                return number
        raise KeyError(statistic)

    def frame(self) -> pa.Table:
        """The rows as a frame."""
        return pa.Table.from_pylist(
            [dict(zip(SCHEMA.names, row, strict=True)) for row in self.rows], schema=SCHEMA
        )
