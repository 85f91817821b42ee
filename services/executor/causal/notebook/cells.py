"""The notebook before it is run: its words, its code, and which figures it computes again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mesh.text.markdown import plain_words
from services.executor.causal.notebook import (
    design_code,
    learning_code,
    method_code,
    reading_code,
    results_code,
)
from services.executor.causal.notebook.arguments import CausalNotebookArguments, Expected
from services.executor.causal.notebook.data import counts_as_one
from services.executor.causal.notebook.packages import packages_code
from services.executor.causal.notebook.words import front, lines_of, render_estimates

if TYPE_CHECKING:
    from nbformat import NotebookNode

MOST_ROWS = 100_000
"""Rows up to which cross-fitted methods are computed again: all that a study looks at. Where values
were imputed several times, the data sets lie one below the other and may have more."""
_FUNCTIONS = {
    "OLS": method_code.OLS,
    "IPW": method_code.IPW,
    "PSM": method_code.PSM,
    "stratification": method_code.STRATIFICATION,
    "AIPW": learning_code.CROSS_FITTED,
    "DML": learning_code.CROSS_FITTED,
    "causal_forest": learning_code.FOREST,
    "IV": design_code.IV,
    "RDD": design_code.RDD,
    "DiD": design_code.DID,
}
_CALLS = {
    "naive": 'estimated("naive", ols, studies_of([]))',
    "OLS": 'estimated("OLS", ols, studies)',
    "IPW": 'estimated("IPW", ipw, studies)',
    "AIPW": 'estimated("AIPW", lambda study: cross_fitted(study, boosted=False), studies)',
    "PSM": 'estimated("PSM", psm, studies)',
    "stratification": 'estimated("stratification", stratification, studies)',
    "DML": 'estimated("DML", lambda study: cross_fitted(study, boosted=True), studies)',
    "causal_forest": 'estimated("causal_forest", causal_forest, studies_of(ADJUSTMENT, MODIFIERS))',
    "IV": 'estimated("IV", iv, studies_of(without(INSTRUMENTS), INSTRUMENTS))',
    "RDD": 'estimated("RDD", rdd, studies_of(without([RUNNING]), [RUNNING]))',
    "DiD": 'estimated("DiD", did, studies_of(without([UNIT, TIME]), [UNIT, TIME]))',
}
_WORDS = {
    "naive": "The plain comparison, adjusted for nothing: what is left to explain.",
    "OLS": "A regression of the outcome on the treatment and what is adjusted for.",
    "IPW": "Rows weighted so that treated and untreated are alike in what is adjusted for.",
    "AIPW": "A model of the outcome and one of the treatment; right where either is.",
    "PSM": "Each row beside the one of the other group that was as likely to be treated.",
    "stratification": "Comparisons among rows that were about as likely to be treated.",
    "DML": "As before, with models chosen by how well they predict, boosted trees among them.",
    "causal_forest": "A forest whose effects may vary from row to row, over all and by group.",
    "IV": "What the instrument moves of the outcome, over what it moves of the treatment.",
    "RDD": "How far the outcome jumps where the running variable passes the cutoff.",
    "DiD": "How much more treated units changed than units that were not treated yet.",
}
_ANY_TREATMENT = ("naive", "OLS", "DML", "causal_forest", "IV", "RDD")
_DESIGNS = ("IV", "RDD", "DiD")
_CROSS_FITTED = ("AIPW", "DML", "causal_forest")


@dataclass
class Book:
    """Cells in order; `recomputed` are the estimates that running them gives again."""

    recomputed: tuple[Expected, ...]
    cells: list[Any] = field(default_factory=list)

    def words(self, text: str) -> None:
        """A cell of Markdown."""
        self._add("markdown", text)

    def code(self, text: str) -> None:
        """A cell of Python."""
        self._add("code", text)

    def _add(self, kind: str, text: str) -> None:
        more: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
        name = f"cell-{len(self.cells):02}"
        self.cells.append({"cell_type": kind, "id": name, "metadata": {}, "source": text, **more})

    def node(self) -> NotebookNode:
        """As nbformat has it, with nothing in it that a second making would change."""
        import nbformat

        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        whole = {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"kernelspec": kernel},
            "cells": self.cells,
        }
        node: NotebookNode = nbformat.from_dict(whole)  # type: ignore[no-untyped-call]
        return node


def book_of(
    arguments: CausalNotebookArguments, data: pa.Table, frame_digest: str, data_digest: str
) -> Book:
    """All cells of the notebook. Raises ToolError where the treatment cannot be read."""
    one, binary = _treatment(arguments, data)
    again, recorded = _shared_out(arguments, binary, data.num_rows)
    book = Book(again)
    book.words(front(arguments, frame_digest, data_digest))
    for section in arguments.sections:
        book.words(f"## {plain_words(section.heading)}\n\n{lines_of(section.markdown)}")
    if data.num_columns:
        _from_the_data(book, arguments, data, data_digest, one, binary)
    if data.num_columns and book.recomputed and len(arguments.groups) > 1:
        grown = any(each.method == "causal_forest" for each in again)
        book.words(
            "## The effect, group by group\n\nAs the study recorded it"
            + (
                ", and as the forest above gave it again."
                if grown
                else ": a causal forest is not grown again here."
            )
            + " What stands out is said above."
        )
        book.code(f"GROUPS = [\n{_of_groups(arguments.groups)}]\n\n\n{results_code.GROUPS}")
    if recorded:
        book.words(render_estimates(recorded, data.num_rows))
    return book


def _from_the_data(
    book: Book,
    arguments: CausalNotebookArguments,
    data: pa.Table,
    data_digest: str,
    one: Any,
    binary: bool,
) -> None:
    methods = list(dict.fromkeys(each.method for each in book.recomputed))
    book.words(
        "## The figures again, from the data\n\nFirst the packages, and the versions that "
        "the study was made with."
    )
    book.code(packages_code(data_digest, methods))
    book.words(
        "The data as it was estimated on, after all repairs. The file is refused where it "
        "is not the one that the study used."
    )
    book.code(reading_code.DATA)
    if not methods:
        return
    book.words("What is asked: treatment, outcome, and what is adjusted for.")
    book.code(_study(arguments, data, one, binary, set(methods)))
    book.words("All columns as numbers, on the rows that lack nothing.")
    book.code(reading_code.COVARIATES)
    book.words(
        "Where missing values were imputed several times, each data set is estimated on its "
        "own, and the results are pooled."
    )
    book.code(reading_code.POOLING)
    book.words(
        "Errors: where several rows are of one unit, they are no independent rows."
        if arguments.unit
        else "Errors, and the degrees of freedom behind them."
    )
    book.code(reading_code.UNITS)
    if binary:
        book.words(
            "How likely each row is treated, given what is adjusted for. Rows that have no "
            "counterpart in the other group are left out."
        )
        book.code(reading_code.OVERLAP)
        book.code(reading_code.OVERLAP_SHOWN)
    if {"naive", "OLS", "PSM", "stratification"} & set(methods):
        book.words("Least squares, on which several methods rest.")
        book.code(method_code.LEAST_SQUARES)
    if {"PSM", "stratification"} & set(methods):
        book.words(
            "Rows are matched and parted by how likely they are treated: those that are alike tie."
        )
        book.code(method_code.TIES)
    written: set[str] = set()
    for method in methods:
        function = _FUNCTIONS["OLS" if method == "naive" else method]
        book.words(f"### {method}\n\n{_WORDS[method]}")
        needed = (
            (learning_code.CROSS_FITTED, function) if method == "causal_forest" else (function,)
        )
        for each in needed:
            if each not in written:
                book.code(each)
                written.add(each)
        book.code(_CALLS[method])
    book.words("## Are they the same?\n\nEach figure of the study beside the one found here.")
    book.code(f"EXPECTED = [\n{_expected(book.recomputed)}]\n\n\n{results_code.COMPARISON}")
    book.code(results_code.CHART)


def _treatment(arguments: CausalNotebookArguments, data: pa.Table) -> tuple[Any, bool]:
    """The treatment's value that counts as 1, and whether it has two values."""
    if arguments.treatment is None or not arguments.estimates:
        return None, False
    one = counts_as_one(data.column(arguments.treatment), arguments.treated)
    return one, one is not None


