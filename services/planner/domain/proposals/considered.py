"""A proposal beside the one that stands: whose it is, and how what it gives compares."""

from __future__ import annotations

from typing import Any, Literal

from services.planner.domain.catalogue import Frozen

Compared = Literal["same", "subset", "scaled", "differs", "fails", "not_compared"]


class Considered(Frozen):
    """How another proposal compares with the one that stands, by what they give.

    `subset` is the same rows with columns more or fewer, `scaled` the same but for percent against
    fraction; `fails` is one that cannot stand; `not_compared` where the data did not answer.
    `told` says what separates them, or what it fails for; `clause` in which parts the statements
    differ, where that is known; `glimpse` is a little of what it gives, where it was run. The first
    three agree.
    """

    proposer: str
    interpretation: str = ""
    statement: str = ""
    compared: Compared
    told: str = ""
    clause: str = ""
    glimpse: str = ""

    @property
    def of_rules(self) -> bool:
        """Whether it is another reading of the built-in reader's."""
        return self.proposer == "rules"

    @property
    def untried(self) -> Considered:
        """The same where nothing was run: what it gave may be otherwise by now."""
        return self.model_copy(update={"compared": "not_compared", "told": "", "glimpse": ""})

    @property
    def agrees(self) -> bool:
        """Whether it supports the one that stands."""
        return self.compared in ("same", "subset", "scaled")


def considered(
    proposal: dict[str, Any] | None, who: str, understood: str, compared: Compared, text: str = ""
) -> Considered:
    """A proposal as JSON, as it is kept beside another; one without a statement by who made it."""
    made = proposal or {}
    return Considered(
        proposer=str(made.get("proposer", who)),
        interpretation=str(made.get("interpretation", understood)),
        statement=str(made.get("statement", "")),
        compared=compared,
        told=text,
    )
