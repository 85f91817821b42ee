"""The flow of `assay chat`: a line is said, its work shown while it goes on, then its answer."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.live import Live
from rich.text import Text

from assay.common.v1.conversation_pb2 import AgentResponse, TurnKind, TurnReading
from assay.common.v1.job_pb2 import Job
from assay.gateway.v1.job_service_pb2 import CreateJobRequest
from clients.python.cli.asking import Following
from clients.python.cli.connection import Place, connected
from clients.python.cli.dropped import dropped_files
from clients.python.cli.lines import Lines
from clients.python.cli.naming import whole_session_id
from clients.python.cli.offering import Offering
from clients.python.cli.pictures import show_pictures
from clients.python.cli.put_to import show_domains, show_routing
from clients.python.cli.quoted import show_quoted
from clients.python.cli.result import failure_of, gather, show_result
from clients.python.cli.screen import Screen, error_object
from clients.python.cli.statements import show_glimpse, show_statements, stated
from clients.python.cli.stopping import stopped
from clients.python.cli.tracing import rooted, telling
from clients.python.cli.turn_object import AT_WORK, Turn, exit_code, turn_object
from clients.python.cli.unclear import show_unclear
from clients.python.cli.words import short_id, short_path
from clients.python.client import AssayClient
from clients.python.question import Question
from mesh.errors import (
    CANCELLED,
    EXIT_CODES,
    INTERNAL,
    INVALID_ARGUMENT,
    NOT_FOUND,
    REASONS,
    AssayError,
    ExitCode,
)
from mesh.homes import home_folder

_HELP = """Say what you want to know, and go on from the answer: "and by region?", "only 1997",
"top 5 only", "make it a line chart", "why?", "no, I meant net price", "the second one".
/undo takes back what was said last, /redo brings it back. /sql shows the queries of the last
answer, /why asks why it moved, /export FILE.md writes down what was said, /quit ends. The path of a
file, and nothing else, begins a conversation about it."""
_CHANGES = {
    TurnKind.TURN_KIND_FOLLOW_UP,
    TurnKind.TURN_KIND_CORRECTION,
    TurnKind.TURN_KIND_WHY,
    TurnKind.TURN_KIND_CAUSE,
}


async def talk(screen: Screen, place: Place, about: Question, goes_on: str = "") -> int:
    """Hold a conversation with whoever types or sends lines; the exit code of its last answer.

    Raises AssayError for sources that cannot be, and for a conversation that there is none of.
    """
    about = about.located()
    about.check()
    async with connected(place, screen) as client:
        conversation_id = await _found(client, goes_on) if goes_on else ""
        if about.session:
            about = replace(about, session=await whole_session_id(client, about.session))
        named = _names_data(about)
        terms = await client.request(about) if named or not goes_on else None
        if not (named or goes_on):
            await show_domains(screen, client)
        talking = Talking(screen, place, client, conversation_id, terms)
        lines = Lines("> ", home_folder(place.home) / "chat_history", talking.offering)
        naming = asyncio.ensure_future(_name(client, about, talking.offering, lines.typed))
        try:
            with telling(place):
                return await talking.run(lines)
        finally:
            naming.cancel()


async def _name(client: AssayClient, about: Question, offering: Offering, typed: bool) -> None:
    """Have the names in the data offered to who types, once they are known; it goes on without."""
    if not typed:
        return
    with contextlib.suppress(AssayError):
        offering.know(source.name for source in await client.sources.all())
        if _names_data(about):
            offering.know_data(await client.look(about))


def _names_data(about: Question) -> bool:
    """Whether it says itself what it is about, so that no domain has to be chosen."""
    return bool(about.data or about.databases or about.on or about.session)


async def _found(client: AssayClient, start: str) -> str:
    """The id of the conversation that begins so. Raises AssayError(NOT_FOUND, INVALID_ARGUMENT)."""
    if len(start) == 32:
        return start
    known = await client.conversations.newest(100)
    fits = [one for one in known if one.conversation_id.startswith(start)]
    if len(fits) == 1:
        return fits[0].conversation_id
    if not fits:
        raise AssayError(NOT_FOUND, f"there is no conversation {start}")
    raise AssayError(INVALID_ARGUMENT, f"{len(fits)} conversations begin with {start}")


class Talking:
    """One conversation at the command line."""

    def __init__(
        self,
        screen: Screen,
        place: Place,
        client: AssayClient,
        conversation_id: str,
        terms: CreateJobRequest | None,
    ) -> None:
        self._screen = screen
        self._place = place
        self._client = client
        self._conversation_id = conversation_id
        self._terms = terms
        self._job: Job | None = None
        self._turns = 0
        self.offering = Offering()

    async def run(self, lines: Lines) -> int:
        """Take lines until they end; the exit code of the last answer."""
        code = int(ExitCode.ANSWERED)
        while (line := await lines.next()) is not None:
            if line in ("/quit", "/exit"):
                break
            if line.startswith("/export"):
                await self._export(line.removeprefix("/export").strip())
            elif line in ("/undo", "/redo"):
                await self._move(line)
            elif dropped := dropped_files(line):
                await self._begin_about(dropped)
            elif line.startswith("/") and line != "/why":
                self._command(line)
            elif line:
                code = await self._run_turn("why?" if line == "/why" else line)
        if self._conversation_id and not self._screen.as_json and self._turns:
            start = short_id(self._conversation_id)
            self._screen.remark(f"go on with: assay chat --continue {start}")
        return code

    def _command(self, line: str) -> None:
        if line == "/sql" and self._job is None:
            self._screen.row("sql", "nothing was asked yet, or it was taken back")
        elif line == "/sql" and self._job is not None and not stated(self._job.steps):
            text = f"assay trace {short_id(self._job.job_id)}"
            self._screen.row("sql", f"this turn ran no query of its own; all it did: {text}")
        elif line == "/sql" and self._job is not None:
            show_statements(self._screen, self._job.steps)
        else:
            self._screen.row("help", _HELP)

    async def _move(self, line: str) -> None:
        """Take back what was said last, or bring back what was taken back last."""
        from clients.python.cli.undoing import redo, undo

        name, does = ("taken back", undo) if line == "/undo" else ("restored", redo)
        try:
            moved = await does(self._client, self._conversation_id) if self._conversation_id else []
        except AssayError as error:
            self._refused(error, line)
            return
        self._job = None
        if self._screen.as_json:
            self._object({"said": line, name.replace(" ", "_"): moved})
        else:
            self._screen.row(name, " · ".join(moved) or "there is nothing")

    async def _export(self, name: str) -> None:
        from clients.python.cli.chat_export import export_conversation

        if not self._conversation_id:
            self._screen.row("export", "nothing was said yet")
            return
        path = Path(name or f"assay-{short_id(self._conversation_id)}.md").expanduser().absolute()
        try:
            await export_conversation(self._client, self._conversation_id, path)
        except AssayError as error:
            self._refused(error)
        else:
            self._screen.row("exported", short_path(path))

    async def _begin_about(self, files: tuple[str, ...]) -> None:
        """Go over to a new conversation, about files whose names were typed or dropped here."""
        about = Question(text="chat", data=files).located()
        try:
            about.check()
            self._terms = await self._client.request(about)
            self.offering.know_data(await self._client.look(about))
        except AssayError as error:
            self._refused(error)
            return
        self._conversation_id, self._job = "", None
        self._screen.row("about", ", ".join(Path(file).name for file in files))

    async def _run_turn(self, line: str) -> int:
        """One turn; its exit code. What is refused is told, and the conversation goes on."""
        turn = Turn(self._screen)
        self._turns += 1
        try:
            with rooted(self._place, "chat"):
                await self._take(turn, line)
        except asyncio.CancelledError:
            await self._stop(turn)
            raise
        except AssayError as error:
            if error.reason is CANCELLED:
                raise
            return self._refused(error, line)
        if turn.response is None:
            return self._refused(AssayError(INTERNAL, "the turn ended without an answer"), line)
        if self._screen.as_json:
            self._object(turn_object(line, turn.reading, turn.response))
            return exit_code(turn.response)
        return await self._show(turn.response, turn.reading)

    def _refused(self, error: AssayError, line: str = "") -> int:
        """Tell an error, in JSON as an object on a line; its exit code."""
        if not self._screen.as_json:
            return self._screen.error(error)
        self._object({"said": line or None, "error": error_object(error)})
        return EXIT_CODES[error.reason.kind]

    async def _stop(self, turn: Turn) -> None:
        """Cancel the job of a turn that was interrupted."""
        if not turn.reading.job_id:
            return
        found = await stopped(self._screen, self._client, turn.reading.job_id)
        if found.message:
            self._screen.remark(f"{found.message} · assay show {short_id(turn.reading.job_id)}")

    async def _take(self, turn: Turn, line: str) -> None:
        screen = self._screen
        if not screen.as_json and not screen.live:
            screen.row("said", line)
        values = self._client.conversations.send(
            line, conversation_id=self._conversation_id, terms=self._terms
        )
        live = Live(turn.view, console=screen.out, refresh_per_second=10) if screen.live else None
        if live is not None:
            live.start()
        try:
            async for value in values:
                kind = value.WhichOneof("told")
                if kind == "asked":
                    self._conversation_id = value.asked.conversation.conversation_id
                    self._terms = None
                elif kind == "reading":
                    turn.reading = value.reading
                elif kind == "event":
                    turn.show(value.event)
                elif kind == "response":
                    turn.response = value.response
        finally:
            await values.aclose()
            if live is not None:
                live.transient = not turn.view.steps
                live.stop()

    async def _show(self, response: AgentResponse, reading: TurnReading) -> int:
        """The response for people; of work that goes on, its end once there is one."""
        screen = self._screen
        if response.about_job_id and not response.HasField("failure"):
            return show_quoted(screen, response)
        if not response.job_id:
            show_routing(screen, response)
            reason = REASONS.get(response.failure.reason, INTERNAL)
            return screen.error(
                AssayError(reason, response.failure.message, hint=response.failure.hint)
            )
        job = await self._client.get_job(response.job_id)
        if response.partial_results and job.state in AT_WORK:
            following = Following(screen, self._client, job.job_id)
            return await following.run(self._client.get_job(job.job_id))
        self._job = job
        show_routing(screen, response)
        if response.edit:
            if response.edit in job.answer.caveats:  # what is told here is not told again below
                job.answer.caveats.remove(response.edit)
            screen.row("edit", response.edit, "cyan")
        elif reading.kind in _CHANGES and failure_of(job) is None:  # else it changed nothing
            screen.row("edit", reading.reason, "cyan")
        if response.HasField("clarification"):
            show_unclear(screen, response.clarification, "say which, by its number or in words")
            return ExitCode.COULD_NOT_ANSWER
        failed = failure_of(job)
        if failed is not None:
            return screen.error(failed)
        show_glimpse(screen, job)
        result = await gather(self._client, job, whole_table=False)
        show_result(screen, result, response.total_execution_time.ToMilliseconds() / 1000)
        show_pictures(screen, [path for _, path in result.files if path.suffix == ".png"])
        if response.suggestions:
            screen.row("next", Text(" · ".join(response.suggestions), "dim"))
        screen.space()
        return result.exit_code

    def _object(self, value: dict[str, Any]) -> None:
        self._screen.object({"conversation": self._conversation_id or None, **value}, indent=None)
        self._screen.out.file.flush()
