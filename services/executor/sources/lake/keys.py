"""The keys that the folders of a data set are named by: `year=2024/month=1/` are two columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from urllib.parse import unquote

from mesh.errors import SOURCE_NOT_READABLE, AssayError

Keys = tuple[tuple[str, str | None], ...]

_NOTHING = frozenset({"__HIVE_DEFAULT_PARTITION__", ""})
_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_TWO_DIGITS = re.compile(r"\d\d")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def keys_of(name: str) -> Keys:
    """The keys of a file and their values, outermost first; None is a value that is missing."""
    found = []
    for folder in name.split("/")[:-1]:
        key, mark, value = folder.partition("=")
        if mark and key:
            found.append((unquote(key), None if value in _NOTHING else unquote(value)))
    return tuple(found)


def checked_keys(label: str, names: Sequence[str]) -> dict[str, Keys]:
    """The keys of every file, which all have the same ones, each named once.

    Raises AssayError(SOURCE_NOT_READABLE) naming a file that lies elsewhere than the others.
    """
    by_name = {name: keys_of(name) for name in names}
    first = next(iter(by_name))
    wanted = [key for key, _ in by_name[first]]
    for name, keys in by_name.items():
        found = [key for key, _ in keys]
        if len({key.casefold() for key in found}) < len(found):
            raise AssayError(
                SOURCE_NOT_READABLE, f"{label}/{name} lies in two folders of the same key."
            )
        if found != wanted:
            raise AssayError(
                SOURCE_NOT_READABLE,
                f"{label} is no one table: {name} lies in folders of {_describe_keys(found)}, "
                f"{first} in folders of {_describe_keys(wanted)}.",
                hint="Have every file lie in folders of the same keys, or name a folder within it.",
            )
    return by_name


def type_of(values: Sequence[str | None]) -> str:
    """The type of a key's column: whole numbers, days, or else text.

    Zeros in front stay (01234 is a code), but where all have two digits, as months have.
    """
    given = {value for value in values if value is not None}
    if given and (all(map(_WHOLE.fullmatch, given)) or all(map(_TWO_DIGITS.fullmatch, given))):
        return "BIGINT"
    if given and all(_is_day(value) for value in given):
        return "DATE"
    return "VARCHAR"


def _is_day(text: str) -> bool:
    if not _DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _describe_keys(keys: Sequence[str]) -> str:
    return ", ".join(keys) or "no key"
