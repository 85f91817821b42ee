"""Words that set things side by side with what is theirs."""

from __future__ import annotations

from services.planner.domain.reader.grammar.rules import Rule

WITH_THEIRS: tuple[Rule[str], ...] = (
    Rule(
        "with what is theirs",
        r"(?:and|with|along with|together with) (?:their|its|his|her) {word}",
        "theirs",
        examples=("artists and their albums", "employees with their hire date"),
    ),
)
