"""Alerts out of the mesh: webhooks that the operator allows, and e-mail; implements
`gateway.boards.ports.AlertSender`.

Who makes a board is not who runs the mesh: without the operator's word nothing leaves it.
"""

from __future__ import annotations

import asyncio
import json
import re
import smtplib
import ssl
from dataclasses import dataclass
from datetime import UTC
from email.message import EmailMessage
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

import httpcore

from gateway.boards.ports import Sending
from gateway.domain.board import AlertKind
from mesh.errors import INVALID_ARGUMENT, SERVICE_UNAVAILABLE, AssayError

SECONDS = 10.0
"""How long a server may take for each step, and three times that for all of them."""

_ADDRESS = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?P<domain>[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*)"
)
_PORTS = {"http": 80, "https": 443}
_SUBJECTS = {
    AlertKind.OUT_OF_RANGE: "out of range",
    AlertKind.RUN_FAILED: "no answer",
    AlertKind.MEANING_CHANGED: "meaning changed",
    AlertKind.PAUSED: "not asked any more",
}


@dataclass(frozen=True, slots=True)
class Mail:
    """The server that takes e-mail, and to which domains it may go; no host for none."""

    host: str = ""
    port: int = 587
    sender: str = ""
    user: str = ""
    password: str = ""
    starttls: bool = True
    domains: frozenset[str] = frozenset()


class OutgoingAlerts:
    """Sends by HTTP and SMTP. `console` is the address that people open."""

    def __init__(self, webhooks: frozenset[str], mail: Mail, console: str = "") -> None:
        self._allowed = [urlsplit(one) for one in sorted(webhooks)]
        self._mail = mail
        self._console = console.rstrip("/")

    def check(self, channel: str, target: str) -> None:
        """Raises AssayError(INVALID_ARGUMENT) for what the operator does not allow."""
        if channel == "webhook":
            self._check_webhook(target)
        else:
            self._check_address(target)

    async def send(self, one: Sending) -> None:
        """Send an alert; what the operator allows may have changed since it was stored.

        Raises AssayError: INVALID_ARGUMENT, SERVICE_UNAVAILABLE with why it was not taken.
        """
        target = one.delivery.target
        self.check(one.delivery.channel, target)
        if one.delivery.channel == "webhook":
            work = asyncio.to_thread(_post, target, self.said(one))
        else:
            work = asyncio.to_thread(_mailed, self._mail, self.message(one))
        try:
            await asyncio.wait_for(work, 3 * SECONDS)
        except (OSError, TimeoutError, smtplib.SMTPException) as error:
            raise _not_taken(_words(error)) from error

    def said(self, one: Sending) -> dict[str, Any]:
        """An alert as JSON."""
        alert, board, run = one.alert, one.board, one.run
        number = run.number if run is not None else None
        watched = one.pin.range if one.pin is not None else None
        return {
            "alert_id": alert.alert_id,
            "kind": alert.kind.value,
            "words": alert.words,
            "told_at": alert.at.astimezone(UTC).isoformat(),
            "board": {"board_id": board.board_id, "title": board.title, "url": self._url(one)},
            "pin": {"pin_id": alert.pin_id, "title": one.pin.title if one.pin else ""},
            "job_id": run.job_id if run is not None else "",
            "answer": run.result.headline if run is not None else "",
            "number": number.value if number is not None else None,
            "low": watched.low if watched is not None else None,
            "high": watched.high if watched is not None else None,
        }

    def message(self, one: Sending) -> EmailMessage:
        """An alert as a letter."""
        alert, run = one.alert, one.run
        made = EmailMessage()
        made["From"], made["To"] = self._mail.sender, one.delivery.target
        made["Subject"] = f"{one.board.title}: {_SUBJECTS[alert.kind]}"
        made["Message-ID"] = f"<{one.delivery.delivery_id}@{self._domain()}>"
        made["Date"] = alert.at
        made["Auto-Submitted"] = "auto-generated"
        answer = run.result.headline if run is not None else ""
        proof = f"proof: assay verify {run.job_id}" if run is not None else ""
        lines = [alert.words, answer, self._url(one), proof]
        made.set_content("\n\n".join(line for line in lines if line) + "\n")
        return made

    def _url(self, one: Sending) -> str:
        return f"{self._console}/boards/{one.board.board_id}" if self._console else ""

    def _domain(self) -> str:
        return self._mail.sender.rpartition("@")[2] or "localhost"

    def _check_webhook(self, target: str) -> None:
        url = _split(target)
        if url is None or not any(_is_below(url, allowed) for allowed in self._allowed):
            raise AssayError(
                INVALID_ARGUMENT,
                "alerts may not be sent to this address",
                hint="The operator lists what webhooks begin with: ASSAY_GATEWAY_ALERT_WEBHOOKS.",
                fields={"alert_targets.webhook": "does not begin with anything that is allowed"},
            )

    def _check_address(self, target: str) -> None:
        found = _ADDRESS.fullmatch(target)
        domain = found["domain"].casefold() if found else ""
        if not (self._mail.host and domain in self._mail.domains):
            raise AssayError(
                INVALID_ARGUMENT,
                "alerts may not be sent to this address by e-mail",
                hint="The operator sets up e-mail and lists domains: ASSAY_GATEWAY_SMTP_HOST and "
                "ASSAY_GATEWAY_SMTP_DOMAINS.",
                fields={"alert_targets.emails": "not an address in a domain that is allowed"},
            )


