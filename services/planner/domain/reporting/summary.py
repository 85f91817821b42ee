"""The answer in words as a file of its own (seed 000: an artifact of type summary)."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.reporting.markdown import escaped, held


def summary_markdown(question: str, text: str, caveats: Sequence[str]) -> str:
    """The question, the answer's own sentences, and what matters for reading them, in Markdown.

    The sentences are those whose numbers are claims of the answer; it says nothing beside them.
    """
    texts = [held(escaped(line)) for line in text.splitlines() if line.strip()]
    parts = [f"# {escaped(' '.join(question.split()))}", *texts]
    if caveats:
        parts.append("\n".join(f"- {held(escaped(caveat))}" for caveat in caveats))
    return "\n\n".join(parts) + "\n"
