"""An investigation or a causal job at work: hypotheses as they come, what each iteration finds,
what each critique says."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from assay.common.v1.findings_pb2 import (
    CritiqueDecision,
    Finding,
    Hypothesis,
    HypothesisStatus,
)
from assay.common.v1.job_pb2 import JobEvent
from clients.python.cli.words import count

_OF_DIMENSION = "It depends on "
_MARKS = {
    HypothesisStatus.HYPOTHESIS_STATUS_CONFIRMED: ("borne out", "green"),
    HypothesisStatus.HYPOTHESIS_STATUS_RULED_OUT: ("ruled out", "dim"),
}


class Searching:
    """Turns events into lines. A finding waits for how its hypothesis stands after it, told
    right behind it."""

    def __init__(self) -> None:
        """Nothing was told yet; `on` says whether the job tells of such things at all."""
        self.on = False
        self._hypotheses: dict[str, Hypothesis] = {}
        self._introduced = False
        self._waiting: Finding | None = None
        self._shown = 0

    def render_event(self, event: JobEvent) -> Iterator[tuple[str, Text]]:
        """The lines that an event gives, each with its label."""
        kind = event.WhichOneof("event")
        if kind == "critique":
            decision = CritiqueDecision.Name(event.critique.decision)
            value = decision.removeprefix("CRITIQUE_DECISION_").lower()
            yield "critique", Text(f"{value}: {event.critique.reasoning}")
            return
        if kind == "hypothesis":
            new = event.hypothesis
            self._hypotheses[new.hypothesis_id] = new
            if self._waiting and self._waiting.hypothesis_affected == new.hypothesis_id:
                yield self._line()
            return
        if self._waiting is not None:
            yield self._line()
        if self._hypotheses and not self._introduced:
            self._introduced = True
            yield "suspects", Text(self._suspects())
        if kind == "finding":
            self._waiting = event.finding

    def _line(self) -> tuple[str, Text]:
        found = self._waiting
        assert found is not None
        self._waiting = None
        self._shown += 1
        line = Text(found.summary)
        hypothesis = self._hypotheses.get(found.hypothesis_affected)
        if hypothesis is not None and hypothesis.status in _MARKS:
            word, style = _MARKS[hypothesis.status]
            line.append(f"  {word}", style)
        return ("found" if self._shown == 1 else "", line)

    def _suspects(self) -> str:
        """What may be behind it, in a line."""
        known = list(self._hypotheses.values())
        names = [
            h.title.removeprefix(_OF_DIMENSION) for h in known if h.title.startswith(_OF_DIMENSION)
        ]
        others = [
            h.title[:1].lower() + h.title[1:]
            for h in known
            if not h.title.startswith(_OF_DIMENSION)
        ]
        text = "; ".join([*others, *([f"it depends on {', '.join(names)}"] if names else [])])
        return f"{count(len(known), 'hypothesis', 'hypotheses')}: {text}"
