"""What a statement is held to that goes on from an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.analysis.in_sight import statement_in_sight
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.proposals.editing import edit_of
from services.planner.domain.proposals.held import find_current_text, held_to
from services.planner.domain.statements.proposal import Proposal


@dataclass(frozen=True)
class Edited:
    """`words` must each be used, `question` is what checks of words hold the statement to, `told`
    says for people what is other than before (empty of a question of its own), and `lost` what is
    gone unasked."""

    words: str
    question: str
    note: str = ""
    lost: tuple[str, ...] = ()


def edited(
    statement: str, texts: Sequence[str], before: Planning | None, catalogue: Catalogue
) -> Edited:
    """What a statement is held to that answers what was said, in order, the last of it now.

    Without an earlier statement in sight every word that was said counts.
    """
    in_sight = statement_in_sight(before) if before is not None and len(texts) > 1 else ""
    if before is None or not in_sight:
        return Edited("\n".join(texts), "\n".join(texts))
    edit = edit_of(in_sight, statement, catalogue)
    own = before.proposal if before.by_model else None
    proposal = Proposal.model_validate(own) if own is not None else None
    lost = tuple(
        f"what was asked before is answered {what}, which “{texts[-1].strip()}” does not say"
        for what in edit.lost(texts[-1])
    )
    question = held_to(texts, in_sight, statement, proposal)
    words = find_current_text(texts[-1], in_sight, statement, proposal)
    return Edited(words, question, edit.description, lost)
