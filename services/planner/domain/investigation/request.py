"""What an investigation is asked for (seed 002, InvestigationContext)."""

from __future__ import annotations

import re
from typing import Literal, Self

from mesh.errors import INVALID_ARGUMENT, METRIC_SQL_REQUIRED, QUESTION_TOO_LONG, AssayError
from mesh.text.asking import forecast_question, movement_question
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.request import JobKind, WorkRequest

MAX_METRIC_CHARACTERS = 2_000
MAX_CONTEXT_CHARACTERS = 5_000
MAX_PROMPT_CHARACTERS = 2_000
INVESTIGATION_SECONDS = 120.0
"""Time that an investigation has unless it is said: it runs many analyses."""

_ASKS_WHY = re.compile(
    r"\b(?:why|how come|what|explain|reasons?|causes?|drivers?)\b", re.IGNORECASE
)


def asks_why(question: str) -> bool:
    """Whether a question may be one why something is so; `why.why_moved` reads whether it is."""
    return _ASKS_WHY.search(question) is not None


class InvestigationRequest(WorkRequest):
    """A metric, a baseline and a comparison period, as they were submitted.

    `metric_sql` is SQL over the tables (`sum(amount)`, `sum(revenue) / count(*)`), words, or a
    metric of the semantic model. `time_column` is needed where the data has several times and does
    not say which; empty for the one there is. With `leaf` the data are already one row a
    combination of values, with what was real and what was forecast: the forecast stands for the
    baseline, and there are no periods; `real_column` and `predicted_column` name the columns, of a
    ratio two with a slash between, and are found by their names where empty. `asked` is the
    question in words, where there is one: what it says of time stands for periods that are not set,
    once the data tells which days that are.
    """

    kind: Literal[JobKind.INVESTIGATION] = JobKind.INVESTIGATION
    metric_sql: str = ""
    baseline_period: DateRange | None = None
    comparison_period: DateRange | None = None
    business_context: str = ""
    investigation_prompt: str = ""
    time_column: str = ""
    dimensions: tuple[str, ...] = ()
    leaf: bool = False
    real_column: str = ""
    predicted_column: str = ""
    asked: str = ""

    @property
    def question(self) -> str:
        """What is asked, in words."""
        if self.asked:
            return self.asked
        if self.leaf or self.baseline_period is None or self.comparison_period is None:
            return forecast_question(self.metric_sql)
        days = [(str(p.start), str(p.end)) for p in (self.baseline_period, self.comparison_period)]
        return movement_question(self.metric_sql, *days)

    @property
    def statement(self) -> str:
        """Nothing: an investigation makes its own statements."""
        return ""

    @property
    def has_times(self) -> bool:
        """Whether its question tells the periods, and nothing else does."""
        if not self.asked or self.baseline_period or self.comparison_period:
            return False
        from services.planner.domain.investigation.why_times import times_in

        return times_in(self.asked, self.timestamp.date()) is not None

    def asking(self, text: str) -> Self:
        """The same in other words."""
        return self.model_copy(update={"asked": text})

    def validated(self) -> Self:
        """The request itself.

        Raises AssayError: METRIC_SQL_REQUIRED, INVALID_DATE_RANGE, QUESTION_TOO_LONG, and as
        `check_terms` does.
        """
        self.check_terms()
        for name, text, most in (
            ("real_column", self.real_column, MAX_METRIC_CHARACTERS),
            ("predicted_column", self.predicted_column, MAX_METRIC_CHARACTERS),
            ("metric_sql", self.metric_sql, MAX_METRIC_CHARACTERS),
            ("business_context", self.business_context, MAX_CONTEXT_CHARACTERS),
            ("investigation_prompt", self.investigation_prompt, MAX_PROMPT_CHARACTERS),
            ("question", self.asked, MAX_PROMPT_CHARACTERS),
        ):
            if len(text) > most:
                raise AssayError(
                    QUESTION_TOO_LONG,
                    f"the {name.replace('_', ' ')} has {len(text):,} characters, at most {most:,} "
                    "are read",
                    fields={f"investigation.{name}": f"at most {most} characters"},
                )
        self._check_form()
        if self.leaf:
            return self
        if not self.metric_sql.strip():
            raise AssayError(
                METRIC_SQL_REQUIRED,
                "the investigation names no metric",
                fields={"investigation.metric_sql": "must not be empty"},
            )
        if self.has_times:
            return self
        for name in ("baseline_period", "comparison_period"):
            period: DateRange | None = getattr(self, name)
            (period or _missing(name)).validated(name)
        return self

    def _check_form(self) -> None:
        """Raises AssayError(INVALID_ARGUMENT) for days of leaves, and for columns of leaves where
        the data are none."""
        if self.leaf:
            wrong = ["baseline_period", "comparison_period", "time_column"]
            what, hint = "leaves with a forecast have no periods", "Leave it out."
        else:
            wrong = ["real_column", "predicted_column"]
            what, hint = "only leaves with a forecast have such columns", "Ask for leaves: --leaf."
        for name in wrong:
            if getattr(self, name):
                raise AssayError(
                    INVALID_ARGUMENT,
                    f"the investigation names a {name.replace('_', ' ')}, and {what}",
                    hint=hint,
                    fields={f"investigation.{name}": "must not be set"},
                )

    def without_personal_data(self) -> Self:
        """The request as it may be kept: what a blocked pattern matches is in none of its words."""
        texts = ("metric_sql", "business_context", "investigation_prompt", "asked")
        found = next((f for f in (self.policy.match(getattr(self, n)) for n in texts) if f), None)
        if found is None:
            return self
        masked = {name: self.policy.masked(getattr(self, name)) for name in texts}
        return self.model_copy(update={**masked, "withheld": found})


def _missing(name: str) -> DateRange:
    from mesh.errors import INVALID_DATE_RANGE

    raise AssayError(
        INVALID_DATE_RANGE,
        f"the investigation names no {name.replace('_', ' ')}",
        fields={f"investigation.{name}": "must be set"},
    )
