"""Which columns of leaves hold actual values and the forecast: by their names, or as is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mesh.errors import LEAF_COLUMNS_NOT_FOUND, AssayError
from services.planner.domain.catalogue import Column, Table
from services.planner.domain.investigation.ground import LeafColumns
from services.planner.domain.lexicon.names import words_of

_REAL = ("real", "actual", "actuals", "observed", "measured")
_PREDICTED = (
    "predict",
    "predicted",
    "prediction",
    "predictions",
    "pred",
    "forecast",
    "forecasted",
    "forecasts",
    "expected",
    "yhat",
)
_ALONE = ("value", "y")
"""Names of what was real where they stand alone, and nothing else is called so."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A pair of columns with what people call them; no name where they are `real` and `predict`."""

    name: str
    real: str
    predicted: str


def measures_of(columns: Sequence[Column]) -> tuple[Measure, ...]:
    """The pairs of columns whose names say that one was real and the other forecast.

    "real" and "predict", "actual_sales" and "sales_forecast", "sales" and "sales_forecast".
    """
    real, predicted = _marked(columns, _REAL), _marked(columns, _PREDICTED)
    plain = {" ".join(words_of(column.name)): column.name for column in columns}
    found = []
    for name, forecast in predicted.items():
        alone = next((plain[word] for word in _ALONE if word in plain), None)
        of = real.get(name) or (plain.get(name) if name else alone)
        if of is not None and of != forecast:
            found.append(Measure(name, of, forecast))
    return tuple(found)


def _marked(columns: Sequence[Column], marks: Sequence[str]) -> dict[str, str]:
    """Columns whose name begins or ends with a mark, by the rest of it; of two with the same rest
    the one with the earlier mark."""
    found: dict[str, tuple[int, str]] = {}
    for column in columns:
        words = list(words_of(column.name))
        for at in (0, -1):
            if words[at] in marks:
                rest = " ".join(words[1:] if at == 0 else words[:-1])
                rank = marks.index(words[at])
                if rest not in found or rank < found[rest][0]:
                    found[rest] = (rank, column.name)
                break
    return {rest: name for rest, (_, name) in found.items()}


def named_columns(table: Table, real: str, predicted: str) -> LeafColumns:
    """The columns that a request names, both of them. Raises AssayError(LEAF_COLUMNS_NOT_FOUND)."""
    of_real = _parts(table, real, "real_column")
    of_predicted = _parts(table, predicted, "predicted_column")
    if len(of_real) != len(of_predicted):
        raise not_found(
            f"{real!r} and {predicted!r} do not match: a ratio has two columns on both sides",
            "Write success / total for both, with the columns of each.",
        )
    if set(of_real) & set(of_predicted):
        [both, *_] = sorted(set(of_real) & set(of_predicted))
        raise not_found(
            f"the column {both!r} cannot be what was real and what was forecast at once",
            "Name two different columns.",
        )
    below = (of_real[1], of_predicted[1]) if len(of_real) > 1 else ("", "")
    return LeafColumns(
        real=of_real[0],
        predicted=of_predicted[0],
        real_denominator=below[0],
        predicted_denominator=below[1],
    )


def called_so(table: Table, name: str) -> str | None:
    """The column of that name, whatever its letters' case; None for none."""
    if table.column(name) is not None:
        return name
    wanted = name.strip().casefold()
    return next((c.name for c in table.stored if c.name.casefold() == wanted), None)


def quotient(text: str) -> list[str]:
    """What stands before and behind a slash; the text alone where there is none."""
    return [part.strip() for part in text.split("/")]


def not_found(message: str, hint: str = "", field: str = "real_column") -> AssayError:
    """That columns of leaves cannot be told."""
    return AssayError(
        LEAF_COLUMNS_NOT_FOUND,
        message,
        hint=hint or "Name them: --real COLUMN --predicted COLUMN.",
        fields={f"investigation.{field}": "a column, or two as success / total"},
    )


def _parts(table: Table, text: str, field: str) -> list[str]:
    whole = called_so(table, text)
    names = [text] if whole is not None else quotient(text)
    if len(names) > 2:
        raise not_found(f"{text!r} is no quotient of two columns", field=field)
    found = [called_so(table, name) for name in names]
    for name, one in zip(names, found, strict=True):
        if one is None:
            there = ", ".join(c.name for c in table.stored[:20])
            raise not_found(
                f"{table.source_name} has no column {name!r}",
                f"Its columns are {there}.",
                field,
            )
    return [one for one in found if one is not None]
