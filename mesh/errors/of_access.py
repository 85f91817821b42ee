"""Reasons to refuse a caller; to be had from `mesh.errors`."""

from __future__ import annotations

from mesh.errors.kinds import Kind
from mesh.errors.reasons import reason

TOKEN_REQUIRED = reason(
    "TOKEN_REQUIRED",
    Kind.IDENTITY,
    "The call carries no token, and here nobody is believed without one.",
    "Send `authorization: Bearer TOKEN`; with the command, ASSAY_TOKEN or --token-file.",
)
TOKEN_REFUSED = reason(
    "TOKEN_REFUSED",
    Kind.IDENTITY,
    "The call's token is not believed here; why is told in the server's log alone.",
    "Ask the operator for a token of this mesh, or sign in again.",
)
TOKEN_EXPIRED = reason(
    "TOKEN_EXPIRED",
    Kind.IDENTITY,
    "The call's token was good, and its time is over.",
    "Sign in again, or ask the operator for a new key.",
)
SIGN_IN_ENDED = reason(
    "SIGN_IN_ENDED",
    Kind.IDENTITY,
    "The browser is signed in at the console no longer: its time is over, or it was signed out.",
    "Sign in again.",
)
ORIGIN_REFUSED = reason(
    "ORIGIN_REFUSED",
    Kind.POLICY,
    "A page of another site called with this browser's cookie, or the console has another address.",
    "Open the console by the address that the server printed; ASSAY_GATEWAY_WEB_URL names another.",
)
RATE_EXCEEDED = reason(
    "RATE_EXCEEDED",
    Kind.LIMIT,
    "The tenant makes more calls, or has more of them under way, than one tenant may.",
    "Try again after the time that the answer names, and then more slowly.",
)
STORAGE_EXCEEDED = reason(
    "STORAGE_EXCEEDED",
    Kind.LIMIT,
    "The tenant's uploaded files together would be larger than one tenant's may be.",
    "Delete files or sessions that are not needed any more, or ask the operator for more room.",
)
ROLE_MISSING = reason(
    "ROLE_MISSING",
    Kind.POLICY,
    "The caller's role may not do this.",
    "Ask the operator for the role that the message names.",
)
CREDENTIALS_REFUSED = reason(
    "CREDENTIALS_REFUSED",
    Kind.IDENTITY,
    "The call does not say who calls, says it twice, or in a form that no name has.",
    "Send x-assay-user once, with 1 to 100 printable ASCII characters and no comma.",
)
CLOCKS_DIFFER = reason(
    "CLOCKS_DIFFER",
    Kind.UNAVAILABLE,
    "A service refused another of its mesh: by its clock the call was made too long ago.",
    "Set the clocks of the machines that the mesh runs on, and ask again.",
)
PEER_REFUSED = reason(
    "PEER_REFUSED",
    Kind.IDENTITY,
    "A service behind the gateway was called by somebody who is not a service of the same mesh.",
    "Call the gateway. Services of one mesh share a home folder or the same ASSAY_MESH_KEY.",
)
