"""Objects of buckets, fetched from an S3-compatible server on this machine.

The server is a process of its own (moto's), because nothing else here speaks as S3 does.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mesh.errors import (
    RESOURCE_EXHAUSTED,
    SOURCE_HOST_REFUSED,
    SOURCE_LOGIN_REFUSED,
    SOURCE_NOT_FOUND,
    SOURCE_NOT_READABLE,
    AssayError,
)
from mesh.errors.reasons import Reason
from mesh.ids import new_id
from mesh.storage.objects.bucket import BucketPlace
from mesh.testing.object_server import ObjectServerAbsent, object_server
from services.executor.databases.vault import Vault
from services.executor.domain.source import DataSource
from services.executor.remote.bucket import Bucket, Store
from services.executor.remote.fetching import RemoteSources
from services.executor.remote.hosts import WebHosts
from services.executor.sources.library import SourceLibrary
from tests.unit.executor.lake_help import iceberg_orders
from tests.unit.executor.source_help import PROCESSES, ask, rows_of

boto3 = pytest.importorskip("boto3", reason="the extra `s3` is not installed")


@pytest.fixture(scope="module")
def server() -> Iterator[BucketPlace]:
    try:
        with object_server() as place:
            yield place
    except ObjectServerAbsent as absence:
        pytest.skip(str(absence))


class Shelf:
    """A bucket of its own, and its objects as tests put them there."""

    def __init__(self, place: BucketPlace) -> None:
        self.place, self.name = place, f"test-{new_id()}"
        self.client = boto3.client(
            "s3",
            endpoint_url=place.endpoint,
            region_name=place.region,
            aws_access_key_id=place.access_key,
            aws_secret_access_key=place.secret_key,
        )
        self.client.create_bucket(Bucket=self.name)

    def put(self, key: str, body: bytes | str) -> None:
        content = body.encode() if isinstance(body, str) else body
        self.client.put_object(Bucket=self.name, Key=key, Body=content)

    def put_folder(self, folder: Path, prefix: str) -> None:
        for file in folder.rglob("*"):
            if file.is_file():
                self.put(f"{prefix}/{file.relative_to(folder).as_posix()}", file.read_bytes())

    def url(self, key: str) -> str:
        """The address with what logs in, as people write it."""
        secret = quote(self.place.secret_key, safe="")
        return f"s3://{self.place.access_key}:{secret}@{self.name}/{key}"


@pytest.fixture
def shelf(server: BucketPlace) -> Shelf:
    return Shelf(server)


def remote(home: Path, shelf: Shelf, **changed: Any) -> RemoteSources:
    given = {
        "store": Store(shelf.place.endpoint, shelf.place.region),
        "own_surroundings": True,
        "kept_seconds": 0.0,
        "pauses": (0.0,),
        **changed,
    }
    return RemoteSources(home, Vault(home / "vault"), **given)


def opened(home: Path, sources: RemoteSources, url: str) -> Any:
    library = SourceLibrary(home, processes=PROCESSES)
    return sources.open(DataSource(connection_string=url), library)


def refused(home: Path, sources: RemoteSources, url: str, reason: Reason) -> AssayError:
    with pytest.raises(AssayError) as caught:
        opened(home, sources, url)
    assert caught.value.reason is reason, caught.value
    assert "not-to-be-told" not in f"{caught.value!r}"
    return caught.value


def parquet(**columns: list[Any]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def test_an_object_is_read_and_what_was_fetched_is_told(tmp_path: Path, shelf: Shelf) -> None:
    shelf.put("data/sales.csv", "shop,amount\na,1.5\n")
    source = opened(tmp_path, remote(tmp_path, shelf), shelf.url("data/sales.csv"))
    assert rows_of(source) == [{"shop": "a", "amount": 1.5}]
    assert source.notes[-1].startswith(
        f'fetched from s3://{shelf.name}/data/sales.csv: 18 bytes, ETag "'
    )
    assert "not-to-be-told" not in str(source)


def test_a_prefix_of_key_folders_is_one_table_and_a_prefix_of_files_a_table_each(
    tmp_path: Path, shelf: Shelf
) -> None:
    shelf.put("lake/sales/year=2024/a.parquet", parquet(amount=[1.0, 2.0]))
    shelf.put("lake/sales/year=2025/a.parquet", parquet(amount=[4.0]))
    shelf.put("lake/sales/_SUCCESS", b"")
    shelf.put("lake/shop/orders.csv", "id\n1\n")
    shelf.put("lake/shop/customers.csv", "id\n7\n")
    shelf.put("lake/shop/deep/other.csv", "id\n9\n")
    sources = remote(tmp_path, shelf)
    for url in (shelf.url("lake/sales/"), shelf.url("lake/sales")):
        sales = opened(tmp_path, sources, url)
        answer = ask(sales, "SELECT year, sum(amount) AS s FROM sales GROUP BY 1 ORDER BY 1")
        assert answer.to_pylist() == [{"year": 2024, "s": 3.0}, {"year": 2025, "s": 4.0}]
    assert "2 objects" in sales.notes[-1]
    shop = opened(tmp_path, sources, shelf.url("lake/shop/"))
    assert {table.name for table in shop.tables} == {"orders", "customers"}


def test_only_what_changed_is_fetched_again(
    tmp_path: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []
    fetch = Bucket.fetch

    def counted(self: Bucket, one: Any, into: Path) -> None:
        fetched.append(one.name)
        fetch(self, one, into)

    monkeypatch.setattr(Bucket, "fetch", counted)
    shelf.put("sales/year=2024/a.parquet", parquet(amount=[1.0]))
    shelf.put("sales/year=2025/a.parquet", parquet(amount=[2.0]))
    sources = remote(tmp_path, shelf)
    first = opened(tmp_path, sources, shelf.url("sales/"))
    assert opened(tmp_path, sources, shelf.url("sales/")).digest == first.digest
    assert len(fetched) == 2
    shelf.put("sales/year=2025/a.parquet", parquet(amount=[5.0]))
    second = opened(tmp_path, sources, shelf.url("sales/"))
    assert fetched[2:] == ["year=2025/a.parquet"] and second.digest != first.digest


def test_an_object_that_changes_between_listing_and_reading_is_noticed(
    tmp_path: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put("sales.csv", "id\n1\n")
    fetch = Bucket.fetch

    def written_meanwhile(self: Bucket, one: Any, into: Path) -> None:
        shelf.put("sales.csv", "id\n2\n")
        fetch(self, one, into)

    monkeypatch.setattr(Bucket, "fetch", written_meanwhile)
    error = refused(tmp_path, remote(tmp_path, shelf), shelf.url("sales.csv"), SOURCE_NOT_READABLE)
    assert error.message == f"s3://{shelf.name}/sales.csv changed while it was read."


def test_what_is_not_there_is_told(tmp_path: Path, shelf: Shelf) -> None:
    sources = remote(tmp_path, shelf)
    refused(tmp_path, sources, shelf.url("nothing.csv"), SOURCE_NOT_FOUND)
    refused(tmp_path, sources, shelf.url("nothing/"), SOURCE_NOT_FOUND)
    refused(tmp_path, sources, shelf.url("x").replace(shelf.name, "no-such"), SOURCE_NOT_FOUND)
    shelf.put("notes/readme.md", "hello")
    error = refused(tmp_path, sources, shelf.url("notes/"), SOURCE_NOT_FOUND)
    assert "holds no data files" in error.message


def test_names_that_leave_their_folder_are_refused(tmp_path: Path, shelf: Shelf) -> None:
    shelf.put("x/year=2024/../../../../evil.parquet", parquet(n=[1]))
    error = refused(tmp_path, remote(tmp_path, shelf), shelf.url("x/"), SOURCE_NOT_READABLE)
    assert "has a name that is no path" in error.message


def test_more_than_may_be_fetched_is_refused_before_it_is(tmp_path: Path, shelf: Shelf) -> None:
    shelf.put("big.csv", "id\n" + "1\n" * 5_000)
    few = remote(tmp_path, shelf, most_bytes=5_000)
    refused(tmp_path, few, shelf.url("big.csv"), RESOURCE_EXHAUSTED)


def test_who_comes_from_elsewhere_reaches_listed_stores_alone_and_with_rights_of_their_own(
    tmp_path: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put("sales.csv", "id\n1\n")
    sources = remote(tmp_path, shelf, own_surroundings=False)
    refused(tmp_path, sources, shelf.url("sales.csv"), SOURCE_HOST_REFUSED)
    listed = remote(tmp_path, shelf, own_surroundings=False, hosts=WebHosts("127.0.0.1"))
    assert rows_of(opened(tmp_path, listed, shelf.url("sales.csv"))) == [{"id": 1}]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", shelf.place.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", shelf.place.secret_key)
    without = f"s3://{shelf.name}/sales.csv"
    assert rows_of(opened(tmp_path, remote(tmp_path, shelf), without)) == [{"id": 1}]
    # The environment is the operator's: to a stranger the bucket is what it is to anybody.
    elsewhere = tmp_path / "elsewhere"
    strangers = remote(elsewhere, shelf, own_surroundings=False, hosts=WebHosts("127.0.0.1"))
    refused(elsewhere, strangers, without, SOURCE_LOGIN_REFUSED)


def test_where_a_store_is_only_the_operator_says(tmp_path: Path, shelf: Shelf) -> None:
    shelf.put("sales.csv", "id\n1\n")
    url = shelf.url("sales.csv") + f"?endpoint={shelf.place.endpoint}&region=eu-central-1"
    error = refused(tmp_path, remote(tmp_path, shelf), url, SOURCE_NOT_FOUND)
    assert "parameter endpoint, which is not allowed" in error.message
    named = remote(tmp_path, shelf, store=Store(), connections={"lake": url})
    assert rows_of(opened(tmp_path, named, "connection://lake")) == [{"id": 1}]


def test_a_wrong_secret_is_told_without_it(tmp_path: Path, shelf: Shelf) -> None:
    """Moto looks at no signature, so the store's refusal is played."""
    from botocore.exceptions import ClientError

    sources = remote(tmp_path, shelf)
    shelf.put("sales.csv", "id\n1\n")

    def refuse(*_: Any, **__: Any) -> None:
        said = {"Error": {"Code": "SignatureDoesNotMatch"}, "ResponseMetadata": {}}
        raise ClientError(said, "HeadObject")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("botocore.client.BaseClient._make_api_call", refuse)
        error = refused(tmp_path, sources, shelf.url("sales.csv"), SOURCE_LOGIN_REFUSED)
    assert "access key and its secret" in error.hint


