"""The arguments of `figures.collect`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mesh.tool import ToolArguments


class Cell(ToolArguments):
    """A cell of the frame of task `input`: of the row numbered `row` (from 0) of those that have
    the texts of `where` in these columns. `times` multiplies a number."""

    input: str = Field(min_length=1)
    column: str = "value"
    where: dict[str, str] = Field(default_factory=dict)
    row: int = Field(default=0, ge=0)
    times: float = 1.0


class Rule(ToolArguments):
    """The figure is `yes` where the number compares so with `limit`, else `no`."""

    comparison: Literal["<", "<=", ">", ">=", "==", "!="]
    limit: float
    yes: str
    no: str


class FigureArguments(ToolArguments):
    """One figure: a cell, less the cell `minus`, as its magnitude where `absolute`.

    `name` is what the question calls it, `label` says it in plain words. A text loses what is said
    in `without`. With `each` there is one figure for every row of the input, named by that column.
    """

    label: str
    cell: Cell
    name: str = ""
    minus: Cell | None = None
    absolute: bool = False
    decimals: int | None = Field(default=None, ge=0, le=15)
    rule: Rule | None = None
    without: str = ""
    each: str = ""


class CollectArguments(ToolArguments):
    """The figures, in the order in which they are told."""

    figures: tuple[FigureArguments, ...] = Field(min_length=1, max_length=60)
