"""Alerts reach real servers, and nobody whom the operator does not allow."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_string
from email.policy import default
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest
import pytest_asyncio

from gateway.adapters.alert_sending import Mail, OutgoingAlerts
from gateway.boards.ports import Sending
from gateway.domain.board import (
    Alert,
    AlertKind,
    Board,
    Delivery,
    Number,
    Pin,
    Range,
    Result,
    Run,
)
from mesh.errors import INVALID_ARGUMENT, SERVICE_UNAVAILABLE, AssayError

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NUMBER = Number("11", "11", "EUR", "n")
BOARD = Board("b" * 32, "acme", "Ümsätze", "Sales", NOON, "ann")
PIN = Pin(
    *("p" * 32, "b" * 32, "acme", "Sold", "", "{}", "", False, "ann", NOON, "j" * 32),
    range=Range(high=10.0),
)
RUN = Run(
    "r" * 32,
    "r" * 32,
    PIN.pin_id,
    BOARD.board_id,
    NOON,
    number=NUMBER,
    result=Result("11 were sold."),
)
ALERT = Alert(
    "a" * 32, PIN.pin_id, RUN.run_id, AlertKind.OUT_OF_RANGE, "Sold: 11 EUR is above 10.", NOON
)


def sending(channel: str, target: str) -> Sending:
    return Sending(Delivery("d" * 32, channel, target), ALERT, BOARD, PIN, RUN)


class Hook(BaseHTTPRequestHandler):
    seen: ClassVar[list[tuple[str, bytes]]] = []

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        self.seen.append((self.path, self.rfile.read(length)))
        if self.path.endswith("/moved"):
            self.send_response(307)
            self.send_header("location", "/hooks/elsewhere")
        else:
            self.send_response(500 if self.path.endswith("/broken") else 204)
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        return


@pytest.fixture
def hooks() -> Iterator[str]:
    Hook.seen = []
    server = HTTPServer(("127.0.0.1", 0), Hook)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


class Letters:
    """A server that takes letters, but for one address."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.port = 0

    async def served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 here\r\n")
        while line := (await reader.readline()).decode().strip():
            word = line.split()[0].upper()
            if word == "DATA":
                writer.write(b"354 go on\r\n")
                text = (await reader.readuntil(b"\r\n.\r\n")).decode()
                self.taken.append(text.removesuffix(".\r\n"))
                writer.write(b"250 taken\r\n")
            elif word == "RCPT" and "nobody" in line:
                writer.write(b"550 no such address as secret\r\n")
            elif word == "QUIT":
                writer.write(b"221 bye\r\n")
                break
            else:
                writer.write(b"250 fine\r\n")
        writer.close()


@pytest_asyncio.fixture
async def letters() -> AsyncIterator[Letters]:
    made = Letters()
    server = await asyncio.start_server(made.served, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()
    await server.wait_closed()


def mail(port: int) -> Mail:
    domains = frozenset({"example.com"})
    return Mail("127.0.0.1", port, "assay@example.com", starttls=False, domains=domains)


async def test_a_webhook_gets_json_and_no_redirect_is_followed(hooks: str) -> None:
    sender = OutgoingAlerts(frozenset({f"{hooks}/hooks"}), Mail(), "https://assay.example/")
    await sender.send(sending("webhook", f"{hooks}/hooks/a?key=1"))
    ((path, content),) = Hook.seen
    said = json.loads(content)
    assert path == "/hooks/a?key=1"
    assert (said["kind"], said["words"]) == ("out_of_range", ALERT.words)
    assert (said["number"], said["low"], said["high"]) == ("11", None, 10.0)
    assert said["board"]["title"] == "Ümsätze"
    assert said["board"]["url"] == f"https://assay.example/boards/{BOARD.board_id}"
    for path, why in (("moved", "307"), ("broken", "500")):
        with pytest.raises(AssayError) as refused:
            await sender.send(sending("webhook", f"{hooks}/hooks/{path}"))
        assert refused.value.reason is SERVICE_UNAVAILABLE and why in refused.value.message
    assert [path for path, _ in Hook.seen] == ["/hooks/a?key=1", "/hooks/moved", "/hooks/broken"]


@pytest.mark.parametrize(
    "target",
    [
        "https://hooks.example.evil/services/x",
        "https://hooks.example@evil/services/x",
        "https://hooks.example:444/services/x",
        "http://hooks.example/services/x",
        "https://hooks.example/servicesx",
        "https://hooks.example/services/../admin",
        "https://hooks.example/services/%2e%2e/admin",
        "https://hooks.example/services/x%2f..%2fadmin",
        "https://hooks.example\\@evil/services/x",
        "https://hooks.example/services/x\r\nHost: evil",
        "https://hooks.example:port/services/x",
        "file:///etc/passwd",
        "",
    ],
)
async def test_a_webhook_is_nowhere_else_than_the_operator_says(target: str) -> None:
    sender = OutgoingAlerts(frozenset({"https://hooks.example/services"}), Mail())
    sender.check("webhook", "https://HOOKS.example:443/services/x/y")
    with pytest.raises(AssayError) as refused:
        await sender.send(sending("webhook", target))
    assert refused.value.reason is INVALID_ARGUMENT


async def test_a_letter_says_what_is_the_matter(letters: Letters) -> None:
    sender = OutgoingAlerts(frozenset(), mail(letters.port), "https://assay.example")
    board = replace(BOARD, title="Ümsätze")
    await sender.send(replace(sending("email", "ann@example.com"), board=board))
    (text,) = letters.taken
    letter = message_from_string(text, policy=default)
    assert (letter["to"], letter["subject"]) == ("ann@example.com", "Ümsätze: out of range")
    body = letter.get_body()
    assert body is not None
    assert ALERT.words in body.get_content() and "11 were sold." in body.get_content()
    assert f"/boards/{BOARD.board_id}" in body.get_content()


async def test_a_letter_that_is_not_taken_says_so_and_not_what_the_server_said(
    letters: Letters,
) -> None:
    sender = OutgoingAlerts(frozenset(), mail(letters.port))
    with pytest.raises(AssayError) as refused:
        await sender.send(sending("email", "nobody@example.com"))
    assert "does not take letters for this address" in refused.value.message
    assert "secret" not in refused.value.message
    closed = OutgoingAlerts(frozenset(), mail(1))
    with pytest.raises(AssayError) as refused:
        await closed.send(sending("email", "ann@example.com"))
    assert refused.value.reason is SERVICE_UNAVAILABLE


@pytest.mark.parametrize(
    "target", ["ann@evil.com", "ann@example.com.evil", "ann@example.com\r\nBcc: x@y", "ann", ""]
)
def test_letters_go_to_domains_that_the_operator_says(target: str) -> None:
    sender = OutgoingAlerts(frozenset(), mail(25))
    sender.check("email", "ann@EXAMPLE.com")
    with pytest.raises(AssayError):
        sender.check("email", target)
    with pytest.raises(AssayError):
        OutgoingAlerts(frozenset(), Mail()).check("email", "ann@example.com")