def test_a_table_of_iceberg_is_read_from_a_bucket(tmp_path: Path, shelf: Shelf) -> None:
    pytest.importorskip("pyiceberg", reason="the extra `lake` is not installed")
    iceberg_orders(tmp_path / "warehouse")
    shelf.put_folder(tmp_path / "warehouse" / "n" / "orders", "lake/orders")
    orders = opened(tmp_path, remote(tmp_path, shelf), shelf.url("lake/orders"))
    assert sorted(row["id"] for row in rows_of(orders)) == [1, 3, 4, 5]
    assert "of an Iceberg table" in orders.notes[0] and "fetched from s3://" in orders.notes[1]


def test_a_table_of_delta_is_read_from_a_bucket(tmp_path: Path, shelf: Shelf) -> None:
    deltalake = pytest.importorskip("deltalake", reason="the extra `lake` is not installed")
    deltalake.write_deltalake(tmp_path / "orders", pa.table({"id": [1, 2]}))
    deltalake.DeltaTable(tmp_path / "orders").delete("id = 2")
    shelf.put_folder(tmp_path / "orders", "lake/orders")
    orders = opened(tmp_path, remote(tmp_path, shelf), shelf.url("lake/orders/"))
    assert rows_of(orders) == [{"id": 1}]
    assert "version 1 of a Delta table" in orders.notes[0]
