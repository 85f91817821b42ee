"""JSON that somebody sent is read, or refused without a library's words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.text.json_text import read_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_what_can_be_written_is_read(value: dict[str, object]) -> None:
    assert read_json(json.dumps(value), "field") == value


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "7",
        "null",
        '{"a": "\\ud800"}',
        '{"\\ud800": 1}',
        '{"a": ' + "9" * 5_000 + "}",
        '{"a": ' * 150 + "1" + "}" * 150,
        "[" * 100_000,
    ],
    ids=range(9),
)
def test_everything_else_is_refused_with_its_field(text: str) -> None:
    with pytest.raises(AssayError) as refused:
        read_json(text, "metadata_json")
    assert refused.value.reason is INVALID_ARGUMENT
    assert list(refused.value.fields) == ["metadata_json"]
    assert len(refused.value.message) < 100
