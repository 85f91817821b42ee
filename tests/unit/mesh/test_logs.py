"""Lines of the log: for people or for programs, and never with data in them."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mesh import context as calls
from mesh.errors import INVALID_ARGUMENT, SERVICE_UNAVAILABLE, SOURCE_NOT_FOUND, AssayError
from mesh.telemetry import logs
from mesh.telemetry.tracebacks import ElsewhereError, places

SAID = "secret"
Written = Callable[[], str]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Written]]:
    """Sets logging up in a format, and gives what reads what was written since."""
    root, ours = logging.getLogger(), logging.getLogger("assay")
    before, level, our_level = list(root.handlers), root.level, ours.level

    def set_up(wanted: str) -> Written:
        monkeypatch.setenv("ASSAY_LOG_FORMAT", wanted)
        stream = io.StringIO()
        root.handlers.clear()
        logs.set_up(logging.StreamHandler(stream))
        return stream.getvalue

    yield set_up
    root.handlers[:] = before
    root.setLevel(level)
    ours.setLevel(our_level)


def test_a_line_is_one_json_object_that_says_for_whom_it_was_written(written: Any) -> None:
    read = written("json")
    call = calls.CallContext(tenant="ann", request_id="r1", service="planner", job_id="j1")
    with calls.entered(call):
        fields = {"state": "failed", "seconds": 0.5}
        logging.getLogger("assay.test").info("two\nlines of %s", "it", extra={"fields": fields})
    (line,) = read().splitlines()
    told = json.loads(line)
    assert told.pop("time").endswith("+00:00")
    assert told == {
        "level": "INFO",
        "logger": "assay.test",
        "message": "two\nlines of it",
        "service": "planner",
        "tenant": "ann",
        "request_id": "r1",
        "job_id": "j1",
        "state": "failed",
        "seconds": 0.5,
    }


@pytest.mark.parametrize("wanted", ["json", "text"])
def test_exceptions_are_told_without_what_they_say(
    written: Any, wanted: str, caplog: pytest.LogCaptureFixture
) -> None:
    read = written(wanted)
    log = logging.getLogger("assay.test")
    log.warning("not had: %s", AssayError(SOURCE_NOT_FOUND, "no secret.csv"))
    log.warning("away: %s", AssayError(SERVICE_UNAVAILABLE, "the planner cannot be reached"))
    log.warning("disk: %s", OSError(28, "No space left on device", "secret.csv"))
    log.warning(ValueError("secret"))
    try:
        try:
            raise KeyError(SAID)
        except KeyError as error:
            raise ValueError(SAID) from error
    except ValueError:
        log.exception("it failed")
    text = read()
    assert "secret" not in text
    for expected in (
        "not had: SOURCE_NOT_FOUND",
        "away: SERVICE_UNAVAILABLE: the planner cannot be reached",
        "disk: No space left on device",
        "KeyError",
        "test_logs.py",
    ):
        assert expected in text
    assert text.index("KeyError") < text.rindex("ValueError")


def test_of_a_task_that_failed_unheard_what_asyncio_shows_of_it_is_left_out(written: Any) -> None:
    read = written("json")

    async def fails() -> None:
        raise AssayError(SOURCE_NOT_FOUND, f"no {SAID}.csv")

    async def forgets() -> None:
        asyncio.create_task(fails())  # noqa: RUF006 - that nobody keeps it is the case
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    asyncio.run(forgets())
    gc.collect()
    text = read()
    assert "Task exception was never retrieved" in text
    assert SAID not in text
    assert "SOURCE_NOT_FOUND" in text


def test_another_handler_that_wrote_first_lends_nothing(written: Any) -> None:
    read = written("text")
    first = logging.StreamHandler(io.StringIO())
    logging.getLogger().handlers.insert(0, first)
    try:
        raise ValueError(SAID)
    except ValueError:
        logging.getLogger("assay.test").exception("it failed")
    assert "secret" not in read()


def test_of_libraries_only_warnings_are_kept(written: Any) -> None:
    read = written("text")
    logging.getLogger("httpx2").info("HTTP Request: POST https://crm.test/mcp?key=%s", SAID)
    logging.getLogger("httpx2").warning("a retry")
    logging.getLogger("assay.test").info("a job began")
    text = read()
    assert SAID not in text and "a retry" in text and "a job began" in text


def test_by_itself_a_file_gets_text_and_a_pipe_json(
    written: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    read = written("auto")
    logging.getLogger("assay.test").warning("for people")
    assert "WARNING assay.test: for people" in read()
    logging.getLogger().handlers.clear()
    logs.set_up()
    logging.getLogger("assay.test").warning("for programs")
    assert json.loads(capsys.readouterr().err)["message"] == "for programs"


def test_what_failed_in_another_process_is_told_with_its_places(written: Any) -> None:
    read = written("text")
    try:
        raise KeyError(SAID)
    except KeyError as error:
        theirs = places(error)
    try:
        raise ElsewhereError(theirs)
    except ElsewhereError:
        logging.getLogger("assay.test").exception("reading failed")
    text = read()
    assert "In another process" in text
    assert "KeyError" in text
    assert SAID not in text


def test_another_format_is_refused_by_its_name(written: Any) -> None:
    with pytest.raises(AssayError, match="ASSAY_LOG_FORMAT: must be one of") as refused:
        written("yaml")
    assert refused.value.reason is INVALID_ARGUMENT
