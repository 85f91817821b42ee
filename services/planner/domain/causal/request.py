"""What a causal job is asked for (seed 001)."""

from __future__ import annotations

import json
from typing import Literal, Self

from mesh.errors import INVALID_ARGUMENT, QUESTION_TOO_LONG, AssayError
from mesh.text.asking import effect_question
from services.planner.domain.causal.graph import CausalPair
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.origin import Origin
from services.planner.domain.causal.state import MAX_ITERATIONS
from services.planner.domain.request import JobKind, WorkRequest

CAUSAL_SECONDS = 900.0
"""Time that a causal job has unless it is said: discovery and calibration take minutes."""
MAX_CAUSAL_SECONDS = 3_600.0
MAX_CONTEXT_CHARACTERS = 5_000
MAX_METADATA_CHARACTERS = 200_000
MOST_ROWS = 100_000
MOST_ITERATIONS = 10


class CausalRequest(WorkRequest):
    """A dataset, and optionally a treatment and an outcome, as they were submitted.

    `table` names one of several; `relation` is a SELECT that makes the data instead, as a finding
    of an investigation hands it over. `metadata` is the JSON text of the dataset's own metadata.
    `rows` are the most that are looked at: a random sample of what is more. `origin` is the finding
    that is asked about, whose rows then are the data. The effect is told by `modifiers` too. Of a
    treatment with several values `treated` is the one that is judged, `reference` what all others
    are held against. `pairs` are estimated beside, and not judged.
    """

    kind: Literal[JobKind.CAUSAL] = JobKind.CAUSAL
    treatment: str = ""
    outcome: str = ""
    table: str = ""
    relation: str = ""
    knowledge: Knowledge = Knowledge()
    metadata: str = ""
    max_iterations: int = MAX_ITERATIONS
    rows: int = MOST_ROWS
    seed: int = 0
    asked: str = ""
    origin: Origin | None = None
    modifiers: tuple[str, ...] = ()
    treated: str = ""
    reference: str = ""
    pairs: tuple[CausalPair, ...] = ()

    @property
    def question(self) -> str:
        """What is asked, in words."""
        return self.asked or effect_question(self.treatment, self.outcome)

    @property
    def statement(self) -> str:
        """Nothing: a causal job makes its own statements."""
        return ""

    @property
    def most_seconds(self) -> float:
        """The longest timeout that it may have."""
        return MAX_CAUSAL_SECONDS

    def asking(self, text: str) -> Self:
        """The same in other words."""
        return self.model_copy(update={"asked": text})

    def validated(self) -> Self:
        """The request itself.

        Raises AssayError: INVALID_ARGUMENT, QUESTION_TOO_LONG, and as `check_terms` does.
        """
        self.check_terms()
        for name, text, most in (
            ("knowledge.notes", self.knowledge.notes, MAX_CONTEXT_CHARACTERS),
            ("metadata", self.metadata, MAX_METADATA_CHARACTERS),
            ("question", self.asked, MAX_CONTEXT_CHARACTERS),
        ):
            if len(text) > most:
                raise AssayError(
                    QUESTION_TOO_LONG,
                    f"the {name} has {len(text):,} characters, at most {most:,} are read",
                    fields={f"causal.{name}": f"at most {most} characters"},
                )
        if self.treatment and self.treatment == self.outcome:
            raise _refused("outcome", f"treatment and outcome are both {self.outcome}")
        if not 0 <= self.max_iterations <= MOST_ITERATIONS:
            raise _refused("max_iterations", f"there are 0 to {MOST_ITERATIONS} iterations")
        if not 20 <= self.rows <= MOST_ROWS:
            raise _refused("rows", f"20 to {MOST_ROWS:,} rows are looked at")
        if self.metadata:
            try:
                value = json.loads(self.metadata)
            except ValueError as error:
                raise _refused("metadata", f"the metadata are no JSON: {error}") from error
            if not isinstance(value, dict):
                raise _refused("metadata", "the metadata are no JSON object")
        return self

    def without_personal_data(self) -> Self:
        """The request as it may be kept: what a blocked pattern matches is in none of its words."""
        texts = ("treatment", "outcome", "asked")
        found = next((f for f in (self.policy.match(getattr(self, n)) for n in texts) if f), None)
        found = found or self.policy.match(self.knowledge.notes)
        if found is None:
            return self
        masked = {name: self.policy.masked(getattr(self, name)) for name in texts}
        notes = self.policy.masked(self.knowledge.notes)
        knowledge = self.knowledge.model_copy(update={"notes": notes})
        return self.model_copy(update={**masked, "knowledge": knowledge, "withheld": found})


def _refused(field: str, what: str) -> AssayError:
    return AssayError(INVALID_ARGUMENT, what, fields={f"causal.{field}": what})
