"""Which of two values counts as 1: the one rule for every tool that reads a treatment or outcome.

Estimates, overlap and the notebook must mean the same group by the treated, or their signs differ.
"""

from __future__ import annotations

from collections.abc import Mapping

YES = frozenset(
    ("1", "1.0", "true", "yes", "y", "t", "treated", "treatment", "exposed", "on", "active")
)
NO = frozenset(
    (
        "0",
        "0.0",
        "-1",
        "false",
        "no",
        "n",
        "f",
        "control",
        "untreated",
        "unexposed",
        "off",
        "placebo",
        "inactive",
    )
)


def one_of(rows: Mapping[str, int]) -> tuple[str, bool]:
    """Which of two values counts as 1, and whether the words say so; `rows` is how many each has.

    The one of both that says yes, else the one beside that which says no, else the rarer, and of
    equally many the last by name.
    """
    first, second = sorted(rows, key=lambda value: (-rows[value], value))
    yes = [value for value in (first, second) if value.strip().casefold() in YES]
    no = [value for value in (first, second) if value.strip().casefold() in NO]
    if len(yes) == 1:
        return yes[0], True
    if len(no) == 1:
        return (second if no[0] == first else first), True
    return second, False
