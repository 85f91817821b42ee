"""How files elsewhere are named in a request."""

from __future__ import annotations

import pytest

from clients.python.question import Question
from clients.python.request import database_source
from mesh.credentials import separated
from mesh.errors import AssayError


def test_a_file_elsewhere_is_read_as_its_name_says() -> None:
    url = "https://a.org/d/flights.csv?part=1"
    Question("n", data=(url,), read=("flights.csv:decimal=,",)).located().check()
    source = database_source(url, same_machine=True, read=("flights.csv:decimal=,",))
    assert source.connection_string == url and source.read_options.decimal == ","
    assert not database_source("postgresql://h/d", True, ("decimal=,",)).HasField("read_options")


@pytest.mark.parametrize(
    ("url", "address", "secrets"),
    [
        ("s3://KEY:se%2Fcret@b/k.parquet", "s3://KEY@b/k.parquet", {"password": "se/cret"}),
        ("s3://b/a@home/k.csv", "s3://b/a@home/k.csv", {}),
        ("https://:t0ken@h/x.csv", "https://@h/x.csv", {"password": "t0ken"}),
        ("https://h/x.csv?sig=a%2Bb&se=1", "https://h/x.csv?se=1", {"sig": "a+b"}),
        (
            "https://h/x.csv?X-Amz-Signature=f&X-Amz-Credential=k%2F1&X-Amz-Expires=9",
            "https://h/x.csv?X-Amz-Expires=9",
            {"X-Amz-Signature": "f", "X-Amz-Credential": "k/1"},
        ),
    ],
)
def test_what_opens_a_file_elsewhere_is_parted_from_its_address(
    url: str, address: str, secrets: dict[str, str]
) -> None:
    parts = separated(url)
    assert (parts.address, parts.secrets) == (address, secrets)


@pytest.mark.parametrize("url", ["s3://KEY:se/cret@b/k", "https://ann:12/34@h/x.csv"])
def test_an_address_that_could_hide_a_password_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(AssayError) as caught:
        separated(url)
    assert "cret" not in str(caught.value) and "34" not in str(caught.value)
