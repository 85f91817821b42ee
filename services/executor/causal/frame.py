"""What every causal tool reads first: the input frame as numbers that estimators can take.

A `Study` is one question (the effect of a treatment on an outcome) over complete rows. A frame with
stacked imputations gives one study each; they share their columns, levels and notes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pydantic import Field

from mesh.tool import ErrorCategory, ToolArguments, ToolContext, ToolError
from services.executor.causal.coding import (
    Coding,
    coded_columns,
    numbers,
    outcome_numbers,
    treatment_numbers,
)
from services.executor.causal.contrast import contrasted

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

ROW = "_row"
IMPUTATION = "_imputation"


class StudyArguments(ToolArguments):
    """The effect of `treatment` on `outcome` in the frame of step `input`."""

    input: str = Field(min_length=1, description="the step whose frame is the data")
    treatment: str = Field(min_length=1)
    outcome: str = Field(min_length=1)
    treated: str | None = Field(default=None, description="the treatment's value that counts as 1")
    reference: str | None = Field(
        default=None, description="the only other value that is looked at; of more than two"
    )
    adjustment: tuple[str, ...] = Field(default=(), description="columns to adjust for")
    modifiers: tuple[str, ...] = Field(default=(), description="columns the effect may vary with")
    unit: str | None = Field(
        default=None, description="whose rows belong together: errors count units, not rows"
    )
    seed: int = Field(default=0, ge=0, lt=2**31)


@dataclass(frozen=True)
class Study:
    """One complete data set of n rows.

    `outcome` and `treatment` are floats of length n (a binary treatment is 0 or 1); `covariates` is
    n by k: the adjustment columns as numbers, without constants and linear combinations of others.
    `modifiers` holds the modifiers as they came, `others` what a method needs beside (instruments,
    running variable, unit, time) as it came, and `roles` says by which name. `rows` are
    the original row numbers. `units` says by a number which rows belong together (n), None where
    every row stands for itself. A `trial` is one of many that are compared: only its first estimate
    is wanted, with its error, and cross-fitting draws its folds once.
    """

    treatment_name: str
    outcome_name: str
    outcome: np.ndarray
    treatment: np.ndarray
    binary: bool
    binary_outcome: bool
    covariates: pd.DataFrame
    modifiers: pd.DataFrame
    others: pd.DataFrame
    rows: np.ndarray
    seed: int
    notes: tuple[str, ...] = field(default=())
    roles: Mapping[str, Any] = field(default_factory=dict)
    units: np.ndarray | None = None
    trial: bool = False

    def __len__(self) -> int:
        return len(self.outcome)

    def part(self, mask: np.ndarray) -> Study:
        """The study of the rows that `mask` (n booleans) keeps."""
        return replace(
            self,
            outcome=self.outcome[mask],
            treatment=self.treatment[mask],
            covariates=self.covariates[mask].reset_index(drop=True),
            modifiers=self.modifiers[mask].reset_index(drop=True),
            others=self.others[mask].reset_index(drop=True),
            rows=self.rows[mask],
            units=None if self.units is None else self.units[mask],
        )


def table_of(name: str, context: ToolContext) -> pa.Table:
    """The frame of step `name`. Raises ToolError."""
    if name not in context.inputs:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"there is no frame of a step {name}.",
            details={"candidates": sorted(context.inputs)},
        )
    table = context.inputs[name]
    if table.num_rows == 0:
        raise ToolError(ErrorCategory.INVALID_ARGUMENTS, f"the frame of {name} has no rows.")
    return table


def require_columns(table: pa.Table, names: Sequence[str]) -> None:
    """Raises ToolError where the frame lacks one of the names."""
    for name in names:
        if name not in table.column_names:
            raise ToolError(
                ErrorCategory.MISSING_COLUMN,
                f"the data has no column {name!r}.",
                details={"column": name, "candidates": table.column_names[:50]},
            )


def design(table: pa.Table, columns: Sequence[str]) -> Coding:
    """Columns as numbers: dummies for categories with rare levels folded, booleans as 0 and 1, and
    dates as days since 1970. Columns are taken in the order of their names, so that nothing depends
    on how they came. Missing values are NaN. Raises ToolError for unknown columns."""
    require_columns(table, columns)
    return coded_columns(table, sorted(set(columns)))


def studies_of(
    arguments: StudyArguments, context: ToolContext, also: Sequence[str] = ()
) -> list[Study]:
    """The studies that the arguments ask for, one an imputation (one where nothing was imputed).

    `also` are columns that a method needs beside; they keep their type. Raises ToolError with a
    plain reason for data that no method can use.
    """
    return studies_in(table_of(arguments.input, context), arguments, also)


def studies_in(table: pa.Table, arguments: StudyArguments, also: Sequence[str] = ()) -> list[Study]:
    """`studies_of` a table at hand."""
    _refuse_roles(arguments)
    require_columns(
        table, [arguments.treatment, arguments.outcome, *arguments.adjustment, *arguments.modifiers]
    )
    require_columns(table, also)
    require_columns(table, [arguments.unit] if arguments.unit else [])
    table, texts = contrasted(table, arguments.treatment, arguments.treated, arguments.reference)
    found = _read(table, arguments, sorted(set(also)))
    return [replace(each, notes=(*texts, *each.notes)) for each in found] if texts else found


def _refuse_roles(arguments: StudyArguments) -> None:
    if arguments.treatment == arguments.outcome:
        raise _refused("the treatment and the outcome are the same column.", "Name two columns.")
    for name in (*arguments.adjustment, *arguments.modifiers):
        if name in (arguments.treatment, arguments.outcome):
            role = "treatment" if name == arguments.treatment else "outcome"
            raise _refused(f"{name} is the {role}; it cannot be adjusted for.", "Leave it out.")


def _read(table: pa.Table, arguments: StudyArguments, also: list[str]) -> list[Study]:
    import numpy as np
    import pandas as pd

    outcome, binary_outcome, texts = outcome_numbers(table, arguments.outcome)
    treatment, binary, known_more = treatment_numbers(table, arguments.treatment, arguments.treated)
    coding = design(table, arguments.adjustment)
    kept = {name: table.column(name).to_pandas() for name in sorted({*arguments.modifiers, *also})}
    raw = pd.DataFrame(kept, index=range(table.num_rows))
    complete = ~(np.isnan(outcome) | np.isnan(treatment) | coding.columns.isna().any(axis=1))
    complete &= ~raw.isna().any(axis=1)
    complete = np.asarray(complete)
    _refuse_empty(table, arguments, complete)
    rows = numbers(table, ROW) if ROW in table.column_names else np.arange(table.num_rows)
    notes = [*texts, *known_more, *coding.notes]
    units = _units(table, arguments.unit)
    if (lost := int((~complete).sum())) > 0:
        notes.append(f"{lost:,} of {table.num_rows:,} rows lack a value that is needed; left out.")
    whole = Study(
        arguments.treatment,
        arguments.outcome,
        outcome,
        treatment,
        binary,
        binary_outcome,
        coding.columns,
        raw[sorted(arguments.modifiers)],
        raw[also],
        np.asarray(rows),
        arguments.seed,
        tuple(notes),
        units=units,
    ).part(complete)
    notes += _describe_units(whole, arguments.unit)
    covariates, dropped = without_combinations(whole.covariates)
    whole = replace(whole, covariates=covariates, notes=(*notes, *dropped))
    _refuse_degenerate(whole)
    if IMPUTATION not in table.column_names:
        return [whole]
    number = numbers(table, IMPUTATION)[complete]
    return [whole.part(number == each) for each in np.unique(number)]


def _units(table: pa.Table, name: str | None) -> np.ndarray | None:
    """The number of each row's unit (n); a row of which none is known is a unit of its own. None
    where every row is."""
    import numpy as np
    import pandas as pd

    if name is None:
        return None
    number, _ = pd.factorize(table.column(name).to_pandas(), sort=True)
    alone = number < 0
    number[alone] = number.max() + 1 + np.arange(int(alone.sum()))
    rows = table.num_rows
    if IMPUTATION in table.column_names:
        rows = int((numbers(table, IMPUTATION) == numbers(table, IMPUTATION)[0]).sum())
    return None if len(np.unique(number)) >= rows else np.asarray(number)


def _describe_units(study: Study, name: str | None) -> list[str]:
    import numpy as np

    if study.units is None:
        return []
    count = len(np.unique(study.units))
    return [
        f"Rows of one {name} belong together: errors count {count:,} units, not "
        f"{len(np.unique(study.rows)):,} rows."
    ]


def without_combinations(columns: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The columns without constants and linear combinations of those before, and notes on them.

    Elimination on the correlation matrix: a column goes where less than 1e-9 of its variance stays.
    """
    import numpy as np

    values = columns.to_numpy(dtype=float)
    spread = values.std(axis=0) if len(values) else np.zeros(values.shape[1])
    scale = np.abs(values).max(axis=0, initial=0.0)
    varies = spread > 1e-12 * np.maximum(scale, 1e-300)
    names = [str(name) for name in columns.columns]
    dropped = [name for name, moves in zip(names, varies, strict=True) if not moves]
    kept: list[str] = []
    at = np.flatnonzero(varies)
    scaled = (values[:, at] - values[:, at].mean(axis=0)) / spread[at]
    left = scaled.T @ scaled / max(len(values), 1)
    for number, place in enumerate(at):
        pivot = left[number, number]
        if pivot < 1e-9:
            dropped.append(names[place])
            continue
        kept.append(names[place])
        left = left - np.outer(left[:, number], left[number]) / pivot
    notes = []
    if dropped:
        shown = ", ".join(dropped[:5]) + (", …" if len(dropped) > 5 else "")
        notes.append(f"Constant or given by other columns, so left out of adjustment: {shown}.")
    return columns[kept], notes