def _shared_out(
    arguments: CausalNotebookArguments, binary: bool, rows: int
) -> tuple[tuple[Expected, ...], tuple[Expected, ...]]:
    """Estimates that are computed again, and those that are only told."""
    again: dict[str, Expected] = {}
    recorded = []
    for each in arguments.estimates:
        possible = each.method in _CALLS and (binary or each.method in _ANY_TREATMENT)
        quick = each.method not in _CROSS_FITTED or rows <= MOST_ROWS
        if each.method in _DESIGNS:
            possible = possible and each.method in arguments.designs
        once = each.estimand in ("ATE", "ATT", "LATE") and each.name not in again
        varied = each.method != "causal_forest" or bool(arguments.modifiers)
        if possible and quick and once and varied:
            again[each.name] = each
        else:
            recorded.append(each)
    if any(each.method == "causal_forest" for each in again.values()):
        again |= {each.name: each for each in arguments.groups if each.method == "causal_forest"}
    return tuple(again.values()), tuple(recorded)


def _study(
    arguments: CausalNotebookArguments, data: pa.Table, one: Any, binary: bool, methods: set[str]
) -> str:
    names = sorted(dict.fromkeys(arguments.adjustment))
    adjusted = "".join(f"    {name!r},\n" for name in names)
    treatment = f"data[{arguments.treatment!r}]"
    outcome = f"data[{arguments.outcome!r}]"
    kind = data.column(str(arguments.outcome)).type
    lines = [
        f"ADJUSTMENT = [\n{adjusted}]" if names else "ADJUSTMENT = []",
        f"MODIFIERS = {sorted(arguments.modifiers)!r}  # columns the effect may vary with",
        f"SEED = {arguments.seed}",
        f"UNIT = {arguments.unit!r}  # the column whose rows belong together",
        *_of_designs(arguments, methods),
        f"BINARY = {binary}  # whether the treatment is one of two values",
        f"treatment = {_zero_or_one(treatment, one) if binary else _number(treatment)}",
        "outcome = "
        + (
            _zero_or_one(outcome, counts_as_one(data.column(str(arguments.outcome)), None))
            if pa.types.is_string(kind)
            else _number(outcome)
        ),
        'pd.DataFrame({"treatment": treatment, "outcome": outcome}).describe()',
    ]
    return "\n".join(lines)


