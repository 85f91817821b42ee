"""Values of text columns of a database, for tying words of a question to them; bounded.

No look-up takes longer than two seconds in the server; what takes longer finds nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from mesh.policy import Policy
from services.executor.databases.kind import kind_of
from services.executor.databases.live import LiveSource, live
from services.executor.databases.session import Interrupted, Sessions
from services.executor.engines.workspace import FlatTable

log = logging.getLogger("assay.executor")

_SECONDS = 2.0
_MOST_ROWS = 500_000


class DatabaseValues:
    """Looks values up where they are."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def distinct(
        self, table: FlatTable, column: str, policy: Policy, most: int, longest: int
    ) -> list[str] | None:
        """The values of a column, None where there are more than `most` or it would take long."""
        source = _source(table)
        known = table.stored.statistics.get(column)
        if table.stored.rows > _MOST_ROWS and known is not None and known.distinct > most:
            return None
        relation = source.relations[table.stored.name]
        columns = [column.name for column in table.columns]
        kind = kind_of(source.address.kind)
        found = self._strings(
            source, kind.distinct_sql(relation, columns, column, longest, most + 1)
        )
        if found is None or len(found) > most:
            return None
        return sorted(text for text in found if policy.kind(text) is None)

    def exact(
        self, table: FlatTable, column: str, policy: Policy, texts: Sequence[str]
    ) -> list[str]:
        """Which of the texts the column holds, in the spellings that an index can find."""
        source = _source(table)
        relation = source.relations[table.stored.name]
        spelled = {s for text in texts for s in (text, text.lower(), text.upper(), text.title())}
        # On the column as it is, for an index to serve; the policy is looked at here.
        kind = kind_of(source.address.kind)
        found = self._strings(
            source, kind.exact_sql(relation, column, sorted(spelled), 5 * len(spelled))
        )
        return [text for text in sorted(found or ()) if policy.kind(text) is None]

    def _strings(self, source: LiveSource, sql: str) -> list[str] | None:
        try:
            with self._sessions.open(source.address, _SECONDS) as session:
                return [str(row[0]) for row in session.rows(sql)]
        except Interrupted:
            return None
        except kind_of(source.address.kind).DRIVER_ERRORS as error:
            log.info("values of a database cannot be looked up: %s", type(error).__name__)
            return None


def _source(table: FlatTable) -> LiveSource:
    source = live(table.source)
    assert source is not None
    return source
