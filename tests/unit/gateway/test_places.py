"""Which places a caller may name who is not on the server's machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from assay.common.v1 import data_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import source_service_pb2 as sources_pb
from gateway.adapters.credentials import ExecutorCredentials
from gateway.jobs.preparing import check_source
from mesh.credentials import with_reference
from mesh.errors import AssayError
from tests.unit.gateway.conftest import Mesh

KEPT = with_reference("postgresql://ann@db.example/shop", "0" * 32)


@pytest.mark.parametrize(
    "address",
    ["postgresql://ann:secret@db.example/shop", "mysql://ann:secret@db.example/shop", KEPT],
)
def test_a_database_with_a_password_given_now_or_before_is_named_by_anybody(address: str) -> None:
    check_source(data_pb2.DataSource(connection_string=address), "source", local_paths=False)


class Vault:
    """Stands for the executor, which keeps what it is given."""

    def __init__(self) -> None:
        self.kept: list[executor_pb.PutCredentialRequest] = []

    async def PutCredential(
        self, request: executor_pb.PutCredentialRequest, **_: Any
    ) -> executor_pb.PutCredentialResponse:
        self.kept.append(request)
        return executor_pb.PutCredentialResponse(address=with_reference(request.address, "0" * 32))


async def test_whose_file_elsewhere_is_fetched_the_executor_knows_by_a_reference() -> None:
    vault = Vault()
    credentials = ExecutorCredentials(cast("Any", vault))
    plain, secret = "https://a.org/x.csv", "s3://KEY:secret@bucket/x.csv"
    for url in (plain, secret):
        check_source(data_pb2.DataSource(connection_string=url), "source", local_paths=False)
    by_stranger = [data_pb2.DataSource(connection_string=url) for url in (plain, secret)]
    await credentials.deposit(by_stranger, stranger=True)
    assert [(one.address, one.secrets_json, one.stranger) for one in vault.kept] == [
        (plain, "{}", True),
        ("s3://KEY@bucket/x.csv", '{"password": "secret"}', True),
    ]
    assert all("assay_credential=" in one.connection_string for one in by_stranger)
    own = [data_pb2.DataSource(connection_string=plain)]
    await credentials.deposit(own, stranger=False)
    assert own[0].connection_string == plain and len(vault.kept) == 2


@pytest.mark.parametrize(
    "source",
    [
        data_pb2.DataSource(connection_string="postgresql://ann@db.example/shop"),
        data_pb2.DataSource(connection_string="mariadb://ann@db.example/shop"),
        data_pb2.DataSource(connection_string=KEPT.replace("db.example", "")),
        data_pb2.DataSource(connection_string="sqlite:///shop.sqlite"),
        data_pb2.DataSource(file_path="/etc/passwd"),
    ],
    ids=lambda source: source.connection_string or source.file_path,
)
def test_what_is_the_servers_own_is_not(source: data_pb2.DataSource) -> None:
    check_source(source, "source", local_paths=True)
    with pytest.raises(AssayError) as error:
        check_source(source, "source", local_paths=False)
    assert error.value.reason.code == "FILE_PATH_REFUSED"


async def test_who_names_a_path_from_elsewhere_is_told_what_can_be_kept(
    mesh: Mesh, refused: Callable[..., Any]
) -> None:
    place = data_pb2.DataSource(file_path="/data/shop.csv")
    with refused("FILE_PATH_REFUSED") as error:
        await mesh.ann.sources.AddSource(sources_pb.AddSourceRequest(name="shop", source=place))
    assert "name your own files with each question" in error.hint
