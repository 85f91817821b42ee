"""Opens databases: what is in them is read again when half a minute has passed."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from mesh.canonical import canonical_json
from mesh.context import current
from mesh.credentials import reference_of, separated
from mesh.digest import sha256_hex
from mesh.errors import SOURCE_EMPTY, SOURCE_NOT_FOUND, AssayError
from mesh.telemetry.metrics import looked_up
from services.executor.databases.address import NAMED, Address, address_of
from services.executor.databases.found import Catalogue
from services.executor.databases.hosts import ANYWHERE, HostRules
from services.executor.databases.kind import kind_of
from services.executor.databases.live import LiveSource
from services.executor.databases.session import Interrupted, Sessions
from services.executor.databases.vault import Vault
from services.executor.domain.source import DataSource
from services.executor.masking_key import MaskingKey
from services.executor.sources.prepared import schema_fingerprint

_OPEN_SECONDS = 30.0
KEPT_SECONDS = 30.0
_LIVE = "a live database: row counts are estimates, and asked again it may differ"


class DatabaseLibrary:
    """Opens databases by URL. One object serves all threads.

    `connections` are named URLs of the operator's own, which a request calls `connection://NAME`.
    `own_surroundings` lets PGPASSWORD, .pgpass and service files of this process help to log in,
    except those whom the gateway calls strangers. `hosts` are where databases may be (see `hosts`);
    empty means anywhere, and for strangers nowhere.
    """

    def __init__(
        self,
        home: Path,
        *,
        connections: Mapping[str, str] | None = None,
        own_surroundings: bool = False,
        hosts: str = "",
        kept_seconds: float = KEPT_SECONDS,
        masking: MaskingKey | None = None,
    ) -> None:
        self.vault = Vault(home / "vault")
        self._masking = masking or MaskingKey(home)
        self.sessions = Sessions(self._places)
        self._hosts = HostRules.parsed(hosts) if hosts else None
        self._copies = home / "copies"
        self._own = own_surroundings
        self._connections = dict(connections or {})
        self._kept_seconds = kept_seconds
        self._lock = threading.Lock()
        self._kept: dict[Address, tuple[float, LiveSource]] = {}

    def close(self) -> None:
        """Close connections."""
        self.sessions.close()

    def open(self, source: DataSource, cancelled: threading.Event | None = None) -> LiveSource:
        """The database with its schema and statistics.

        Raises AssayError: DATABASE_UNREACHABLE, DATABASE_LOGIN_REFUSED, SOURCE_NOT_FOUND,
        SOURCE_EMPTY where the user may read no table, DATABASE_PERMISSION_DENIED.
        """
        address = self._address(source.connection_string or "")
        with self._lock:
            known = self._kept.get(address)
        fresh = known is not None and time.monotonic() - known[0] < self._kept_seconds
        looked_up("databases", hit=fresh)
        if known is not None and fresh:
            return known[1]
        kind = kind_of(address.kind)
        try:
            with self.sessions.open(address, _OPEN_SECONDS, cancelled) as session:
                found = kind.described(session, address.schemas)
        except kind.DRIVER_ERRORS as error:
            raise kind.failed(error, address) from None
        except Interrupted as stopped:
            raise _stopped(stopped, address) from None
        if not found.tables:
            raise AssayError(
                SOURCE_EMPTY,
                f"the database {address.shown} has no table that this user may read.",
                hint="Check the user's rights, and schema= in the address.",
            )
        found.notes.append(_LIVE)
        opened = self._opened(address, found, source)
        with self._lock:
            self._kept[address] = (time.monotonic(), opened)
        return opened

    def _address(self, url: str) -> Address:
        parts = urlsplit(url)
        if parts.scheme == NAMED:
            given = self._connections.get(parts.netloc)
            if given is None:
                raise AssayError(
                    SOURCE_NOT_FOUND,
                    f"there is no connection named {parts.netloc!r}.",
                    hint="ASSAY_EXECUTOR_CONNECTIONS names them: "
                    f"{', '.join(sorted(self._connections)) or 'there are none'}.",
                )
            own = separated(given)
            return address_of(own.address, own.secrets, own=True, trusted=True)
        if not reference_of(url):
            return address_of(url, {}, own=self._own)
        kept = self.vault.get(current().tenant, url)
        return address_of(url, kept.secrets, own=self._own and not kept.stranger)

    def _places(self, address: Address) -> dict[str, str]:
        return (self._hosts or HostRules.parsed(ANYWHERE if address.own else "")).numeric(address)

    def _opened(self, address: Address, found: Catalogue, source: DataSource) -> LiveSource:
        tables = tuple(found.tables)
        about = {
            "address": address.shown,
            "tables": [t.model_dump(mode="json", exclude={"statistics", "rows"}) for t in tables],
            "stamps": {name: r.stamp for name, r in found.relations.items()},
        }
        return LiveSource(
            digest=sha256_hex(canonical_json(about)),
            label=source.name or address.database or "database",
            database=self._copies,
            tables=tables,
            notes=tuple(found.notes),
            decisions=(),
            schema_fingerprint=schema_fingerprint(tables),
            salt=self._masking.salt(address.shown),
            address=address,
            relations=found.relations,
        )


def _stopped(stopped: Interrupted, address: Address) -> AssayError:
    from mesh.errors import CANCELLED, DATABASE_UNREACHABLE

    if stopped.late:
        return AssayError(
            DATABASE_UNREACHABLE,
            f"the database {address.shown} did not describe itself within {_OPEN_SECONDS:g} s.",
        )
    return AssayError(CANCELLED, f"opening {address.shown} was cancelled.")
