"""Proposals of those who fill in no form: the built-in reader, a recipe, and a person's statement.

What a language model proposes is in `adapters/llm/proposing.py`. An answer that takes several
statements is no proposal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.plan import PlanDraft
from services.planner.domain.proposals.binding import bindings_of, links_by_name
from services.planner.domain.proposals.described import described
from services.planner.domain.query.intent import Link
from services.planner.domain.statements.proposal import MOST_STATEMENT, Proposal
from services.planner.domain.statements.readable import QUERYING_TOOL, filled_in

PERSON, RULES, RECIPE = "person", "rules", "recipe"
_TESTING = "stats.test"
_LONGEST_TEXT = 600


def by_rules(
    question: str, understood: str, links: Sequence[Link], draft: PlanDraft, catalogue: Catalogue
) -> Proposal | None:
    """The built-in reader's, from what it tied words to; None without one statement."""
    text = statement_that_answers(draft)
    bindings = bindings_of(question, links, text)
    return _made(RULES, understood, text, catalogue, bindings=bindings)


def by_recipe(
    recipe_id: str, question: str, understood: str, draft: PlanDraft, catalogue: Catalogue
) -> Proposal | None:
    """A recipe's: its words are found again by the names and values that the statement has."""
    text = statement_that_answers(draft)
    bindings = bindings_of(question, links_by_name(question, text), text)
    return _made(f"{RECIPE}:{recipe_id}", understood, text, catalogue, bindings=bindings)


def by_person(text: str, understood: str, catalogue: Catalogue) -> Proposal | None:
    """A statement that somebody wrote: its words are its own. None for a very long one."""
    return _made(PERSON, understood, text, catalogue)


def statement_that_answers(draft: PlanDraft) -> str:
    """The one statement whose rows the answer is, or is worked out from, with its parameters in
    their places; empty where there are several, or none."""
    by_id = {task.task_id: task for task in draft.subtasks}
    waiting, seen, found = [draft.answer_task], set[str](), list[str]()
    while waiting:
        task = by_id.get(waiting.pop())
        if task is None or task.task_id in seen:
            continue
        seen.add(task.task_id)
        waiting += task.dependencies
        if task.tool_name == QUERYING_TOOL:
            query, params = task.arguments.get("query"), task.arguments.get("params") or []
            found.append(filled_in(str(query), params))
    return found[0] if len(found) == 1 else ""


def _made(
    who: str, understood: str, text: str, catalogue: Catalogue, **more: Any
) -> Proposal | None:
    if not text.strip() or len(text) > MOST_STATEMENT:
        return None
    columns, grain = described(text, catalogue)
    return Proposal(
        proposer=who,
        interpretation=understood[:_LONGEST_TEXT],
        statement=text,
        columns=columns,
        grain=grain,
        **more,
    )
