"""Which places of the page each binding of a text leads to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from clients.python.publishing.values import cell_text
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.prose.bindings import Bound
from mesh.prose.frames import Cell, Frame
from mesh.prose.references import UnreadableReference, Value, evaluate


@dataclass(frozen=True, slots=True)
class Target:
    """A place of the page: its id, what it is called, and what stands there."""

    anchor: str
    name: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A binding by its number from 1, with all places that it is from."""

    number: int
    shown: str
    reference: str
    targets: tuple[Target, ...]
    frames: tuple[str, ...]

    @property
    def anchor(self) -> str:
        """Its id in the text."""
        return f"at:{self.number}"

    @property
    def href(self) -> str:
        """Where it leads: to its cell; of several, to the list of them."""
        return f"#{self.targets[0].anchor}" if len(self.targets) == 1 else f"#from:{self.number}"


@dataclass(slots=True)
class Citations:
    """All bindings of a text, with the rows and columns that they name of each frame."""

    bindings: list[Resolved] = field(default_factory=list)
    cells: dict[str, set[tuple[int, int]]] = field(default_factory=dict)
    columns: dict[str, set[int]] = field(default_factory=dict)


def resolve(bound: Iterable[Bound], frames: Mapping[str, Frame]) -> Citations:
    """Where each binding is from. Raises AssayError(INVALID_ARGUMENT) where it names nothing."""
    found = Citations()
    for number, one in enumerate(bound, 1):
        try:
            value = evaluate(one.reference, frames)
        except UnreadableReference as error:
            raise AssayError(INVALID_ARGUMENT, f"{one.reference}: {error}") from error
        targets = tuple(_targets(value, found))
        names = tuple(dict.fromkeys(_names(value)))
        found.bindings.append(Resolved(number, one.shown, one.reference, targets, names))
    return found


def section_anchor(name: str) -> str:
    """The id of a frame's section."""
    return f"frame:{name}"


def doubt_anchor(name: str, code: str) -> str:
    """The id of what a check found."""
    return f"{name}.{code}"


def column_anchor(name: str, column: int) -> str:
    """The id of a column's heading, by its place from 0."""
    return f"{name}.c{column + 1}"


def cell_anchor(name: str, row: int, column: int) -> str:
    """The id of a cell, by its places from 0."""
    return f"{name}.r{row + 1}.c{column + 1}"


def _targets(value: Value, found: Citations) -> Iterable[Target]:
    if value.doubt is not None:
        frame, code = value.doubt
        return [Target(doubt_anchor(frame.name, code), f"{frame.name}, {code}")]
    picked = {_key(cell): cell for cell in value.picked}
    columns = {_key(cell)[:2]: cell for cell in value.cells if _key(cell) not in picked}
    targets = [_cell(cell, found) for cell in picked.values()]
    targets += [_column(cell, found) for cell in columns.values()]
    if not targets and value.frame is not None:
        name, rows = value.frame.name, value.frame.rows
        targets.append(Target(section_anchor(name), f"{name}, its rows", f"{rows:,}"))
    return targets


def _key(cell: Cell) -> tuple[str, str, int]:
    return cell.frame.name, cell.column, cell.row


def _cell(cell: Cell, found: Citations) -> Target:
    name, column = cell.frame.name, list(cell.frame.columns).index(cell.column)
    found.cells.setdefault(name, set()).add((cell.row, column))
    label = f"{name}, {cell.column}, row {cell.row + 1:,}"
    return Target(cell_anchor(name, cell.row, column), label, cell_text(cell.value, cell.column))


def _column(cell: Cell, found: Citations) -> Target:
    name, column = cell.frame.name, list(cell.frame.columns).index(cell.column)
    found.columns.setdefault(name, set()).add(column)
    label = f"{name}, {cell.column}, all {cell.frame.rows:,} rows"
    return Target(column_anchor(name, column), label)


def _names(value: Value) -> Iterable[str]:
    if value.doubt is not None:
        yield value.doubt[0].name
    if value.frame is not None:
        yield value.frame.name
    for cell in value.cells:
        yield cell.frame.name
