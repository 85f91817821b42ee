"""How files are to be read, in a person's words: `decimal=,` or `sales.csv:date-order=dmy`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath

from assay.common.v1.data_pb2 import ColumnKind, DateOrder, ReadOptions
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.repairs import KINDS, repair_of

_NAMED = {"tab": "\t", "\\t": "\t", "space": " ", "none": ""}
_FLAGS = {"yes": True, "true": True, "no": False, "false": False}
_ORDERS = {
    "dmy": DateOrder.DATE_ORDER_DAY_FIRST,
    "mdy": DateOrder.DATE_ORDER_MONTH_FIRST,
    "ymd": DateOrder.DATE_ORDER_YEAR_FIRST,
}
_KINDS = {
    "text": ColumnKind.COLUMN_KIND_TEXT,
    "integer": ColumnKind.COLUMN_KIND_INTEGER,
    "number": ColumnKind.COLUMN_KIND_NUMBER,
    "boolean": ColumnKind.COLUMN_KIND_BOOLEAN,
    "date": ColumnKind.COLUMN_KIND_DATE,
    "datetime": ColumnKind.COLUMN_KIND_DATETIME,
}
_TYPE = "type."


def read_options(given: Iterable[str], place: str) -> ReadOptions | None:
    """The options for the file at `place`, of those given; None where there are none.

    Each is `NAME=VALUE` for all files, or `FILE:NAME=VALUE` for one, by its path or its name.
    Raises AssayError(INVALID_ARGUMENT) for a name or value that means nothing.
    """
    found = ReadOptions()
    some = False
    for option in given:
        file, name, value = _parts(option)
        if file in ("", place, PurePath(place).name):
            _set(found, name, value, option)
            some = True
    return found if some else None


def check_read_options(given: Iterable[str], places: Iterable[str]) -> None:
    """Raises AssayError(INVALID_ARGUMENT) for an option that is wrong, or for a file not given."""
    names = {name for place in places for name in (place, PurePath(place).name)}
    for option in given:
        file, name, value = _parts(option)
        if file and file not in names:
            raise AssayError(
                INVALID_ARGUMENT,
                f"--read {option}: no data file is called {file}",
                hint="Name it as with --data.",
            )
        _set(ReadOptions(), name, value, option)


def _parts(option: str) -> tuple[str, str, str]:
    """File, name and value. A name has no colon except inside a column's, a file no equals sign."""
    left, equals, value = option.partition("=")
    file, _, name = left.rpartition(":")
    for named in (_TYPE, *(f"{kind}." for kind in KINDS)):  # a column's name may have a colon
        if left.startswith(named) or f":{named}" in left:
            file, _, rest = left.rpartition(named)
            file, name = file.removesuffix(":"), named + rest
    if not equals or not name:
        raise _wrong(option, "it is not NAME=VALUE or FILE:NAME=VALUE")
    return file, name, value


def _set(options: ReadOptions, name: str, value: str, option: str) -> None:
    if name.startswith(_TYPE):
        options.types[name.removeprefix(_TYPE)] = ColumnKind.ValueType(_word(_KINDS, value, option))
    elif name in _SETTERS:
        _SETTERS[name](options, value, option)
    elif repair := repair_of(f"{name}={value}"):
        kind, column, what = repair
        options.repairs.add(kind=kind, column=column, value=what)
    else:
        known = ", ".join(sorted([*_SETTERS, "type.COLUMN", *KINDS]))
        raise _wrong(option, f"there is no option {name!r}; there are {known}")


def _word(words: Mapping[str, int], value: str, option: str) -> int:
    if value.lower() not in words:
        raise _wrong(option, f"{value!r} is none of {', '.join(words)}")
    return words[value.lower()]


def _wrong(option: str, why: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"--read {option}: {why}",
        hint="Such as --read decimal=, or --read sales.csv:type.zip=text.",
    )


def _text(field: str) -> Callable[[ReadOptions, str, str], None]:
    def put(options: ReadOptions, value: str, option: str) -> None:
        setattr(options, field, _NAMED.get(value.lower(), value))

    return put


def _number(field: str) -> Callable[[ReadOptions, str, str], None]:
    def put(options: ReadOptions, value: str, option: str) -> None:
        if not value.isdecimal() or len(value) > 9:
            raise _wrong(option, f"{value!r} is not a number of lines")
        setattr(options, field, int(value))

    return put


def _flag(field: str) -> Callable[[ReadOptions, str, str], None]:
    def put(options: ReadOptions, value: str, option: str) -> None:
        setattr(options, field, bool(_word(_FLAGS, value, option)))

    return put


def _date_order(options: ReadOptions, value: str, option: str) -> None:
    options.date_order = DateOrder.ValueType(_word(_ORDERS, value, option))


def _missing(options: ReadOptions, value: str, option: str) -> None:
    options.missing.marks.append(value)


def _sheet(options: ReadOptions, value: str, option: str) -> None:
    options.sheets.append(value)


_SETTERS: dict[str, Callable[[ReadOptions, str, str], None]] = {
    "delimiter": _text("delimiter"),
    "quote": _text("quote"),
    "escape": _text("escape"),
    "comment": _text("comment"),
    "encoding": _text("encoding"),
    "decimal": _text("decimal"),
    "header": _flag("header"),
    "units-row": _flag("units_row"),
    "skip-lines": _number("skip_lines"),
    "skip-footer": _number("skip_footer"),
    "date-order": _date_order,
    "missing": _missing,
    "pad-short-rows": _flag("pad_short_rows"),
    "sheet": _sheet,
    "raw": _flag("raw"),
}
