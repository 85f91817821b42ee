"""`from assay import ask`: questions from Python and Jupyter, whose answers show themselves.

Calls wait for their answer, also where an event loop runs already, as Jupyter's does: the mesh is
talked to in a thread of its own, and stays until the process ends.
"""

from __future__ import annotations

import asyncio
import base64
import sys
import threading
from collections.abc import Coroutine, Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from assay.common.v1.analysis_pb2 import ArtifactType
from clients.python import words_of
from clients.python.cli.connection import Place, Reach, reached
from clients.python.cli.result import Result, gather, proof_line
from clients.python.client import AssayClient
from clients.python.mcp_server.work import Progress, run_turn
from clients.python.question import Question
from mesh.errors import CLARIFICATION_NEEDED, AssayError
from mesh.remarks import changes_reading

if TYPE_CHECKING:
    import pandas as pd

    from assay.gateway.v1.audit_service_pb2 import VerifyJobResponse
    from assay.gateway.v1.job_service_pb2 import CreateJobRequest

T = TypeVar("T")
_SHOWN_ROWS = 20
_CLOSE_SECONDS = 5.0


def ask(
    question: str,
    data: str | Path | Iterable[str | Path] = (),
    *,
    on: Iterable[str] = (),
    server: str | None = None,
    home: str | Path | None = None,
    user: str | None = None,
) -> Answered:
    """Ask a question; the answer, which Jupyter shows with its doubts, table, chart and proof.

    `data` are files, folders and addresses of databases, `on` names of kept sources. Raises
    AssayError, also where the question has several readings, which it names.
    """
    given = (data,) if isinstance(data, str | Path) else tuple(data)
    about = Question(text=question, data=tuple(map(str, given)), on=tuple(on)).located()
    about.check()
    mesh = _mesh(Place(Path(home) if home else None, server, user))
    return mesh.run(_send_message(mesh, question, about=about))


class Answered:
    """An answer of a conversation, with its table, its files and its proof."""

    def __init__(self, mesh: _Mesh, result: Result, conversation: str) -> None:
        self._mesh = mesh
        self._result = result
        self._conversation = conversation

    @property
    def text(self) -> str:
        """In words."""
        return self._result.job.answer.text

    @property
    def doubts(self) -> list[str]:
        """What changes how it is to be read."""
        return [one for one in self._result.job.answer.caveats if changes_reading(one)]

    @property
    def confidence(self) -> str:
        """Sure, likely or doubtful; empty where it is not said."""
        return words_of.sureness(self._result.job.answer)

    @property
    def job(self) -> str:
        """The id of its job."""
        return self._result.job.job_id

    @property
    def frame(self) -> pd.DataFrame:
        """All rows of its table; no columns where it has none."""
        import pandas as pd

        table = self._result.table
        return pd.DataFrame() if table is None else table.to_pandas()

    @property
    def proof(self) -> VerifyJobResponse | None:
        """What was checked, and whether it holds."""
        return self._result.proof

    @property
    def chart(self) -> Path | None:
        """The file of its chart."""
        return next(
            (
                path
                for artifact, path in self._result.files
                if artifact.artifact_type == ArtifactType.ARTIFACT_TYPE_CHART
            ),
            None,
        )

    def follow_up(self, message: str) -> Answered:
        """Go on from it: "and by region?", "only 1997", "why?". Raises AssayError."""
        return self._mesh.run(_send_message(self._mesh, message, conversation=self._conversation))

    def __repr__(self) -> str:
        """Doubts, then the answer, its beginning of a table, and its proof."""
        lines = [
            *self._before(),
            self.text,
            "",
            self.frame.head(_SHOWN_ROWS).to_string(index=False),
        ]
        return "\n".join([*lines, "", self._proved()])

    def _repr_html_(self) -> str:
        parts = [f"<p><em>{escape(line)}</em></p>" for line in self._before()]
        parts.append(f"<p><strong>{escape(self.text)}</strong></p>")
        frame = self.frame
        if len(frame.columns):
            parts.append(frame.head(_SHOWN_ROWS).to_html(index=False, escape=True, border=0))
        if len(frame) > _SHOWN_ROWS:
            parts.append(f"<p>… {len(frame) - _SHOWN_ROWS:,} more rows, all in .frame</p>")
        if self.chart is not None and self.chart.suffix == ".png":
            content = base64.b64encode(self.chart.read_bytes()).decode()
            parts.append(
                f'<img alt="chart" style="max-width:50rem" src="data:image/png;base64,{content}">'
            )
        parts.append(f"<p><small>{escape(self._proved())}</small></p>")
        return "\n".join(parts)

    def _before(self) -> list[str]:
        """What stands before a number."""
        understood = self._result.job.understood
        lines = [f"read as: {understood}"] if understood else []
        if not self._result.proven:
            lines.append("the record does not hold")
        if self.confidence and self.confidence != "sure":
            lines.append(f"confidence: {self.confidence}")
        return [*lines, *self.doubts]

    def _proved(self) -> str:
        line = proof_line(self._result)
        parts = getattr(line, "_parts", None)
        return "proof: " + (" · ".join(parts) if parts else str(line))


async def _send_message(
    mesh: _Mesh, content: str, *, about: Question | None = None, conversation: str = ""
) -> Answered:
    async def unheard(percent: float, words: str) -> None:
        pass

    async with mesh.reach.client() as client:
        terms = await _terms(client, about)
        job, turn = await run_turn(
            client, content, Progress(unheard), conversation=conversation, terms=terms
        )
        if job.HasField("clarification"):
            options = "; ".join(
                f"{number}. {one.text}" for number, one in enumerate(job.clarification.options, 1)
            )
            raise AssayError(
                CLARIFICATION_NEEDED,
                f"{job.clarification.question} {options}",
                hint="Ask again in words of one of them.",
            )
        return Answered(mesh, await gather(client, job, whole_table=True), turn.conversation)


async def _terms(client: AssayClient, about: Question | None) -> CreateJobRequest | None:
    return await client.request(about) if about is not None else None


class _Mesh:
    """A mesh, found or started in a thread with a loop of its own, until the process ends."""

    def __init__(self, place: Place) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._ended = asyncio.Event()
        ready: asyncio.Future[Reach] = self._loop.create_future()
        self._held = asyncio.run_coroutine_threadsafe(self._hold(place, ready), self._loop)

        async def found() -> Reach:
            return await ready

        self.reach: Reach = self.run(found())
        # At `atexit` it is too late: no thread pool takes anything any more, and closing needs one.

        threading._register_atexit(self._close)  # type: ignore[attr-defined]

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work gives, waited for in whichever thread; interrupting cancels it."""
        running = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return running.result()
        except BaseException:
            running.cancel()
            raise

    async def _hold(self, place: Place, ready: asyncio.Future[Reach]) -> None:
        def say(text: str) -> None:
            print(text, file=sys.stderr)

        try:
            async with reached(place, say, kind="mcp") as reach:
                ready.set_result(reach)
                await self._ended.wait()
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)

    def _close(self) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._held.result(_CLOSE_SECONDS)


@cache
def _mesh(place: Place) -> _Mesh:
    return _Mesh(place)
