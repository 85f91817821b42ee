"""The flow of `assay ask` and `assay answer`: show the plan at work, settle what is unclear, show
the end."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any

from rich.live import Live

from assay.common.v1.job_pb2 import Clarification, Job, JobEvent, JobState
from clients.python import words_of
from clients.python.cli.as_json import models_of, result_object, sources_of, state_name
from clients.python.cli.connection import Place, connected
from clients.python.cli.correcting import corrected_request, is_correction
from clients.python.cli.meanwhile import TABLES, importing
from clients.python.cli.naming import whole_id, whole_session_id
from clients.python.cli.planned import show_plan
from clients.python.cli.progress import PlanView
from clients.python.cli.result import Result, failure_of, gather, show_result
from clients.python.cli.screen import Screen
from clients.python.cli.searching import Searching
from clients.python.cli.statements import show_glimpse, show_statements
from clients.python.cli.stopping import stopped
from clients.python.cli.tracing import rooted
from clients.python.cli.unclear import answering, as_reply, show_unclear, typed_reply
from clients.python.cli.why import show_why
from clients.python.cli.words import listed, short_id
from clients.python.client import AssayClient
from clients.python.question import Question
from mesh import context as calls
from mesh.errors import CANCELLED, EXIT_CODES, NO_PENDING_QUESTION, AssayError, ExitCode

_UNTAKEN_SECONDS = 1.0
_CALLED_TO_INVESTIGATE = ("executor", "planner")
"""Of an investigation's services, those that its first finding waits for."""
_RUNNING_STATES = {
    JobState.JOB_STATE_SUBMITTED,
    JobState.JOB_STATE_PLANNING,
    JobState.JOB_STATE_EXECUTING,
}


async def ask_question(
    screen: Screen,
    place: Place,
    question: Question,
    *,
    choice: str = "",
    plan_only: bool = False,
    sql: bool = False,
    why: bool = False,
    command: str = "ask",
) -> int:
    """Answer a question on the screen; the exit code. Raises AssayError before there is a job.

    With `sql` the queries that ran are shown in full, with `why` what each word became. `command`
    is the one that asks.
    """
    question = question.located()
    question.check()
    soon = _CALLED_TO_INVESTIGATE if question.movement is not None else ()
    async with connected(place, screen, soon) as client:
        with rooted(place, command):
            if question.study is not None and question.study.origin:
                whole = await whole_id(client, question.study.origin)
                question = replace(question, study=replace(question.study, origin=whole))
            if question.session:
                whole = await whole_session_id(client, question.session)
                question = replace(question, session=whole)
            request = await client.request(question)
            if plan_only:
                return await show_plan(screen, client, request)
            named = not (question.data or question.databases)
            following = Following(
                screen, client, request.request_id, choice, sql=sql, why=why, named=named
            )
            with calls.changed(request_id=request.request_id):
                return await following.run(client.submit(request))


async def answer_job(
    screen: Screen, place: Place, job_id: str, choice: str, *, sql: bool = False
) -> int:
    """Give a job that waits its answer, now or asked for here, and follow it to its end.

    Words for a job that was answered correct it: its question is asked anew, read otherwise. With
    `sql` the queries that ran are shown in full.
    Raises AssayError(NO_PENDING_QUESTION) for a job that neither waits nor can be corrected.
    """
    async with connected(place, screen) as client:
        job = await client.get_job(await whole_id(client, job_id))
        if is_correction(job, choice):
            again = corrected_request(job, choice)
            following = Following(screen, client, again.request_id)
            with rooted(place, "answer"), calls.changed(request_id=again.request_id):
                return await following.run(client.submit(again))
        if job.state != JobState.JOB_STATE_WAITING:
            raise AssayError(
                NO_PENDING_QUESTION, f"job {short_id(job.job_id)} is {state_name(job.state)}"
            )
        if not choice:
            choice = await reply_to(screen, job.clarification)
        if not choice:
            return unsettled(screen, job)
        with rooted(place, "answer"), calls.changed(request_id=job.job_id):
            following = Following(screen, client, job.job_id, sql=sql)
            return await following.run(
                client.answer(job.job_id, **as_reply(job.clarification, choice))
            )


async def reply_to(screen: Screen, clarification: Clarification) -> str:
    """What a person types when asked; empty when nobody can be asked, or does not say."""
    if not (screen.live and sys.stdin.isatty()):
        return ""
    show_unclear(screen, clarification)
    return await typed_reply(screen, clarification)


def unsettled(screen: Screen, job: Job) -> ExitCode:
    """Show a job that goes on waiting, and how to answer it later; the exit code."""
    if screen.as_json:
        screen.object(result_object(Result(job)))
    else:
        show_unclear(screen, job.clarification, answering(job))
    return ExitCode.COULD_NOT_ANSWER


