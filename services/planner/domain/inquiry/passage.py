"""What a finished job can be asked about, and the words of its own that tell of it."""

from __future__ import annotations

from enum import StrEnum

from services.planner.domain.catalogue import Frozen


class Topic(StrEnum):
    """What is asked about; each value is the noun phrase that names it for people."""

    ANSWER = "the answer"
    READING = "how the question was understood"
    ASSUMED = "what was assumed"
    SURE = "how sure it is"
    SOURCES = "the data that were used"
    COMPUTED = "how it was computed"
    FILES = "the files that were made"
    NEXT = "what to do next"
    # investigations
    EXPLAINED = "what explains the change"
    CHANGE = "the change"
    USUAL = "whether such a change is usual"
    ONSET = "when it began"
    RULED_OUT = "what was ruled out"
    OPEN = "what is not settled"
    HYPOTHESES = "the hypotheses"
    QUALITY = "whether the data are sound"
    SPLIT = "what it was split by"
    # causal studies
    EFFECT = "the effect"
    PLACEBO = "the tests that should find nothing"
    UNSEEN = "what an unseen cause would have to be"
    ADJUSTED = "what was adjusted for"
    VERDICT = "the verdict"
    OVERLAP = "whether the groups can be compared"
    METHODS = "what the methods give"
    PLAIN = "the plain comparison"
    GRAPH = "the graph"
    REPAIRS = "repairs to the data"


class Cell(Frozen):
    """A text that a passage quotes: its row, from 0, of so many `rows` of a step's frame."""

    task_id: str
    row: int
    rows: int
    column: str
    text: str


class Passage(Frozen):
    """One thing that a job tells, in words that it recorded.

    `topics` are what it is an answer to. `own` says that the words are the answer's own or a cell
    of a frame, which are held against the record as they stand; the numbers of any other words
    have to be claims. `about` are further words that name what it is about, `rank` its place among
    those of a topic. `cell` is where quoted words stand that are a cell's.
    """

    topics: tuple[Topic, ...]
    text: str
    own: bool = False
    about: str = ""
    rank: int = 1
    calls: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    cell: Cell | None = None
