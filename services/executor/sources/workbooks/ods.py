"""The room of the sheets of `.ods` (OpenDocument 1.3, 9.1), where rows and cells say how often
they stand in the sheet."""

from __future__ import annotations

from collections.abc import Iterator
from zipfile import ZipFile

from services.executor.sources.workbooks.markup import walk
from services.executor.sources.workbooks.room import Room

_CONTENT = "content.xml"
_CELLS = ("table-cell", "covered-table-cell")
_TEXTS = ("office:string-value", "office:date-value", "office:time-value", "table:formula")
_FILLED = frozenset({*_TEXTS, "office:value", "office:boolean-value", "office:value-type"})


def rooms(archive: ZipFile) -> Iterator[Room]:
    """The room of every sheet. Raises ValueError for one that cannot be looked through."""
    for info in archive.infolist():
        if info.filename == _CONTENT:
            sheets = _Sheets()
            with archive.open(info) as part:
                walk(part, sheets.started, sheets.text)
            yield from sheets.rooms


class _Sheets:
    """What is known of the sheets so far, told by the elements as they start.

    Rows and cells after the last that holds anything count nothing, as for a reader, which keeps
    all that are before, from the first column on.
    """

    def __init__(self) -> None:
        self.rooms: list[Room] = []
        self._before = 0  # rows before this one
        self._rows = 0  # how often this one stands in the sheet
        self._columns = 0  # of this row, so far
        self._times = 0  # how often the last cell stands in the sheet, if it holds anything

    def started(self, name: str, attributes: dict[str, str], _: int) -> None:
        if name in _CELLS:
            times = _number(attributes, "table:number-columns-repeated")
            self._times = 0
            if self.rooms and not _FILLED.isdisjoint(attributes):
                self._hold(times, attributes)
            self._columns += times
        elif name == "table-row":
            self._before, self._columns = self._before + self._rows, 0
            self._rows, self._times = _number(attributes, "table:number-rows-repeated"), 0
        elif name == "table":
            name = (
                attributes.get("table:name", "")
                .encode("iso-8859-1", "replace")
                .decode(errors="replace")
            )
            self.rooms.append(Room(f"the sheet {name}"))
            self._before = self._rows = self._times = 0
        elif name == "s" and self._times:
            self.rooms[-1].repeated += _number(attributes, "text:c") * self._times

    def _hold(self, times: int, attributes: dict[str, str]) -> None:
        room = self.rooms[-1]
        room.hold(self._before + 1, 1)
        room.hold(self._before + self._rows, self._columns + times)
        self._times = times * self._rows
        if self._times > 1:
            room.repeated += self._times * sum(len(attributes.get(name, "")) for name in _TEXTS)

    def text(self, content: str) -> None:
        if self._times > 1:
            self.rooms[-1].repeated += self._times * len(content)


def _number(attributes: dict[str, str], name: str) -> int:
    return max(0, int(attributes.get(name, "1")))
