"""Which places a caller may name who is not on the server's machine."""

from __future__ import annotations

import pytest

from assay.common.v1 import data_pb2
from gateway.preparing import check_source
from mesh.credentials import with_reference
from mesh.errors import AssayError

KEPT = with_reference("postgresql://ann@db.example/shop", "0" * 32)


@pytest.mark.parametrize("address", ["postgresql://ann:secret@db.example/shop", KEPT])
def test_a_database_with_a_password_given_now_or_before_is_named_by_anybody(address: str) -> None:
    check_source(data_pb2.DataSource(connection_string=address), "source", local_paths=False)


@pytest.mark.parametrize(
    "source",
    [
        data_pb2.DataSource(connection_string="postgresql://ann@db.example/shop"),
        data_pb2.DataSource(connection_string=KEPT.replace("db.example", "")),
        data_pb2.DataSource(connection_string="sqlite:///shop.sqlite"),
        data_pb2.DataSource(file_path="/etc/passwd"),
    ],
    ids=lambda source: source.connection_string or source.file_path,
)
def test_what_is_the_servers_own_is_not(source: data_pb2.DataSource) -> None:
    check_source(source, "source", local_paths=True)
    with pytest.raises(AssayError) as refused:
        check_source(source, "source", local_paths=False)
    assert refused.value.reason.code == "FILE_PATH_REFUSED"
