"""Secrets come out of addresses whole, or the address is refused without being repeated."""

from __future__ import annotations

import pytest

from mesh.credentials import reference_of, separated, with_reference
from mesh.errors import AssayError


@pytest.mark.parametrize(
    ("url", "address", "secrets"),
    [
        ("postgresql://ann@db/shop", "postgresql://ann@db/shop", {}),
        ("postgresql://ann:s%40p@db:5/shop", "postgresql://ann@db:5/shop", {"password": "s@p"}),
        ("postgresql://a:p@q@db/shop", "postgresql://a@db/shop", {"password": "p@q"}),
        (
            "postgresql://db/shop?password=x%26y&sslmode=require",
            "postgresql://db/shop?sslmode=require",
            {"password": "x&y"},
        ),
        ("sqlite:////data/shop.sqlite", "sqlite:////data/shop.sqlite", {}),
    ],
)
def test_an_address_is_taken_apart(url: str, address: str, secrets: dict[str, str]) -> None:
    parts = separated(url)
    assert (parts.address, parts.secrets) == (address, secrets)
    assert not [one for one in secrets.values() if one in repr(parts)]


@pytest.mark.parametrize(
    "url",
    ["postgresql://a:half/of@db/shop", "postgresql://a:x#y@db/shop", "postgresql://a:x?y@db/shop"],
)
def test_an_unclear_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(AssayError) as refusal:
        separated(url)
    assert url.partition("//")[2] not in f"{refusal.value} {refusal.value.fields}"


def test_a_reference_is_found_again() -> None:
    assert reference_of(with_reference("postgresql://a@db/shop?sslmode=require", "abc")) == "abc"
    assert reference_of("postgresql://a@db/shop") == ""
