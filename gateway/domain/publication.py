"""Pages that were published: what is kept of them, and how they are taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from mesh.errors import INVALID_ARGUMENT, TEXT_FAILS, AssayError
from mesh.prose.failures import Failure, FailureCode
from mesh.text.harmless import harmless_line

LONGEST_REASON = 1_000


@dataclass(frozen=True, slots=True)
class PublishedFrame:
    """A frame that a publication cites. `accepted` says why it is, though contested."""

    name: str
    job_id: str
    accepted: str = ""


@dataclass(frozen=True, slots=True)
class Revocation:
    """That a publication was taken back; `by` is empty where the mesh did it by itself."""

    at: datetime
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Publication:
    """All that is known of a publication but its page and its text, whose SHA-256 it has."""

    publication_id: str
    tenant: str
    title: str
    published_at: datetime
    published_by: str
    session_id: str
    frames: tuple[PublishedFrame, ...]
    page_sha256: str
    text_sha256: str
    page_bytes: int
    revocation: Revocation | None = None

    def is_same(self, other: Publication) -> bool:
        """Whether another says the same of the same frames."""
        return self._said() == other._said()

    def revoked(self, revocation: Revocation) -> Publication:
        """It, taken back; the first time counts."""
        return self if self.revocation is not None else replace(self, revocation=revocation)

    def _said(self) -> tuple[object, ...]:
        return (
            self.tenant,
            self.session_id,
            self.frames,
            self.page_sha256,
            self.text_sha256,
        )


def reason_of(text: str, field: str) -> str:
    """A reason on one line. Raises AssayError(INVALID_ARGUMENT) naming `field`."""
    reason = " ".join(harmless_line(text).split())
    if not 0 < len(reason) <= LONGEST_REASON:
        raise AssayError(
            INVALID_ARGUMENT,
            f"a reason has 1 to {LONGEST_REASON:,} characters",
            hint="Say it for those who read the page, or find it gone.",
            fields={field: f"must have 1 to {LONGEST_REASON} characters"},
        )
    return reason


def check_failures(failures: tuple[Failure, ...], accepted: Mapping[str, str]) -> None:
    """Raises AssayError: TEXT_FAILS where anything fails that is not accepted, INVALID_ARGUMENT
    where something is accepted of a frame that is not contested."""
    contested = {one.claimed for one in failures if one.code is FailureCode.FRAME_CONTESTED}
    left = [
        one
        for one in failures
        if one.code is not FailureCode.FRAME_CONTESTED or one.claimed not in accepted
    ]
    if left:
        things = "1 thing fails" if len(left) == 1 else f"{len(left):,} things fail"
        raise AssayError(
            TEXT_FAILS,
            f"the text does not hold: {things}, the first in line {left[0].line:,} "
            f"({left[0].code.value})",
            metadata={"failures": str(len(left))},
        )
    if needless := sorted(set(accepted) - contested):
        name = harmless_line(needless[0])[:40]
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is nothing to accept in {name}: it is not cited, or not contested",
            fields={"head.accepted": f"{name} is not contested"},
        )
