"""How far models have come that are being asked right now, for whoever watches a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class _Request:
    began: float
    tokens: int = 0


class Thinking:
    """Requests to models by job, for as long as they last: how much was heard, and for how long.

    `seconds` is a clock that never goes back. Nothing of what a model says is in it, and nothing
    is kept.
    """

    def __init__(self, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._jobs: dict[str, list[_Request]] = {}

    @contextmanager
    def about(self, job_id: str) -> Iterator[Callable[[int], None]]:
        """A request about a job; what it yields is called with the tokens heard so far."""
        request = _Request(self._seconds())
        self._jobs.setdefault(job_id, []).append(request)

        def heard(tokens: int) -> None:
            request.tokens = tokens

        try:
            yield heard
        finally:
            self._jobs[job_id].remove(request)
            if not self._jobs[job_id]:
                del self._jobs[job_id]

    def describe_progress(self, job_id: str) -> str:
        """How far it is, in words for people; empty while no model is asked about the job."""
        requests = self._jobs.get(job_id)
        if not requests:
            return ""
        seconds = self._seconds() - min(request.began for request in requests)
        tokens = sum(request.tokens for request in requests)
        text = f"{tokens:,} tokens, " if tokens else ""
        return f"the model is thinking: {text}{seconds:.0f} s"
