"""One turn of `assay chat`: what is known of it while it goes on, and its response for machines."""

from __future__ import annotations

from typing import Any

from assay.common.v1.conversation_pb2 import AgentResponse, TurnKind, TurnReading
from assay.common.v1.job_pb2 import JobEvent, JobState
from clients.python import words_of
from clients.python.cli.as_json import state_name
from clients.python.cli.progress import PlanView
from clients.python.cli.put_to import routing_object
from clients.python.cli.screen import Screen
from clients.python.cli.searching import Searching
from mesh.errors import EXIT_CODES, INTERNAL, REASONS, ExitCode

AT_WORK = {
    JobState.JOB_STATE_SUBMITTED,
    JobState.JOB_STATE_PLANNING,
    JobState.JOB_STATE_EXECUTING,
}


class Turn:
    """What is known of a turn while it goes on."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._understood = ""
        self._searching = Searching()
        self.view = PlanView()
        self.reading = TurnReading()
        self.response: AgentResponse | None = None

    def show(self, event: JobEvent) -> None:
        """Take an event; on what is no terminal, say what was understood."""
        self.view.take(event)
        if event.WhichOneof("event") == "understood" and event.understood != self._understood:
            self._understood = event.understood
            self._screen.row("understood", event.understood)
        for label, line in self._searching.render_event(event):
            self._screen.row(label, line)


def exit_code(response: AgentResponse) -> int:
    """What a command that ends with this response exits with."""
    if response.HasField("failure"):
        return EXIT_CODES[REASONS.get(response.failure.reason, INTERNAL).kind]
    asked = response.HasField("clarification") or response.state in AT_WORK
    return ExitCode.COULD_NOT_ANSWER if asked else ExitCode.ANSWERED


def turn_object(line: str, reading: TurnReading, response: AgentResponse) -> dict[str, Any]:
    """A turn for machines."""
    asked = response.clarification if response.HasField("clarification") else None
    failure = response.failure if response.HasField("failure") else None
    return {
        "said": line,
        "turn": TurnKind.Name(reading.kind).removeprefix("TURN_KIND_").lower(),
        "because": reading.reason,
        "follows": reading.follows_job_id or None,
        "edit": response.edit,
        "understood": response.understood,
        "answer": response.answer,
        "state": state_name(response.state) if response.state else None,
        "confidence": words_of.sureness(response),
        "confidence_reasons": list(response.confidence_reasons),
        "domains": routing_object(response),
        "sources": list(response.sources),
        "tools": [call.tool_name for call in response.tool_calls_made],
        "suggestions": list(response.suggestions),
        "partial": response.partial_results,
        "options": [option.text for option in asked.options] if asked is not None else None,
        "failure": failure.reason if failure is not None else None,
        "files": [artifact.content_ref for artifact in response.artifacts],
        "job": response.job_id or None,
        "about": response.about_job_id or None,
        "milliseconds": response.total_execution_time.ToMilliseconds(),
    }
