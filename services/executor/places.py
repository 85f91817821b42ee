"""Where sources are: on this machine, elsewhere, or in a database; each is opened by its own."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from mesh.errors import SCHEMA_CHANGED, AssayError
from services.executor.databases.address import is_database
from services.executor.databases.library import DatabaseLibrary
from services.executor.domain.source import DataSource
from services.executor.remote.fetching import RemoteSources
from services.executor.sources.library import SourceLibrary
from services.executor.sources.prepared import PreparedSource


@dataclass(frozen=True, slots=True)
class Places:
    """The three kinds of place."""

    library: SourceLibrary
    databases: DatabaseLibrary
    remote: RemoteSources

    def unread(self, source: DataSource) -> bool:
        """Whether opening it may have to read a file first. Blocks to hash it."""
        if self.remote.takes(source):
            return True
        return not is_database(source.connection_string) and not self.library.known(source)

    def opened(
        self,
        source: DataSource,
        cancelled: threading.Event,
        used_by: Sequence[str] | None = None,
    ) -> PreparedSource:
        """A source, ready; of a large file what statements use (`SourceLibrary.open`) may be all
        that was read. Raises AssayError: what its place raises, SCHEMA_CHANGED for one that is not
        as was said."""
        prepared: PreparedSource
        text = source.schema_fingerprint
        if self.remote.takes(source) or (text and used_by is None):
            source = source.model_copy(update={"asked": ()})
        if self.remote.takes(source):
            prepared = self.remote.open(source, self.library, cancelled)
        elif is_database(source.connection_string):
            prepared = self.databases.open(source, cancelled)
        else:
            prepared = self.library.open(source, cancelled, used_by=used_by)
        if (
            text
            and text != prepared.schema_fingerprint
            and not self.library.fits_part(prepared.digest, text, used_by)
        ):
            raise AssayError(
                SCHEMA_CHANGED,
                f"the tables, columns or types of {source.label} are not those that were named: "
                f"their fingerprint is {prepared.schema_fingerprint[:12]}…, not {text[:12]}…",
                metadata={"schema_fingerprint": prepared.schema_fingerprint},
            )
        return prepared