class Following:
    """One job, followed from its first event to what a person sees at its end.

    `choice` answers its first question, if it has one. With `sql` its queries are shown in full,
    with `why` what each word became in them. With `named` it is told first which sources the names
    stand for.
    """

    def __init__(
        self,
        screen: Screen,
        client: AssayClient,
        job_id: str,
        choice: str = "",
        *,
        sql: bool = False,
        why: bool = False,
        named: bool = False,
    ) -> None:
        self._screen = screen
        self._client = client
        self._job_id = job_id
        self._choice = choice
        self._sql = sql
        self._why = why
        self._named = named
        self._view = PlanView()
        self._understood = ""
        self._steps_shown = 0
        self._sequence = 0
        self._taken = False
        self._searching = Searching()

    async def run(self, first: Coroutine[Any, Any, Job]) -> int:
        """Set the job going by `first`, and follow it to its end; the exit code.

        Ctrl-C cancels the job.
        """
        try:
            job = await first
            self._taken = True
            importing(TABLES)
            self._searching.on = job.HasField("investigation") or job.HasField("causal")
            if self._named:
                self._screen.row("source", listed(sources_of(words_of.work(job))))
            if models := models_of(words_of.work(job)):
                self._screen.row("model", listed(models))
            while True:
                await self._follow()
                job = await self._client.get_job(self._job_id)
                if job.state in _RUNNING_STATES:  # the stream ended before the job did
                    continue
                if job.state != JobState.JOB_STATE_WAITING:
                    return await self._end(job)
                reply, self._choice = self._choice, ""
                reply = reply or await reply_to(self._screen, job.clarification)
                if not reply:
                    return unsettled(self._screen, job)
                await self._client.answer(self._job_id, **as_reply(job.clarification, reply))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
            return await self._stop()

    async def _follow(self) -> None:
        """Show events as they come, until the job ends or waits."""
        async with (
            self._display() as live,
            aclosing(self._client.watch(self._job_id, self._sequence)) as events,
        ):
            async for event in events:
                self._sequence = event.sequence
                self._show(event, live)

    @asynccontextmanager
    async def _display(self) -> AsyncGenerator[Live | None]:
        """A display that changes in place, on terminals."""
        if not self._screen.live:
            yield None
            return
        with Live(self._view, console=self._screen.out, refresh_per_second=10) as live:
            try:
                yield live
            finally:
                live.transient = not self._view.steps or self._searching.on

    def _show(self, event: JobEvent, live: Live | None) -> None:
        ended = self._view.take(event)
        if event.WhichOneof("event") == "understood" and event.understood != self._understood:
            self._understood = event.understood
            self._screen.row("understood", event.understood)
        for label, line in self._searching.render_event(event):
            self._screen.row(label, line)
        if live is None and ended and not self._searching.on:
            step = self._view.steps[event.step.task_id]
            self._screen.row("" if self._steps_shown else "plan", self._view.lines([step]))
            self._steps_shown += 1

    async def _end(self, job: Job) -> int:
        result = await gather(self._client, job, whole_table=self._screen.as_json)
        failed = failure_of(job)
        if self._screen.as_json:
            self._screen.object(result_object(result))
            return result.exit_code if failed is None else EXIT_CODES[failed.reason.kind]
        if self._sql:
            show_statements(self._screen, job.steps)
        else:
            show_glimpse(self._screen, job)
        if self._why:
            show_why(self._screen, job)
        if failed is None:
            show_result(self._screen, result, self._screen.seconds())
        else:
            self._screen.error(failed)
        return result.exit_code if failed is None else EXIT_CODES[failed.reason.kind]

    async def _stop(self) -> int:
        """Cancel the job and say what was kept."""
        if not self._taken:  # its service may still be starting, which nobody waits for now
            sentence = "the job had not been taken yet"
            with contextlib.suppress(AssayError, TimeoutError):
                async with asyncio.timeout(_UNTAKEN_SECONDS):
                    sentence = self._kept(await self._client.cancel(self._job_id))
        else:
            found = await stopped(self._screen, self._client, self._job_id)
            sentence = "; ".join(
                text
                for text in (found.message, self._kept(found.job) if found.job is not None else "")
                if text
            )
        if self._screen.as_json:
            return self._screen.error(AssayError(CANCELLED, sentence), self._job_id)
        self._screen.row("cancelled", f"{sentence} · assay show {short_id(self._job_id)}")
        return ExitCode.CANCELLED

    def _kept(self, job: Job) -> str:
        for step in job.steps:
            self._view.changed(step)
        total = len(self._view.steps)
        if not total:
            return "nothing had been computed yet"
        return f"{self._view.done} of {total} steps done; what they made is kept"
