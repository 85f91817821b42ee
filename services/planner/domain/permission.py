"""Policy as far as the planner checks it: before tables are chosen, on the question itself."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mesh.errors import COLUMN_BLOCKED, QUESTION_BLOCKED, AssayError
from mesh.policy import Policy
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.request import WorkRequest


def question_refused(request: WorkRequest) -> AssayError | None:
    """The refusal of a question whose own text a blocked pattern matches, or None."""
    found = request.withheld or request.policy.match(request.question)
    return _blocked("question", found) if found else None


def reply_refused(reply: str, policy: Policy) -> AssayError | None:
    """The refusal of an answer to a question back that a blocked pattern matches, or None."""
    found = policy.match(reply)
    return _blocked("answer", found) if found else None


def _blocked(what: str, found: str) -> AssayError:
    return AssayError(
        QUESTION_BLOCKED, f"the {what} holds text that the blocked pattern {found!r} matches"
    )


def column_refused(
    question: str, blocked_columns: Iterable[str], catalogue: Catalogue
) -> AssayError | None:
    """The refusal of a question that names a column policy took away, or None.

    `blocked_columns` are spelled table.column. A name that an allowed table or column bears too
    is not held against the question.
    """
    words = _words(question)
    allowed = _allowed_names(catalogue)
    for name in blocked_columns:
        column = _words(name.rpartition(".")[2])
        if column and column not in allowed and _contains(words, column):
            return AssayError(
                COLUMN_BLOCKED,
                f"not permitted: column {name} is blocked by policy",
                metadata={"column": name},
            )
    return None


def _words(text: str) -> tuple[str, ...]:
    """Lower-case words, split where the case changes and without a plural's s."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return tuple(word.rstrip("s") or word for word in re.findall(r"[a-z0-9]+", spaced.lower()))


def _contains(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    length = len(wanted)
    return any(words[i : i + length] == wanted for i in range(len(words) - length + 1))


def _allowed_names(catalogue: Catalogue) -> set[tuple[str, ...]]:
    names = {_words(table.name) for table in catalogue.tables}
    return names | {_words(column.name) for table in catalogue.tables for column in table.columns}
