"""What is to be published: a text, the frames that it cites, and what of them is accepted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.gateway.v1.text_service_pb2 import CheckTextResponse, TextFailure, TextFailureKind
from clients.python.client import AssayClient
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.prose.front_matter import front_of
from mesh.text.harmless import harmless

_CONTESTED = TextFailureKind.TEXT_FAILURE_KIND_FRAME_CONTESTED
_MARKS = re.compile("[\\ufdd0-\\ufdef]")
"""What no text needs and Unicode keeps for programs: pages mark the places of bindings by them."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text with whole ids of jobs by the names that it gives to their frames.

    Frames of a `session` are known by its own names. `accepted` has, by the name of a contested
    frame, why it is published all the same.
    """

    text: str
    frames: Mapping[str, str] = field(default_factory=dict)
    session: str = ""
    accepted: Mapping[str, str] = field(default_factory=dict)


def clean(text: str) -> str:
    """A text with one kind of line break, in which nothing is hidden from its readers."""
    return _MARKS.sub("�", harmless(text.replace("\r\n", "\n").removeprefix("\ufeff")))


def titled(text: str, title: str) -> str:
    """A text below a heading, which is checked as the rest of it is."""
    _, front = front_of(text)
    line = " ".join(clean(title).split())
    return f"{text[:front]}# {line}\n\n{text[front:]}" if line else text


def accepted_of(given: Sequence[str]) -> dict[str, str]:
    """Reasons by frame, of `f2=REASON`. Raises AssayError(INVALID_ARGUMENT)."""
    accepted: dict[str, str] = {}
    for one in given:
        name, _, reason = one.partition("=")
        if not name.strip() or not reason.strip():
            raise AssayError(
                INVALID_ARGUMENT,
                f"--accept {one} gives no reason",
                hint="Readers see it beside each number: --accept f2='orders come twice'",
            )
        accepted[name.strip()] = " ".join(clean(reason).split())
    return accepted


async def check_draft(client: AssayClient, draft: Draft) -> CheckTextResponse:
    """What the mesh finds in the text, without contested frames that are accepted.

    Raises AssayError, INVALID_ARGUMENT where a frame is accepted that nothing is found in.
    """
    found = await client.texts.check(draft.text, draft.frames, draft.session)
    contested = {one.claimed for one in found.failures if one.kind == _CONTESTED}
    left = [one for one in found.failures if not _is_accepted(one, draft)]
    del found.failures[:]
    found.failures.extend(left)
    needless = [name for name in draft.accepted if name not in contested]
    if needless and not left:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is nothing to accept in {needless[0]}: it is not cited, or not contested",
            hint="Leave --accept out for it.",
        )
    return found


def _is_accepted(one: TextFailure, draft: Draft) -> bool:
    return one.kind == _CONTESTED and one.claimed in draft.accepted
