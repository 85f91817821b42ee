"""How the web face listens."""

from __future__ import annotations

import contextlib
import socket

from gateway.web.serving import _bound


def test_an_answer_in_two_pieces_waits_for_no_acknowledgement() -> None:
    with contextlib.ExitStack() as open_ones:
        listening = open_ones.enter_context(contextlib.closing(_bound("127.0.0.1:0")))
        open_ones.enter_context(
            contextlib.closing(socket.create_connection(listening.getsockname()))
        )
        accepted = open_ones.enter_context(contextlib.closing(listening.accept()[0]))
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
