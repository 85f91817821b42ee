"""Files on the web, fetched from a server on this machine, which has a certificate of its own."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mesh.context import current
from mesh.credentials import separated
from mesh.errors import (
    CANCELLED,
    RESOURCE_EXHAUSTED,
    SOURCE_HOST_REFUSED,
    SOURCE_LOGIN_REFUSED,
    SOURCE_NOT_FOUND,
    SOURCE_NOT_READABLE,
    SOURCE_NOT_SUPPORTED,
    SOURCE_UNREACHABLE,
    AssayError,
)
from mesh.errors.reasons import Reason
from services.executor.databases.vault import Vault
from services.executor.domain.source import DataSource
from services.executor.remote.fetching import RemoteSources
from services.executor.remote.hosts import WebHosts
from services.executor.sources.library import SourceLibrary
from tests.remote_world import Answer, Web, web_server
from tests.unit.executor.source_help import PROCESSES, rows_of

SALES = "shop,amount\na,1.5\nb,2\n"
ROWS = [{"shop": "a", "amount": 1.5}, {"shop": "b", "amount": 2.0}]


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    (tmp_path / "web").mkdir()
    with web_server(tmp_path / "web") as server:
        yield server


def remote(home: Path, web: Web | None = None, **changed: Any) -> RemoteSources:
    """What fetches for whoever owns this machine, where localhost is listed."""
    given = {
        "hosts": WebHosts("localhost"),
        "own_surroundings": True,
        "kept_seconds": 0.0,
        "pauses": (0.0, 0.0),
        "authority": str(web.authority) if web else "",
        **changed,
    }
    return RemoteSources(home, Vault(home / "vault"), **given)


def opened(home: Path, sources: RemoteSources, url: str, **fields: Any) -> Any:
    library = SourceLibrary(home, processes=PROCESSES)
    return sources.open(DataSource(connection_string=url, **fields), library)


def refused(home: Path, sources: RemoteSources, url: str, reason: Reason) -> AssayError:
    with pytest.raises(AssayError) as caught:
        opened(home, sources, url)
    assert caught.value.reason is reason, caught.value
    return caught.value


def test_a_file_is_read_and_what_was_fetched_is_told(tmp_path: Path, web: Web) -> None:
    url = web.put("/data/sales.csv", SALES, ETag='"v1"')
    source = opened(tmp_path, remote(tmp_path, web), url)
    assert rows_of(source) == ROWS and source.tables[0].name == "sales"
    told = f'fetched from {web.url}/data/sales.csv: {len(SALES)} bytes, ETag "v1"'
    assert source.notes[-1] == told


def test_it_is_fetched_again_when_it_changed_and_not_before(tmp_path: Path, web: Web) -> None:
    url = web.put("/sales.csv", SALES, ETag='"v1"')
    first = opened(tmp_path, remote(tmp_path, web), url)
    again = opened(tmp_path, remote(tmp_path, web), url)
    assert again.digest == first.digest
    assert web.asked[-1][1]["if-none-match"] == '"v1"'
    web.put("/sales.csv", SALES + "c,3\n", ETag='"v2"')
    changed = opened(tmp_path, remote(tmp_path, web), url)
    assert changed.digest != first.digest and changed.rows == 3 and '"v2"' in changed.notes[-1]


def test_what_was_just_fetched_is_believed_for_a_while(tmp_path: Path, web: Web) -> None:
    url = web.put("/sales.csv", SALES)
    sources = remote(tmp_path, web, kept_seconds=60.0)
    opened(tmp_path, sources, url)
    opened(tmp_path, sources, url)
    assert len(web.asked) == 1


def test_a_compressed_file_and_a_query_and_a_type_without_a_suffix_will_do(
    tmp_path: Path, web: Web
) -> None:
    url = web.put("/export?format=csv&to=x%20y", gzip.compress(SALES.encode()))
    assert rows_of(opened(tmp_path, remote(tmp_path, web), url)) == ROWS


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("ann:s3%2Fcret@", "Basic YW5uOnMzL2NyZXQ="),
        (":t0ken@", "Bearer t0ken"),
    ],
)
def test_who_logs_in_gives_user_and_password_or_a_token(
    tmp_path: Path, web: Web, given: str, sent: str
) -> None:
    def only_for_ann(headers: dict[str, str]) -> Answer:
        allowed = headers.get("authorization") == sent
        return Answer(SALES.encode()) if allowed else Answer(status=401)

    web.files["/sales.csv"] = only_for_ann
    url = f"{web.url}/sales.csv"
    sources = remote(tmp_path, web)
    error = refused(tmp_path, sources, url, SOURCE_LOGIN_REFUSED)
    assert "USER:PASSWORD" in error.hint
    source = opened(tmp_path, sources, url.replace("//", f"//{given}"))
    assert rows_of(source) == ROWS
    assert "cret" not in str(source) and "t0ken" not in str(source)


def test_what_signs_an_address_is_kept_apart_and_sent(tmp_path: Path, web: Web) -> None:
    url = web.put("/sales.csv?part=1&X-Amz-Signature=abc%2Fdef", SALES)
    parts = separated(url)
    assert "abc" not in parts.address and parts.secrets == {"X-Amz-Signature": "abc/def"}
    source = opened(tmp_path, remote(tmp_path, web), url)
    assert web.asked[-1][0] == "/sales.csv?part=1&X-Amz-Signature=abc%2Fdef"
    assert "abc" not in str(source.notes)


def test_redirects_are_followed_to_an_end_and_no_password_goes_along(
    tmp_path: Path, web: Web
) -> None:
    (tmp_path / "other").mkdir()
    with web_server(tmp_path / "other", secure=False) as other:
        other.put("/sales.csv", SALES)
        web.files["/old.csv"] = Answer(status=302, headers={"Location": f"{other.url}/sales.csv"})
        url = f"{web.url}/old.csv".replace("//", "//ann:secret@")
        assert rows_of(opened(tmp_path, remote(tmp_path, web), url)) == ROWS
        assert "authorization" in web.asked[-1][1]
        assert "authorization" not in other.asked[-1][1]
    web.files["/round.csv"] = Answer(status=302, headers={"Location": "/round.csv"})
    error = refused(tmp_path, remote(tmp_path, web), f"{web.url}/round.csv", SOURCE_NOT_READABLE)
    assert "redirected more than 5 times" in error.message


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1/x.csv",
        "https://localhost/x.csv",
        "https://[::1]/x.csv",
        "https://[::ffff:127.0.0.1]/x.csv",
        "https://[64:ff9b::7f00:1]/x.csv",
        "https://10.0.0.7/x.csv",
        "https://192.168.1.1/x.csv",
        "https://172.16.0.1/x.csv",
        "https://100.64.0.1/x.csv",
        "https://169.254.169.254/latest/meta-data/x",
        "https://[fd00:ec2::254]/x",
        "https://0.0.0.0/x.csv",
        "https://2130706433/x.csv",
        "https://0177.0.0.1/x.csv",
        "https://[fe80::1]/x.csv",
        "https://224.0.0.1/x.csv",
    ],
)
def test_addresses_inside_a_network_are_refused_unless_they_are_listed(
    tmp_path: Path, address: str
) -> None:
    error = refused(tmp_path, remote(tmp_path, hosts=WebHosts()), address, SOURCE_HOST_REFUSED)
    assert "ASSAY_EXECUTOR_WEB_HOSTS" in error.hint


def test_a_name_that_stands_for_an_inner_address_is_refused_like_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def inner(*_: Any, **__: Any) -> list[Any]:
        return [(2, 1, 6, "", ("10.1.2.3", 0))]

    monkeypatch.setattr("services.executor.databases.hosts.socket.getaddrinfo", inner)
    sources = remote(tmp_path, hosts=WebHosts())
    refused(tmp_path, sources, "https://data.example.org/x.csv", SOURCE_HOST_REFUSED)


def test_a_redirect_leads_nowhere_that_could_not_be_named(tmp_path: Path, web: Web) -> None:
    for place in ("https://169.254.169.254/latest", "https://10.0.0.1/x", "http://10.0.0.1/x"):
        web.files["/x.csv"] = Answer(status=301, headers={"Location": place})
        refused(tmp_path, remote(tmp_path, web), f"{web.url}/x.csv", SOURCE_HOST_REFUSED)
    for place in ("file:///etc/passwd", "ftp://localhost/x", "", "https://"):
        web.files["/x.csv"] = Answer(status=301, headers={"Location": place})
        refused(tmp_path, remote(tmp_path, web), f"{web.url}/x.csv", SOURCE_NOT_READABLE)


def test_in_the_clear_is_asked_on_this_machine_alone_unless_the_operator_says_otherwise(
    tmp_path: Path,
) -> None:
    with web_server(tmp_path, secure=False) as plain:
        url = plain.put("/sales.csv", SALES)
        assert rows_of(opened(tmp_path, remote(tmp_path), url)) == ROWS
    hosts = WebHosts("data.example.org")
    with pytest.raises(AssayError) as caught:
        hosts.check_scheme("http", "data.example.org", ["93.184.216.34"], trusted=False)
    assert caught.value.reason is SOURCE_HOST_REFUSED and "WEB_PLAIN" in caught.value.hint
    WebHosts(plain=True).check_scheme("http", "a.example", ["93.184.216.34"], trusted=False)


def test_who_comes_from_elsewhere_fetches_from_listed_hosts_alone(tmp_path: Path, web: Web) -> None:
    url = web.put("/sales.csv", SALES)
    vault = Vault(tmp_path / "vault")
    reference = vault.put(current().tenant, url, "{}", stranger=True)
    by_stranger = f"{url}?assay_credential={reference}"
    assert rows_of(opened(tmp_path, remote(tmp_path, web), by_stranger)) == ROWS
    assert web.asked[-1][0] == "/sales.csv", "the reference is for the executor alone"
    public = remote(tmp_path, web, hosts=WebHosts())
    refused(tmp_path, public, by_stranger, SOURCE_HOST_REFUSED)


def test_what_the_operator_names_may_be_anywhere(tmp_path: Path, web: Web) -> None:
    url = web.put("/sales.csv", SALES)
    sources = remote(tmp_path, web, hosts=WebHosts(), connections={"shop": url})
    assert rows_of(opened(tmp_path, sources, "connection://shop")) == ROWS


def test_an_unknown_certificate_is_not_believed(tmp_path: Path, web: Web) -> None:
    web.put("/sales.csv", SALES)
    error = refused(tmp_path, remote(tmp_path), f"{web.url}/sales.csv", SOURCE_UNREACHABLE)
    assert "certificate that is not believed" in error.message
    assert "WEB_AUTHORITY" in error.hint


def test_what_breaks_off_or_is_busy_is_tried_again(tmp_path: Path, web: Web) -> None:
    answers = iter([Answer(status=503), Answer(SALES.encode(), cut=5), Answer(SALES.encode())])
    web.files["/sales.csv"] = lambda _: next(answers)
    assert rows_of(opened(tmp_path, remote(tmp_path, web), f"{web.url}/sales.csv")) == ROWS
    web.files["/sales.csv"] = Answer(SALES.encode(), cut=5)
    error = refused(tmp_path, remote(tmp_path, web), f"{web.url}/sales.csv", SOURCE_UNREACHABLE)
    assert "cannot be fetched" in error.message and web.url in error.message


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (404, SOURCE_NOT_FOUND),
        (410, SOURCE_NOT_FOUND),
        (403, SOURCE_LOGIN_REFUSED),
        (418, SOURCE_NOT_READABLE),
        (500, SOURCE_UNREACHABLE),
    ],
)
def test_refusals_of_the_server_are_told(
    tmp_path: Path, web: Web, status: int, reason: Reason
) -> None:
    web.files["/x.csv?token=hush"] = Answer(status=status)
    error = refused(tmp_path, remote(tmp_path, web), f"{web.url}/x.csv?token=hush", reason)
    assert "hush" not in f"{error.message} {error.hint} {error!r}"


def test_more_than_may_be_fetched_is_refused_whether_announced_or_not(
    tmp_path: Path, web: Web
) -> None:
    url = web.put("/big.csv", SALES * 1_000)
    few = remote(tmp_path, web, most_bytes=5_000)
    error = refused(tmp_path, few, url, RESOURCE_EXHAUSTED)
    assert "5,000 bytes" in error.message and "ASSAY_EXECUTOR_REMOTE_BYTES" in error.hint
    piece = b"1000\r\n" + b"x" * 4096 + b"\r\n"
    body = piece * 3 + b"0\r\n\r\n"
    web.files["/big.csv"] = Answer(body, headers={"Transfer-Encoding": "chunked"})
    refused(tmp_path, few, url, RESOURCE_EXHAUSTED)
    assert not list((tmp_path / "fetched").rglob("big.csv")), "nothing is left of it"


def test_it_ends_with_its_caller(tmp_path: Path, web: Web) -> None:
    url = web.put("/sales.csv", SALES)
    gone = threading.Event()
    gone.set()
    with pytest.raises(AssayError) as caught:
        remote(tmp_path, web).local(DataSource(connection_string=url), gone)
    assert caught.value.reason is CANCELLED


def test_a_page_is_no_table_and_a_folder_is_none(tmp_path: Path, web: Web) -> None:
    url = web.put("/sales.csv", "<html><body>Please log in</body></html>")
    error = refused(tmp_path, remote(tmp_path, web), url, SOURCE_NOT_SUPPORTED)
    assert error.message == "sales.csv is an HTML page."
    refused(tmp_path, remote(tmp_path, web), f"{web.url}/data/", SOURCE_NOT_FOUND)


def test_a_copy_that_the_disk_lost_a_part_of_is_fetched_again(tmp_path: Path, web: Web) -> None:
    url = web.put("/sales.csv", SALES, ETag='"v1"')
    opened(tmp_path, remote(tmp_path, web), url)
    (copy,) = (tmp_path / "fetched").rglob("sales.csv")
    copy.write_bytes(b"")
    assert rows_of(opened(tmp_path, remote(tmp_path, web), url)) == ROWS


def test_copies_that_nobody_uses_are_forgotten(tmp_path: Path, web: Web) -> None:
    url = web.put("/sales.csv", SALES, ETag='"v1"')
    sources = remote(tmp_path, web)
    opened(tmp_path, sources, url)
    assert sources.sweep(1.0) == 0
    assert sources.sweep(-1.0) == 1
    assert rows_of(opened(tmp_path, sources, url)) == ROWS
