"""A socket's name says its port, as libpq and its servers name sockets."""

from __future__ import annotations

import pytest

from services.executor.databases.address import address_of


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("postgresql://ann@/shop?unix_sock=/run/pg/.s.PGSQL.5499", "/run/pg", "5499"),
        ("postgresql://ann@/shop?unix_sock=/run/pg/.s.PGSQL.5432", "/run/pg", "5432"),
        ("postgresql://ann@/shop?unix_sock=/run/pg/socket", "/run/pg", None),
        ("postgresql://ann@db.example:5433/shop", "db.example", "5433"),
    ],
)
def test_a_database_is_reached_where_its_address_says(
    url: str, host: str, port: str | None
) -> None:
    found = dict(address_of(url, {}, own=True).parameters)
    assert (found["host"], found.get("port")) == (host, port)
