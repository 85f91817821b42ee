"""What the gateway does with sessions: open, show, give to jobs, end."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta

from gateway.admission.strangers import Strangers
from gateway.domain.publication import Revocation
from gateway.domain.retention import FOR_EVER, Retention
from gateway.domain.session import (
    JobCounts,
    Keeping,
    Session,
    SessionFile,
    SessionJob,
    absent,
    checked_title,
)
from gateway.files.contents import Contents
from gateway.ports import Documents, Jobs, Results
from gateway.store_ports import FileStore, PublicationStore, SessionStore
from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import ID_REUSED, AssayError
from mesh.processes.failpoint import failpoint

# Longer than a call that creates a job lasts.
_CREATING = timedelta(minutes=5)
_SESSION_GONE = "the session whose frames it cites was deleted"
_TIME_OVER = "the time for which pages are kept here is over"

log = logging.getLogger("assay.gateway")


class Sessions:
    """The use cases of SessionService, for the caller of the running call."""

    def __init__(
        self,
        sessions: SessionStore,
        files: FileStore,
        contents: Contents,
        pages: PublicationStore,
        strangers: Strangers,
        jobs: Jobs,
        results: Results,
        documents: Documents,
        clock: Clock,
        lifetime: timedelta,
        retention: Retention = FOR_EVER,
    ) -> None:
        self._sessions = sessions
        self._files = files
        self._contents = contents
        self._pages = pages
        self._strangers = strangers
        self._jobs = jobs
        self._results = results
        self._documents = documents
        self._clock = clock
        self._lifetime = lifetime
        self._retention = retention

    async def create(self, session_id: str, title: str = "") -> Session:
        """Open a session; repeating an id and title gives the session they opened.

        Raises AssayError: ID_REUSED for an id that stands for a session of another title.
        """
        title = checked_title(title)
        now = self._clock.now()
        session = Session(
            session_id=session_id,
            tenant=calls.current().tenant,
            created_at=now,
            updated_at=now,
            title=title,
            opened_title=title,
            expires_at=now + self._lifetime,
        )
        with self._strangers.noticing("session", session_id):
            made = await self._sessions.create(session)
        if made.opened_title != title:
            raise AssayError(
                ID_REUSED,
                f"request id {session_id} was used before, for a session of another title",
                fields={"request_id": "stands for another session already"},
            )
        return (await self._standing([made]))[0]

    async def get(self, session_id: str) -> Session:
        """A session as it stands now. Raises AssayError(NOT_FOUND)."""
        return (await self._standing([await self._found(session_id)]))[0]

    async def page(self, size: int, token: str) -> tuple[list[Session], str]:
        """The caller's sessions, newest first, and the token of the next page."""
        page, following = await self._sessions.page(calls.current().tenant, size, token)
        return await self._standing(page), following

    async def retitle(self, session_id: str, title: str | None) -> Session:
        """Change the title, if one is given. Raises AssayError: NOT_FOUND, SESSION_EXPIRED."""
        session = await self._found(session_id)
        if title is not None:
            wanted = checked_title(title)
            session = await self._sessions.retitle(
                session.tenant, session_id, wanted, self._clock.now()
            )
        return (await self._standing([session]))[0]

    async def delete(self, session_id: str) -> None:
        """Delete a session, its documents, and contents that nobody else refers to. Pages that were
        published of it are revoked: they show its rows.

        What its jobs made goes with the next sweep.

        Raises AssayError: NOT_FOUND, SERVICE_UNAVAILABLE when memory is away; the session is
        still there then.
        """
        caller = calls.current()
        await self._found(session_id)
        await self._documents.forget(session_id)
        released = await self._sessions.delete(caller.tenant, session_id)
        gone = Revocation(self._clock.now(), caller.user, _SESSION_GONE)
        await self._pages.revoke_of_session(session_id, gone)
        await self._contents.release(released)

    async def resolve(self, session_id: str, ids: list[str]) -> dict[str, SessionFile]:
        """Those of a session's files that a request names, by id.

        Raises AssayError: NOT_FOUND for a session or file that is not the caller's,
        SESSION_EXPIRED.
        """
        if not session_id:
            for file_id in ids:
                with self._strangers.noticing("file", file_id):
                    raise absent("file", file_id)
            return {}
        tenant = calls.current().tenant
        (await self._found(session_id)).require_open(self._clock.now())
        if not ids:
            return {}
        files = {file.file_id: file for file in await self._files.of_session(tenant, session_id)}
        for file_id in ids:
            with self._strangers.noticing("file", file_id):
                if file_id not in files:
                    raise absent("file", file_id)
        await self._files.touch(tenant, ids, self._clock.now())
        return {file_id: files[file_id] for file_id in ids}

    async def number_frame(self, session_id: str, job_id: str) -> int:
        """The number of the table of a job that is noted in a session. Raises NOT_FOUND."""
        return await self._sessions.number_frame(calls.current().tenant, session_id, job_id)

    async def frames(self, session_id: str) -> dict[int, str]:
        """The jobs of a session of the caller whose tables have numbers, by these. Raises
        NOT_FOUND."""
        with self._strangers.noticing("session", session_id):
            return await self._sessions.frames(calls.current().tenant, session_id)

    async def exists(self, session_id: str) -> None:
        """Raises AssayError(NOT_FOUND) for a session that is not the caller's."""
        await self._found(session_id)

    async def held(self, session_id: str) -> list[str]:
        """The ids of the files of an open session, in the order they came.

        Raises AssayError: NOT_FOUND, SESSION_EXPIRED.
        """
        (await self._found(session_id)).require_open(self._clock.now())
        files = await self._files.of_session(calls.current().tenant, session_id)
        return [file.file_id for file in sorted(files, key=lambda file: file.uploaded_at)]

    async def expect(self, session_id: str, job_id: str) -> None:
        """Note that a job is about to be asked for: what it makes goes with its session, or in
        time where it has none.

        Raises AssayError(NOT_FOUND).
        """
        now = self._clock.now()
        await self._sessions.expect_job(calls.current().tenant, session_id, job_id, now)

    async def sweep(self) -> int:
        """Take files and documents from sessions whose time is over; how many sessions that were.

        Also deletes contents that a gateway left behind when it died, and what jobs made of
        sessions that are over or deleted.

        A session that cannot be cleared now, because a service is away, is tried again next time.
        """
        cleared = 0
        await self._contents.sweep()
        for tenant, session_id in await self._sessions.expired(self._clock.now()):
            with calls.changed(tenant=tenant, request_id=session_id):
                try:
                    await self._documents.forget(session_id)
                    released = await self._sessions.release(tenant, session_id)
                    await self._contents.release(released)
                except AssayError as error:
                    log.warning("expired session %s is not cleared yet: %s", session_id, error)
                    continue
            cleared += 1
        await self._forget_old()
        await self._pages.revoke_stray(Revocation(self._clock.now(), "", _SESSION_GONE))
        for job in await self._sessions.unsettled_jobs():
            with calls.changed(tenant=job.tenant, request_id=job.job_id):
                try:
                    await self._settle(job)
                except AssayError as error:
                    log.warning("what job %s made is not let go yet: %s", job.job_id, error)
        return cleared

    async def _forget_old(self) -> None:
        """Want less, as time goes, of jobs without a session; delete sessions long over."""
        now, retention = self._clock.now(), self._retention
        if retention.everything is not None:
            await self._sessions.age_jobs(now - retention.everything, Keeping.PROOF)
        if retention.proof is None:
            return
        await self._sessions.age_jobs(now - retention.proof, Keeping.NOTHING)
        await self._pages.revoke_before(now - retention.proof, Revocation(now, "", _TIME_OVER))
        for tenant, session_id in await self._sessions.over(now - retention.proof):
            with calls.changed(tenant=tenant, request_id=session_id):
                try:
                    await self._documents.forget(session_id)
                    await self._contents.release(await self._sessions.delete(tenant, session_id))
                except AssayError as error:
                    log.warning("session %s is not deleted yet: %s", session_id, error)

    async def _settle(self, job: SessionJob) -> None:
        """Let go what a job made and nobody wants, unless it is still at work: then later."""
        outcome = await self._jobs.outcome(job.job_id)
        if not outcome.known:
            # Perhaps the planner is just being told of it. What others' jobs made is not touched.
            if self._clock.now() - job.noted_at > _CREATING:
                await self._sessions.settle_job(replace(job, keeping=Keeping.NOTHING))
            return
        if not outcome.ended:
            if job.keeping is Keeping.NOTHING:
                await self._jobs.cancel(job.job_id)
            return
        kept = outcome.frames if job.keeping is Keeping.PROOF else None
        await self._results.release(job.job_id, kept)
        failpoint("gateway: job-released")
        await self._sessions.settle_job(job)

    async def _found(self, session_id: str) -> Session:
        with self._strangers.noticing("session", session_id):
            return await self._sessions.get(calls.current().tenant, session_id)

    async def _standing(self, sessions: list[Session]) -> list[Session]:
        """Sessions at this moment, with what their jobs do if the planner can be asked."""
        now = self._clock.now()
        if not sessions:
            return []
        try:
            counts = await self._jobs.counts([session.session_id for session in sessions])
        except AssayError as error:
            log.warning("sessions are shown without their jobs: %s", error)
            return [session.at(now) for session in sessions]
        return [
            replace(session, jobs=counts.get(session.session_id, JobCounts())).at(now)
            for session in sessions
        ]
