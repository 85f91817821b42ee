"""What is behind a Flight SQL server, as the executor has it."""

from __future__ import annotations

from pathlib import Path

from services.executor.databases.library import DatabaseLibrary
from services.executor.domain.source import DataSource
from services.executor.engines.flightsql.engine import FlightEngine
from tests.engines.flight_server import DuckDBFlightServer, url_of
from tests.engines.world import Place


def opened(server: DuckDBFlightServer, folder: Path) -> Place:
    """What is behind the server, read now."""
    library = DatabaseLibrary(folder / "home", own_surroundings=True, kept_seconds=0)
    source = library.open(DataSource(connection_string=url_of(server)))
    return Place(FlightEngine(library.sessions), [source])
