"""Tickets: what a Flight server asks for before it gives a frame away.

A ticket is opaque to everybody but the executors, who share its key. It names one frame and one
tenant, and is good for a short time. What was changed in it opens no frame (Fernet: AES and HMAC).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from mesh.clock import Clock
from mesh.errors import INVALID_ARGUMENT, NOT_FOUND, TICKET_EXPIRED, AssayError


class Tickets:
    """Makes and opens tickets. The first of `keys` makes them, all of them open them."""

    def __init__(self, keys: Sequence[str], seconds: float, clock: Clock) -> None:
        """Raises AssayError(INVALID_ARGUMENT) for what is no key."""
        try:
            self._box = MultiFernet([Fernet(key) for key in keys])
        except ValueError as error:
            raise AssayError(
                INVALID_ARGUMENT,
                "a key of frame tickets is not 32 bytes in URL-safe base64",
                hint="Make one with cryptography.fernet.Fernet.generate_key().",
            ) from error
        self._lifetime = timedelta(seconds=seconds)
        self._clock = clock

    def issue(self, tenant: str, digest: str) -> bytes:
        """A ticket for one frame, good for one tenant."""
        until = (self._clock.now() + self._lifetime).timestamp()
        return self._box.encrypt(json.dumps([tenant, digest, until]).encode())

    def opened(self, ticket: bytes, tenant: str) -> str:
        """The digest of the frame that `tenant` may have.

        Raises AssayError: NOT_FOUND for what is no ticket or another tenant's, TICKET_EXPIRED.
        """
        try:
            owner, digest, until = json.loads(self._box.decrypt(ticket))
        except InvalidToken:
            raise _unknown() from None
        if owner != tenant:
            raise _unknown()
        if self._clock.now().timestamp() >= until:
            raise AssayError(TICKET_EXPIRED, f"the ticket of frame {digest[:12]} is too old")
        return str(digest)


def _unknown() -> AssayError:
    """One answer for forged tickets and those of others: whether a frame exists is not told."""
    return AssayError(NOT_FOUND, "there is no frame for this ticket")
