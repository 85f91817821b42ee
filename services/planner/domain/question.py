"""A question with what it is asked of and what is wanted of it (seed 000, section 1)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, Self

from mesh.errors import INVALID_ARGUMENT, QUESTION_EMPTY, QUESTION_TOO_LONG, AssayError
from services.planner.domain.meaning import Meaning
from services.planner.domain.request import JobKind, WorkRequest
from services.planner.domain.routing.asked import AskedDomain
from services.planner.domain.routing.decision import DomainRoutingDecision
from services.planner.domain.statements.requested_chart import RequestedChart
from services.planner.domain.statements.requested_test import RequestedTest

MAX_INTENT_CHARACTERS = 2_000
MAX_STATEMENT_CHARACTERS = 50_000
MAX_CORRECTIONS = 10


class Deliverable(StrEnum):
    """What an analysis hands over."""

    TABLES = "tables"
    CHARTS = "charts"
    REPORTS = "reports"
    SUMMARY = "summary"


class AnalysisRequest(WorkRequest):
    """A question as it was submitted; `validated` says whether it may become a job.

    Exactly one of `intent`, in words, and `statement`, one SELECT to be run as it is, is set.
    `choice` answers beforehand what would be asked back; `corrections` are said against how the
    question is read. With `follows_job_id` the intent is words that change the reading of that job:
    "and by region?". `after_job_id` is a job that was answered before in the conversation: words
    that look like a question of their own may go on from it. `domains` are those that the question
    was put to by `routing`, or that it could mean; empty where the request names its sources.
    `means` is what the statement means, as its author declares; `test` what is tested over its
    rows, `chart` what is drawn of them; `frame` the name by which later ones of its session may
    read its table, empty outside one.
    """

    kind: Literal[JobKind.ANALYSIS] = JobKind.ANALYSIS
    intent: str = ""
    statement: str = ""
    deliverables: tuple[Deliverable, ...] = tuple(Deliverable)
    assume: bool = False
    choice: str = ""
    corrections: tuple[str, ...] = ()
    follows_job_id: str = ""
    after_job_id: str = ""
    domains: tuple[AskedDomain, ...] = ()
    routing: DomainRoutingDecision | None = None
    means: Meaning = Meaning()
    test: RequestedTest = RequestedTest()
    chart: RequestedChart = RequestedChart()
    frame: str = ""

    @property
    def asks_elsewhere(self) -> bool:
        """Whether domains are asked, which may all be tools, or not to be asked."""
        return bool(self.domains)

    def going_on_from(self, before: AnalysisRequest, domain: str) -> Self:
        """The same about what an earlier question was put to: its sources, and the one of its
        domains that answered (empty where there is only one)."""
        asked = [one for one in before.domains if domain in ("", one.name)][:1]
        sources = tuple(before.data_sources[place] for one in asked for place in one.sources)
        places = tuple(range(len(sources)))
        return self.model_copy(
            update={
                "data_sources": sources,
                "domains": tuple(one.model_copy(update={"sources": places}) for one in asked),
                "routing": before.routing,
            }
        )

    @property
    def question(self) -> str:
        """The question itself, in words or as a statement."""
        return self.statement or self.intent

    def asking(self, text: str) -> Self:
        """The same with another question."""
        return self.model_copy(update={"statement" if self.statement else "intent": text})

    def validated(self) -> Self:
        """The request itself.

        Raises AssayError: QUESTION_EMPTY, QUESTION_TOO_LONG, INVALID_ARGUMENT for a question and a
        statement at once, and as `check_terms` does.
        """
        if self.statement and self.intent:
            raise AssayError(
                INVALID_ARGUMENT,
                "the request holds a question and a statement",
                fields={"analysis.statement": "must not be set beside analysis.intent"},
            )
        if not self.question.strip():
            raise AssayError(
                QUESTION_EMPTY,
                "the question is empty",
                fields={"analysis.intent": "must not be empty"},
            )
        self._at_most("intent", "question", self.intent, MAX_INTENT_CHARACTERS)
        self._at_most("statement", "statement", self.statement, MAX_STATEMENT_CHARACTERS)
        if self.means.is_declared and not self.statement:
            raise AssayError(
                INVALID_ARGUMENT,
                "the request declares what a statement means, and has no statement",
                fields={"analysis.means": "goes with analysis.statement"},
            )
        for name, what in (("test", self.test.kind), ("chart", self.chart.kind)):
            if what and not self.statement:
                raise AssayError(
                    INVALID_ARGUMENT,
                    f"the request asks for a {name}, and has no statement whose rows it is of",
                    fields={f"analysis.{name}": "goes with analysis.statement"},
                )
        if self.test.kind and self.chart.kind:
            raise AssayError(
                INVALID_ARGUMENT,
                "the request asks for a test and a chart at once",
                hint="Ask for each by itself: both read the same frame.",
                fields={"analysis.chart": "must not be set beside analysis.test"},
            )
        self._at_most("choice", "choice", self.choice, MAX_INTENT_CHARACTERS)
        for text in self.corrections:
            self._at_most("corrections", "correction", text, MAX_INTENT_CHARACTERS)
        if len(self.corrections) > MAX_CORRECTIONS or not all(map(str.strip, self.corrections)):
            raise AssayError(
                INVALID_ARGUMENT,
                f"the request holds {len(self.corrections)} corrections, or one without words",
                fields={"analysis.corrections": f"at most {MAX_CORRECTIONS}, each with words"},
            )
        if self.follows_job_id and (self.statement or self.choice or self.corrections):
            raise AssayError(
                INVALID_ARGUMENT,
                "the request follows a job and holds a statement, a choice or corrections",
                hint="Say each in a turn of its own.",
                fields={"analysis.follows_job_id": "must not be set beside these"},
            )
        self.check_terms()
        return self

    def without_personal_data(self) -> Self:
        """The request as it may be kept: what a blocked pattern matches is in none of its words."""
        kept = super().without_personal_data()
        if kept.withheld:
            kept = kept.model_copy(update=self._unrouted())
        texts = (self.choice, *self.corrections, *self.means.words, *self.test.words)
        texts += self.chart.words
        found = next((f for f in map(self.policy.match, texts) if f is not None), None)
        if found is None:
            return kept
        masked = self.policy.masked
        return kept.model_copy(
            update={
                "choice": masked(self.choice),
                "corrections": tuple(masked(words) for words in self.corrections),
                "means": Meaning(),
                "test": RequestedTest(),
                "chart": RequestedChart(),
                "withheld": kept.withheld or found,
            }
        )

    def _unrouted(self) -> dict[str, Any]:
        """Domains and routing of a question that is refused for its words, without these."""
        masked = self.policy.masked
        domains = tuple(
            domain.model_copy(
                update={
                    "question": masked(domain.question),
                    "call": domain.call and domain.call.model_copy(update={"arguments": {}}),
                }
            )
            for domain in self.domains
        )
        routing = self.routing and self.routing.model_copy(
            update={
                "user_query": masked(self.routing.user_query),
                "reasoning": "It is not told of a question that is refused.",
                "questions": {},
            }
        )
        return {"domains": domains, "routing": routing}

    def _at_most(self, name: str, sentence: str, text: str, most: int) -> None:
        if len(text) > most:
            raise AssayError(
                QUESTION_TOO_LONG,
                f"the {sentence} has {len(text):,} characters, at most {most:,} are read",
                fields={f"analysis.{name}": f"at most {most} characters"},
            )


def analysis_of(request: WorkRequest) -> AnalysisRequest:
    """The request of a job that is an analysis. Raises ValueError for one of another kind."""
    if not isinstance(request, AnalysisRequest):
        raise ValueError(f"request {request.request_id} asks for no analysis")
    return request
