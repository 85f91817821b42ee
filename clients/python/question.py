"""A question with its terms, as a person gives it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from clients.python.charting import Charting
from clients.python.meaning import Meaning
from clients.python.movement import Movement
from clients.python.places import parted
from clients.python.read_options import check_read_options
from clients.python.study import Study
from clients.python.testing import Testing
from mesh.credentials import is_remote
from mesh.errors import (
    INVALID_ARGUMENT,
    QUESTION_EMPTY,
    UNKNOWN_DELIVERABLE,
    AssayError,
)

# Singular and plural, to the number of the contract's enum `Deliverable`.
_DELIVERABLES = {
    "table": 1,
    "tables": 1,
    "chart": 2,
    "charts": 2,
    "report": 3,
    "reports": 3,
    "summary": 4,
    "summaries": 4,
}


DISCLOSURES = ("", "names", "values", "shapes", "results")


@dataclass(frozen=True, slots=True)
class Question:
    """What to find out, from what, within which limits and rules.

    `data` names files and folders, patterns of them and addresses; `databases` URLs such as
    sqlite:///shop.sqlite, `on` sources that the gateway keeps by name; with none of them it is
    about the only one kept. `row_limit` (rows) and `timeout_seconds` are None for the server's
    defaults. `deliverables` are words such as "chart"; none means all. `read` says how files are
    read where their content should not decide: "decimal=,", "sales.csv:type.zip=text". `engine`
    names the one that runs the queries; empty lets the server choose. `disclosure` is the most
    that a language model may be told of the data; empty for as much as the server allows.
    With `assume`, an ambiguous
    question is answered in its best reading instead of coming back; `choice` answers beforehand
    what would be asked, by number or in words, and `corrections` are said against how it is read:
    "no, by ship country". `statement` is one SELECT to be run as it is, in place of a `text`, and
    `means` what its author declares that it means; a
    `movement` is to be explained in place of both, and a `study` tells what causes what. `models`
    names files with semantic models, in place of any that lie beside the data; none of either is
    read where `without_models`. In a `session` uploads are kept in it; with no source named, the
    question is about its files, and names in `on` such as f3 are its frames. `frames` are tables of
    earlier jobs, by their ids.
    """

    text: str = ""
    data: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    deliverables: tuple[str, ...] = ()
    row_limit: int | None = None
    timeout_seconds: int | None = None
    allowed_columns: tuple[str, ...] = ()
    blocked_patterns: tuple[str, ...] = ()
    disclosure: str = ""
    assume: bool = False
    read: tuple[str, ...] = ()
    engine: str = ""
    statement: str = ""
    means: Meaning | None = None
    test: Testing | None = None
    chart: Charting | None = None
    on: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    without_models: bool = False
    choice: str = ""
    corrections: tuple[str, ...] = ()
    movement: Movement | None = None
    study: Study | None = None
    session: str = ""
    frames: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse what needs no server to be refused; the server judges everything else.

        Raises AssayError: QUESTION_EMPTY, UNKNOWN_DELIVERABLE, and
        INVALID_ARGUMENT for an engine that is none or a way to read that means nothing.
        """
        asked = self.movement is not None or self.study is not None
        if not asked and not (self.text.strip() or self.statement.strip()):
            raise AssayError(QUESTION_EMPTY, f"the {self.kind} has no words in it")
        leaf = self.movement is not None and self.movement.leaf
        if leaf and len(self.data) + len(self.databases) + len(self.on) > 1:
            raise AssayError(
                INVALID_ARGUMENT,
                "the leaves are in one file, and further sources are named",
                hint="Give --leaf FILE in place of --data, --db and --on.",
            )
        deliverable_numbers(self.deliverables)
        elsewhere = [url.partition("?")[0] for url in self.databases if is_remote(url)]
        check_read_options(self.read, (*self.data, *elsewhere))
        if self.engine:
            # Here, because the contract's code takes its time, and few name an engine.
            from clients.python.engines import number_of

            number_of(self.engine)
        if self.disclosure not in DISCLOSURES:
            raise AssayError(
                INVALID_ARGUMENT,
                f"there is no level of disclosure {self.disclosure!r}",
                hint=f"Name one of {', '.join(DISCLOSURES[1:])}, or none.",
            )

    def located(self) -> Question:
        """The same question with every pattern in `data` as the files that it matches.

        Addresses of databases in it count as `databases`. Raises AssayError as `places.parted`.
        """
        files, databases = parted(self.data)
        if files == self.data:
            return self
        return replace(self, data=files, databases=(*self.databases, *databases))

    @property
    def kind(self) -> str:
        """What it is, for people: "question", or "statement"."""
        return "statement" if self.statement else "question"


def deliverable_numbers(words: Iterable[str]) -> list[int]:
    """Values of the contract's enum for words such as "chart" or "tables,summary", each once.

    Raises AssayError(UNKNOWN_DELIVERABLE) for any other word.
    """
    numbers: list[int] = []
    for word in (part.strip().lower() for entry in words for part in entry.split(",")):
        if not word:
            continue
        if word not in _DELIVERABLES:
            raise AssayError(
                UNKNOWN_DELIVERABLE,
                f"{word!r} is not something Assay can deliver",
                hint="Name any of table, chart, report, summary, separated by commas.",
            )
        if _DELIVERABLES[word] not in numbers:
            numbers.append(_DELIVERABLES[word])
    return numbers
