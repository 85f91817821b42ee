"""Addresses of databases and of files elsewhere, without what must stay secret.

`separated` takes the secrets out of a URL; what is left may be stored, logged and sent. Where the
secrets were put is said by a reference in the URL, which is worth nothing by itself.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from mesh.errors import INVALID_ARGUMENT, AssayError

REFERENCE = "assay_credential"
_SECRETS = frozenset("password passwd pwd sslpassword token secret key sig access_token".split())
# What signs an address on the web: whoever has it reads the file.
_SIGNATURES = frozenset(
    "x-amz-signature x-amz-credential x-amz-security-token x-goog-signature x-goog-credential "
    "signature awsaccesskeyid api_key apikey auth session".split()
)
_REMOTE = frozenset({"http", "https", "s3"})


def is_remote(url: str | None) -> bool:
    """Whether a place is the address of a file on the web or in a bucket."""
    scheme, mark, _ = (url or "").partition("://")
    return bool(mark) and scheme.lower() in _REMOTE


@dataclass(frozen=True, slots=True)
class Separated:
    """`address` without secrets; `secrets` by parameter name, empty where there were none."""

    address: str
    secrets: dict[str, str] = field(repr=False)

    @property
    def sealed(self) -> str:
        """The secrets as one text."""
        return json.dumps(self.secrets, sort_keys=True)


def separated(url: str) -> Separated:
    """The two parts of a URL.

    Raises AssayError(INVALID_ARGUMENT), which does not repeat the URL, for one that cannot be
    taken apart with certainty, such as a password with an unescaped slash.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise _unclear() from None
    user, at, place = parts.netloc.rpartition("@")
    remote = is_remote(url)
    # A path on the web may hold an @, but not behind what could be the beginning of a password.
    if parts.fragment or ("@" in parts.path and not (remote and ":" not in parts.netloc)):
        raise _unclear()
    name, colon, password = user.partition(":")
    secrets = {"password": unquote(password)} if colon and password else {}
    shown = []
    for key, value in parse_qsl(parts.query, keep_blank_values=True):
        if key.lower() in _SECRETS or (remote and key.lower() in _SIGNATURES):
            secrets[key if remote else key.lower()] = value
        else:
            shown.append((key, value))
    if not secrets:
        return Separated(url, {})
    netloc = f"{name}{at}{place}"
    query = urlencode(shown, quote_via=quote, safe="/:,")
    return Separated(urlunsplit((parts.scheme, netloc, parts.path, query, "")), secrets)


def with_reference(address: str, reference: str) -> str:
    """The address with the name under which its secrets are kept. Raises like `separated`."""
    return f"{address}{'&' if _parts(address).query else '?'}{REFERENCE}={reference}"


def reference_of(address: str) -> str:
    """The name under which the secrets of an address are kept; empty where there is none.

    Raises like `separated`.
    """
    return dict(parse_qsl(_parts(address).query)).get(REFERENCE, "")


def _parts(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        raise _unclear() from None


def _unclear() -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        "the address of a source cannot be taken apart.",
        hint="Write scheme://user:password@host:port/database, with @ : / ? # % in the password as "
        "%40 %3A %2F %3F %23 %25, or leave the password to PGPASSWORD or a .pgpass file.",
        fields={"connection_string": "not scheme://user:password@host:port/database"},
    )
