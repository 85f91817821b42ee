"""Sessions with BigQuery: bounded, and cancelled inside it.

It knows of no transaction that only reads: what keeps a statement from writing is the guard, and a
service account that may only read.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import pyarrow as pa

from mesh.errors import DATABASE_LOGIN_REFUSED, AssayError
from services.executor.databases.address import Address
from services.executor.databases.live import Relation
from services.executor.databases.session import Places
from services.executor.engines.bigquery.errors import DRIVER_ERRORS, as_assay_error
from services.executor.pushdown.received import in_types
from services.executor.pushdown.session import abandonable, bounded
from services.executor.pushdown.telling import without_driver

_SCOPE = "https://www.googleapis.com/auth/bigquery"


class BigQuerySession:
    """A client of a project, and the job that runs. `client` is google.cloud.bigquery's."""

    def __init__(self, client: Any, address: Address, seconds: float) -> None:
        self.client = client
        self.address = address
        self._seconds = seconds
        self._job: Any = None
        self._stopped = threading.Event()

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """All rows of a statement of our own. Raises google's errors."""
        return [tuple(row.values()) for row in self._asked(sql)]

    def stream(self, sql: str, schema: pa.Schema) -> pa.RecordBatchReader:
        """As `PushedSession.stream`."""
        return in_types(self._asked(sql).to_arrow_iterable(), schema)

    def first(self, relation: Relation, most: int) -> Any:
        """The first rows of a table as they are stored there, which cost nothing."""
        table = self.client.get_table(f"{relation.schema_name}.{relation.name}")
        return self.client.list_rows(table, max_results=most)

    def cancel(self) -> None:
        """Stop what runs there."""
        self._stopped.set()
        if self._job is not None:
            with suppress(*DRIVER_ERRORS):
                self._job.cancel(retry=None, timeout=5.0)

    def _asked(self, sql: str) -> Any:
        from google.cloud.bigquery import QueryJobConfig

        given = dict(self.address.parameters)
        most = int(given.get("maximum_bytes_billed", "0")) or None
        config = QueryJobConfig(use_legacy_sql=False, labels={"by": "assay"})
        config.job_timeout_ms = int(self._seconds * 1000) + 1000
        if most:
            config.maximum_bytes_billed = most
        self._stopped.clear()

        def ask() -> Any:
            self._job = self.client.query(sql, job_config=config, job_retry=None)
            return self._job.result(job_retry=None, timeout=self._seconds + 1)

        return abandonable(ask, self._stopped)


class BigQuerySessions:
    """Opens sessions, each with a client of its own."""

    def __init__(self, places: Places = lambda _: {}) -> None:
        self._places = places

    @contextmanager
    def open(
        self,
        address: Address,
        seconds: float,
        cancelled: threading.Event | None = None,
        *,
        parallel: bool = False,
    ) -> Iterator[BigQuerySession]:
        """As `SessionsOfKind.open`; how much computes there is BigQuery's to say."""
        del parallel
        self._places(address)  # whether its host may be asked; it has to have Google's certificate
        try:
            client = _client(address)
        except DRIVER_ERRORS as error:
            raise as_assay_error(error, address) from None
        session = BigQuerySession(client, address, seconds)
        try:
            with bounded(session.cancel, seconds, cancelled, DRIVER_ERRORS):
                yield session
        finally:
            client.close()

    def close(self) -> None:
        """Nothing is kept open."""


def _client(address: Address) -> Any:
    try:
        from google.api_core.client_options import ClientOptions
        from google.auth.credentials import AnonymousCredentials
        from google.cloud import bigquery
        from google.oauth2 import service_account
    except ImportError:
        raise without_driver("BigQuery", "bigquery") from None
    given: Mapping[str, str] = dict(address.parameters)
    key = dict(address.secrets).get("key")
    credentials: Any = None  # those of the surroundings, where the address says that it may
    if key:
        try:
            read: Any = service_account.Credentials.from_service_account_info
            credentials = read(json.loads(key), scopes=[_SCOPE])
        except ValueError:
            raise AssayError(
                DATABASE_LOGIN_REFUSED, "the key of a BigQuery project is no service account's."
            ) from None
    elif given.get("endpoint"):
        anonymous: Any = AnonymousCredentials
        credentials = anonymous()
    return bigquery.Client(
        project=given["project"],
        credentials=credentials,
        location=given.get("location"),
        client_options=ClientOptions(api_endpoint=given["endpoint"])
        if given.get("endpoint")
        else None,
    )
