"""Whether a question consists of instructions, and the analysis that they ask for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from services.planner.domain.catalogue import Catalogue, Table, ValueLookup
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.reader.instructions.analysis import Analysis
from services.planner.domain.reader.instructions.beyond import out_of_reach
from services.planner.domain.reader.instructions.compose import composed
from services.planner.domain.reader.instructions.ground import UnreadableError
from services.planner.domain.reader.instructions.marking import marked
from services.planner.domain.reader.instructions.output import slots_of
from services.planner.domain.reader.instructions.sentences import (
    parted,
    values_of,
    values_spoken,
)
from services.planner.domain.reader.instructions.vocabulary import words_in
from services.planner.domain.reader.politeness import without_number

_NAMED = re.compile(r"@\w+\s*\[")
_METHOD = re.compile(
    r"\b(?:p[- ]?values?|alpha|significance level|t[- ]?tests?|anova|chi[- ]?squared?|shapiro|"
    r"mann[- ]whitney|kruskal|levene|pearson|spearman|kendall|regression|skewness|kurtosis"
    r"|outliers?"
    r"|z[- ]?scores?|iqr|impute|missing|null|normality|standard deviation|decimal\w*|percentile"
    r"|new (?:column|feature|variable)|log[- ]transform\w*|confidence interval|correlation"
    r"|significan\w*|p ?(?=<)|round(?:ed)?|mean|median)(?:\b|(?= ?<))",
    re.IGNORECASE,
)
_FEW_METHODS, _FEW_SENTENCES = 2, 2


@dataclass(frozen=True)
class Refusal:
    """Why instructions cannot be carried out, in words for people."""

    message: str


def is_instructions(question: str) -> bool:
    """Whether figures are asked for under names, or several sentences say how to find them."""
    if _NAMED.search(question):
        return True
    methods = {match.group().lower() for match in _METHOD.finditer(question)}
    return len(parted(question)) >= _FEW_SENTENCES and len(methods) >= _FEW_METHODS


async def instructed(
    question: str, catalogue: Catalogue, lookup: ValueLookup
) -> Analysis | Refusal | None:
    """The analysis that a question's instructions ask for, or why there is none.

    None where the question is of another kind, or where it names no figures and cannot be read
    here: then other readers may.
    """
    question = without_number(question)
    if not is_instructions(question) or not catalogue.tables:
        return None
    named = _NAMED.search(question) is not None
    names = frozenset(c.name.lower() for t in catalogue.tables for c in t.columns)
    beyond = out_of_reach(question, names)
    if beyond:
        return Refusal(f"{beyond[:1].upper()}{beyond[1:]}")
    slots, rest = slots_of(question)
    sentences = parted(rest)
    values = await values_of(sentences, catalogue, lookup)
    table = _table(catalogue, sentences)
    names_text = [words_in(slot.name) for slot in slots]
    linked = await values_of(names_text, catalogue, lookup)
    spoken = values_spoken(names_text, table, linked)
    try:
        return composed(sentences, values, table, slots, rest, spoken)
    except UnreadableError as error:
        message = str(error)
        return Refusal(f"{message[:1].upper()}{message[1:]}") if named else None


def _table(catalogue: Catalogue, sentences: list[str]) -> Table:
    """The table that is spoken of: the one with most columns named."""

    def named(table: Table) -> int:
        columns = {
            mark.column for text in sentences for mark in marked(text, table, []).marks.values()
        }
        own = set(words_of(table.name)) & set(" ".join(sentences).lower().split())
        return len(columns - {""}) + len(own)

    return max(catalogue.tables, key=named)