def _refuse_empty(table: pa.Table, arguments: StudyArguments, complete: np.ndarray) -> None:
    if complete.any():
        return
    needed = [arguments.treatment, arguments.outcome, *arguments.adjustment, *arguments.modifiers]
    empty = [name for name in needed if table.column(name).null_count == table.num_rows]
    why = f"{empty[0]} has no values" if empty else "every row lacks a value that is needed"
    raise _refused(f"{why}.", "Leave the column out, or impute what is missing.")


def _refuse_degenerate(study: Study) -> None:
    import numpy as np

    n, k = study.covariates.shape
    if study.treatment.std() == 0:
        raise _refused(f"the treatment {study.treatment_name} is constant.", "Nothing to compare.")
    if study.outcome.std() == 0:
        raise _refused(f"the outcome {study.outcome_name} is constant.", "Nothing to explain.")
    if k + 3 > n:
        raise _refused(
            f"{n} complete rows cannot carry {k} columns of adjustment.",
            "Adjust for fewer columns, or bring more rows.",
        )
    if abs(float(np.corrcoef(study.treatment, study.outcome)[0, 1])) > 1 - 1e-9:
        raise _refused(
            f"{study.outcome_name} is a copy or a linear function of {study.treatment_name}.",
            "Name an outcome that is measured apart from the treatment.",
        )


def _refused(message: str, hint: str, **details: Any) -> ToolError:
    return ToolError(ErrorCategory.INVALID_ARGUMENTS, message, hint=hint, details=details)
