"""One run of foreign code in a sandbox: what goes in, and what of its answer is believed."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import ExitStack

import pyarrow as pa

from mesh.tool import ErrorCategory, PythonRun, ToolError
from services.executor.sandbox.failures import failed, unusable
from services.executor.sandbox.inside import reply
from services.executor.sandbox.limits import SandboxLimits
from services.executor.sandbox.slot import Ended, Slot

NOT_CONFINED = 81
_RELAY_SECONDS = 30.0


def run_in(
    slot: Slot,
    code: str,
    frames: Mapping[str, pa.Table],
    limits: SandboxLimits,
    seconds: float,
    cancelled: threading.Event,
) -> PythonRun:
    """One run in this sandbox. Raises ToolError and SlotLost."""
    with ExitStack() as files:
        source = _file(files, "code")
        _fill(source, code.encode())
        inputs = [_frame_file(files, table) for table in frames.values()]
        size = sum(os.fstat(file).st_size for file in inputs)
        answered = _file(files, "reply")
        ended = slot.run(
            "run", [answered, source, *inputs], list(frames), limits, 3 * size, seconds, cancelled
        )
        printed = _text(ended)
        _raise_if_ended(ended, answered, limits, seconds, printed)
        clean = _file(files, "clean reply")
        relayed = slot.run(
            "relay",
            [clean, answered],
            [],
            limits,
            3 * limits.result_bytes,
            _RELAY_SECONDS,
            cancelled,
        )
        if cancelled.is_set():
            raise ToolError(ErrorCategory.CANCELLED, "the call was cancelled")
        return _read(clean, relayed, limits, frames, printed)


def _read(
    file: int, relayed: Ended, limits: SandboxLimits, frames: Mapping[str, pa.Table], printed: str
) -> PythonRun:
    """What the relay wrote, checked all the same."""
    try:
        given = reply.read(file, limits.result_bytes)
        if given is None:
            raise reply.BadReply(f"reading it failed (signal {relayed.signal})")
        if given.failure is not None:
            raise failed(given.failure, frames, limits, printed)
        table = None
        if given.frame:
            table = pa.ipc.open_stream(pa.py_buffer(given.frame)).read_all()
            table.validate(full=True)
    except (reply.BadReply, pa.ArrowException, OSError) as error:
        raise unusable(f"the code's reply cannot be used: {error}", printed) from error
    return PythonRun(frame=table, figures=given.figures, printed=printed, notes=given.notes)


def _raise_if_ended(
    ended: Ended, answered: int, limits: SandboxLimits, seconds: float, printed: str
) -> None:
    """Raises ToolError where the run did not come to its own end."""
    details = {"printed": printed} if printed else {}
    if ended.cause == "cancelled":
        raise ToolError(ErrorCategory.CANCELLED, "the call was cancelled")
    if ended.cause == "time":
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"the code was still running after {seconds:.0f} s and was ended",
            hint="Make it do less, or work on fewer rows.",
            details={"limit": seconds, "unit": "seconds", **details},
        )
    if ended.code == NOT_CONFINED:
        raise ToolError(ErrorCategory.INTERNAL, f"the sandbox failed: {printed.strip()[:500]}")
    if ended.signal in (9, 24):
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            "the code used more CPU time or memory than it may and was ended",
            details={"seen": round(ended.cpu_seconds, 2), "unit": "seconds of CPU", **details},
        )
    if ended.signal or ended.code or os.fstat(answered).st_size == 0:
        how = f"signal {ended.signal}" if ended.signal else f"exit code {ended.code}"
        raise unusable(f"the code ended its interpreter ({how}) before giving a result", printed)


def _text(ended: Ended) -> str:
    text = ended.printed.decode(errors="replace").replace("\0", "")
    return f"{text}\n… the rest of what was printed is left out" if ended.printed_more else text


def _file(files: ExitStack, name: str) -> int:
    file = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    files.callback(os.close, file)
    return file


def _fill(file: int, content: bytes) -> None:
    with os.fdopen(os.dup(file), "wb") as target:
        target.write(content)
    os.lseek(file, 0, os.SEEK_SET)
    _seal(file)


def _frame_file(files: ExitStack, table: pa.Table) -> int:
    file = _file(files, "frame")
    with (
        os.fdopen(os.dup(file), "wb") as target,
        pa.ipc.new_stream(target, table.schema) as writer,
    ):
        writer.write_table(table)
    _seal(file)
    return file


def _seal(file: int) -> None:
    """Nobody may change it from now on: the foreign code holds it too."""
    import fcntl

    every = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, every)