def _of_designs(arguments: CausalNotebookArguments, methods: set[str]) -> list[str]:
    lines = []
    if "IV" in methods:
        lines.append(f"INSTRUMENTS = {sorted(arguments.instruments)!r}")
    if "RDD" in methods:
        lines.append(f"RUNNING, CUTOFF = {arguments.running!r}, {arguments.cutoff!r}")
    if "DiD" in methods:
        lines.append(f"TIME = {arguments.time!r}")
    if methods & set(_DESIGNS):
        lines.append(_WITHOUT)
    return lines


_WITHOUT = """

def without(names):
    \"\"\"What is adjusted for but columns that a design takes itself.\"\"\"
    return [name for name in ADJUSTMENT if name not in names]

"""


def _zero_or_one(column: str, one: Any) -> str:
    return f"({column} == {one!r}).astype(float).mask({column}.isna())"


def _number(column: str) -> str:
    return f"{column}.astype(float).replace([np.inf, -np.inf], np.nan)"


def _of_groups(groups: Iterable[Expected]) -> str:
    return "".join(
        f"    ({each.estimand!r}, {each.estimate!r}, {each.ci_lower!r}, {each.ci_upper!r}),\n"
        for each in groups
    )


def _expected(estimates: Iterable[Expected]) -> str:
    return "".join(
        f"    ({each.name!r}, {each.estimate!r}, {each.ci_lower!r}, {each.ci_upper!r}),\n"
        for each in estimates
    )
