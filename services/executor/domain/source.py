"""A data source as a request names it (seed 000, AnalysisRequest.data_sources)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import PurePath
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mesh.repairs import option_of

MAX_PLACE_CHARACTERS = 4096
"""Of a path, as Linux has it (PATH_MAX), or of an address."""
_CREDENTIALS = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]*://)[^/?#]*@")
_SECRET_PARAMETER = re.compile(
    r"(?P<name>[?&;](?:password|passwd|pwd|token|secret|key|user|sig|credential)[^=&;#]*=)[^&;#]*",
    re.IGNORECASE,
)


class Frozen(BaseModel):
    """A value object: immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class SourceType(StrEnum):
    """What a request says a source is; `auto` leaves it to the content."""

    AUTO = "auto"
    SQL = "sql"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    ARROW = "arrow"
    EXCEL = "excel"


class ColumnKind(StrEnum):
    """What a request says the values of a column are."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "datetime"


class DateOrder(StrEnum):
    """How a numeric date is to be read."""

    DAY_FIRST = "dmy"
    MONTH_FIRST = "mdy"
    YEAR_FIRST = "ymd"


class Repair(Frozen):
    """A step between a file and its table: what is done (`kind`), to which column if to one, and
    the `value` that this takes (docs/repairs.md)."""

    kind: str = Field(min_length=1, max_length=40)
    column: str = Field(default="", max_length=1_000)
    value: str = Field(default="", max_length=1_000)

    @property
    def option(self) -> str:
        """As a person writes it behind `--read`: "nothing.CO=-200"."""
        return option_of(self.kind, self.column, self.value)


class ReaderOptions(Frozen):
    """How a file is to be read where its own content should not decide; unset lets it decide.

    `header` says whether the first line of the table names the columns, `skip_lines` how many
    lines come before the table and `skip_footer` how many after it. `types` names columns; cells
    that are not of the type given are set aside. `missing` replaces the texts that are found to
    stand for no value. `pad_short_rows` fills rows that end early instead of setting them aside.
    `units_row` says whether the line below the names holds units. `sheets` are the sheets of a
    workbook to read. `one_table` makes one table of all files of a
    folder that have the same columns. `repairs` are made in their order, and none that nobody asked
    for where it is `raw`. `only` are the columns that are read, as a policy names them; empty for
    all.
    """

    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    quote: str | None = Field(default=None, max_length=1)
    escape: str | None = Field(default=None, max_length=1)
    comment: str | None = Field(default=None, max_length=2)
    encoding: str | None = None
    header: bool | None = None
    units_row: bool | None = None
    skip_lines: int | None = Field(default=None, ge=0)
    skip_footer: int | None = Field(default=None, ge=0)
    decimal: Literal[".", ","] | None = None
    date_order: DateOrder | None = None
    missing: tuple[str, ...] | None = None
    types: Mapping[str, ColumnKind] = Field(default_factory=dict)
    pad_short_rows: bool = False
    sheets: tuple[str, ...] = ()
    one_table: bool = False
    repairs: tuple[Repair, ...] = Field(default=(), max_length=200)
    raw: bool = False
    only: tuple[str, ...] = ()

    def date_order_of(self, column: str) -> DateOrder | None:
        """How the dates of a column are to be read: as a repair of it says, else as of all."""
        texts = [r.value for r in self.repairs if r.kind == "date-order" and r.column == column]
        return DateOrder(texts[-1]) if texts and texts[-1] in set(DateOrder) else self.date_order


class DataSource(Frozen):
    """One file, folder or database. Exactly one of the two places is given.

    `connection_string` is a URL such as `sqlite:///northwind.sqlite` (relative) or
    `sqlite:////data/northwind.sqlite` (absolute). `name` replaces the file's name in messages
    and table names, for files that are stored under a generated one. `wanted` are the columns that
    its request may use, as a policy names them (empty for all): what is too wide to be read whole
    is read for these alone. `asked` are the words of what is asked of it (empty: not known): a
    large file may be read first for the columns that they name. `parts` are path and name of each
    of several files that are one source, of which `file_path` is the first; else empty.
    """

    type: SourceType = SourceType.AUTO
    connection_string: str | None = Field(default=None, max_length=MAX_PLACE_CHARACTERS)
    file_path: str | None = Field(default=None, max_length=MAX_PLACE_CHARACTERS)
    name: str | None = None
    schema_fingerprint: str | None = None
    options: ReaderOptions = ReaderOptions()
    wanted: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    parts: tuple[tuple[str, str], ...] = ()

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if bool(self.connection_string) == bool(self.file_path):
            raise ValueError("a data source needs a file_path or a connection_string, not both")
        return self

    @property
    def named(self) -> Self:
        """The source as it was named, whatever its request may use of it."""
        options = self.options.model_copy(update={"only": ()})
        return self.model_copy(update={"options": options, "wanted": (), "asked": ()})

    @property
    def of_wanted(self) -> Self:
        """The source, to be read for the wanted columns alone."""
        options = self.options.model_copy(update={"only": self.wanted})
        return self.model_copy(update={"options": options, "wanted": (), "asked": ()})

    @property
    def place(self) -> str:
        """Where it is, as it may be shown and logged: without credentials."""
        return redact(self.connection_string or self.file_path or "")

    @property
    def label(self) -> str:
        """What people call it: the name given, else that of the file or database."""
        return self.name or PurePath(self.place).name or self.place


def redact(url: str) -> str:
    """The URL without user, password or secret parameters; plain paths come back unchanged."""
    shown = _CREDENTIALS.sub(r"\g<scheme>***@", url)
    return _SECRET_PARAMETER.sub(r"\g<name>***", shown) if "://" in shown else shown
