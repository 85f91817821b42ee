"""The blocks a report is made of; every renderer knows each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from services.planner.domain.answer import Claim
from services.planner.domain.calls import Artifact
from services.planner.domain.reporting.prose import Ledger, Prose


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; `small` for what is said beside the matter."""

    prose: Prose
    small: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: tuple[Prose, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """The chart: as a file beside the report, and its bytes."""

    artifact: Artifact
    content: bytes
    alternative: Prose

    @property
    def file_name(self) -> str:
        """The artifact's own name, without folders."""
        return self.artifact.content_ref.replace("\\", "/").rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of one frame as texts; `numeric` says which columns are aligned right.

    `hidden_columns` counts those that were left out on the right.
    """

    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    hidden_columns: int = 0


@dataclass(frozen=True, slots=True)
class Code:
    """Text that was or can be run, exactly as it is. `folded` hides it behind its summary."""

    text: str
    language: str = ""
    folded: str = ""


@dataclass(frozen=True, slots=True)
class StepText:
    """One step in words with what it ran."""

    title: Prose
    details: tuple[Prose, ...]
    codes: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class ClaimList:
    """Every claim, each with an anchor that numbers in the answer link to."""

    claims: tuple[Claim, ...]


Block = Paragraph | Bullets | Picture | Grid | Code | StepText | ClaimList


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading; an empty heading stands for the report's opening."""

    heading: str
    blocks: tuple[Block, ...]


class Titled(Protocol):
    """What a renderer needs of a narration."""

    @property
    def headline(self) -> Prose:
        """The title, with where its numbers are from."""
        ...


class ReportSource(Protocol):
    """A report of any kind of work, as renderers know it."""

    @property
    def narration(self) -> Titled:
        """Its title."""
        ...

    @property
    def ledger(self) -> Ledger:
        """What every piece of its prose is held against."""
        ...

    def sections(self) -> tuple[Section, ...]:
        """Its parts, in order."""
        ...