def _split(target: str) -> SplitResult | None:
    """A URL that means the same to whoever reads it; None for any other."""
    if len(target) > 2_000 or not target.isascii() or re.search(r"[\s\\\x00-\x1f\x7f]", target):
        return None
    try:
        url = urlsplit(target)
        _ = url.port
    except ValueError:
        return None
    plain = not (url.username or url.password or url.fragment or "@" in url.netloc)
    return url if url.scheme in _PORTS and url.hostname and plain else None


def _is_below(url: SplitResult, allowed: SplitResult) -> bool:
    """Whether a URL is on the same server, at the allowed path or below it."""
    if _server(url) != _server(allowed):
        return False
    steps = [unquote(step) for step in url.path.split("/")]
    if any(step in (".", "..") or "/" in step or "\\" in step for step in steps):
        return False
    path = allowed.path or "/"
    own = url.path or "/"
    return own == path or own.startswith(path if path.endswith("/") else f"{path}/")


def _server(url: SplitResult) -> tuple[str, str, int | None]:
    return url.scheme, (url.hostname or "").casefold(), url.port or _PORTS.get(url.scheme)


def _post(target: str, said: dict[str, Any]) -> None:
    """POST and look at the status alone; a redirect is not followed. Blocks."""
    timeouts = dict.fromkeys(("connect", "read", "write", "pool"), SECONDS)
    content = json.dumps(said, ensure_ascii=False).encode()
    headers: dict[bytes | str, bytes | str] = {
        "content-type": "application/json",
        "content-length": str(len(content)),
        "user-agent": "assay-alerts",
    }
    with httpcore.ConnectionPool(ssl_context=ssl.create_default_context(), http2=False) as pool:
        try:
            with pool.stream(
                "POST", target, headers=headers, content=content, extensions={"timeout": timeouts}
            ) as response:
                status = response.status
        except (
            httpcore.NetworkError,
            httpcore.TimeoutException,
            httpcore.ProtocolError,
            httpcore.UnsupportedProtocol,
        ) as error:
            raise _not_taken(type(error).__name__) from error
    if not 200 <= status < 300:
        raise _not_taken(f"the server answers with {status}")


def _mailed(mail: Mail, message: EmailMessage) -> None:
    """Hand a letter over. Blocks. Raises OSError, SMTPException."""
    with smtplib.SMTP(mail.host, mail.port, timeout=SECONDS) as server:
        if mail.starttls:
            server.starttls(context=ssl.create_default_context())
        if mail.user:
            server.login(mail.user, mail.password)
        server.send_message(message)


def _words(error: Exception) -> str:
    """What went wrong; what a server says may hold anything, such as what it was sent."""
    if isinstance(error, smtplib.SMTPResponseException):
        return f"the server answers with {error.smtp_code}"
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return "the server does not take letters for this address"
    return "no answer in time" if isinstance(error, TimeoutError) else type(error).__name__


def _not_taken(why: str) -> AssayError:
    return AssayError(SERVICE_UNAVAILABLE, f"the alert was not taken: {why}")
