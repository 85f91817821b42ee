"""Why a person's client did not reach its server, where gRPC's own words tell it.

gRPC has one status for all of it, and says what happened in English that it promises to nobody:
words that are not known here explain nothing, and are not shown.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Cause(NamedTuple):
    """What it was, as a part of a sentence, and what to do about it."""

    what: str
    hint: str


_CAUSES = {
    r"CERTIFICATE_VERIFY_FAILED: certificate has expired": Cause(
        "its certificate has expired", "Have it renewed where the server runs."
    ),
    r"CERTIFICATE_VERIFY_FAILED": Cause(
        "its certificate is signed by no authority that is trusted here",
        "Name the authority's file in ASSAY_SERVER_AUTHORITY; in Python it is authority=.",
    ),
    r"Hostname Verification Check failed": Cause(
        "its certificate is for another name than its address has",
        "Call the server by a name that its certificate has.",
    ),
    r"WRONG_VERSION_NUMBER": Cause(
        "it does not speak TLS",
        "Write the address without https://, or give the server a certificate.",
    ),
    # So a server with a certificate answers what is no TLS; one that is just ending does too.
    r"last error: (?!.*handshake).*(Socket closed|Connection reset by peer)": Cause(
        "it ended the connection before it said anything",
        "If it has a certificate, write its address as https://host:port.",
    ),
    r"Failed to parse port|Misformatted domain name|target uri is not valid": Cause(
        "its address is malformed",
        "Write host:port, or https://host:port, with nothing before or behind it.",
    ),
}


def cause_in(details: str) -> Cause | None:
    """What the details of a failed call tell; None where they tell nothing that is known."""
    return next((cause for sign, cause in _CAUSES.items() if re.search(sign, details)), None)
