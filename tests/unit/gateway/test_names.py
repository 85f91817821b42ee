"""File names are for people only: whatever was sent, what is kept is safe to print."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.domain.references import display_name
from mesh.errors import AssayError


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("orders.csv", "orders.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ann\\orders.csv", "orders.csv"),
        ("/absolute/orders.csv", "orders.csv"),
        ("or\x00ders.csv", "orders.csv"),
        ("two\nlines\t.csv", "twolines.csv"),
        ("gpj.\u202evsc.exe", "gpj.vsc.exe"),
        ("cafe\u0301.csv", "café.csv"),
        ("  spaced   out .csv ", "spaced out .csv"),
        ("订单.csv", "订单.csv"),
        ("می\u200cخواهم.csv", "می\u200cخواهم.csv"),
        ("..hidden", "..hidden"),
    ],
)
def test_a_name_keeps_what_people_read(sent: str, kept: str) -> None:
    assert display_name(sent, "name") == kept


@pytest.mark.parametrize("sent", ["", "   ", "..", "folder/", "a/..", "\x00", "\u202e", "..\\."])
def test_what_holds_no_name_is_refused(sent: str) -> None:
    with pytest.raises(AssayError, match="INVALID_ARGUMENT"):
        display_name(sent, "name")


def test_a_long_name_keeps_its_extension() -> None:
    kept = display_name("a" * 400 + ".parquet", "name")
    assert len(kept) == 255
    assert kept.endswith("a.parquet")


@given(st.text(max_size=600))
def test_no_name_holds_a_path_a_control_or_too_many_characters(sent: str) -> None:
    try:
        kept = display_name(sent, "name")
    except AssayError:
        return
    assert 0 < len(kept) <= 255
    assert not set("/\\") & set(kept)
    assert not any(unicodedata.category(sign) in ("Cc", "Cs") for sign in kept)
    assert kept not in (".", "..")
