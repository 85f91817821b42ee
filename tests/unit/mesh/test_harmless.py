"""What a terminal would obey is shown as a character; JSON with it stays the same JSON."""

from __future__ import annotations

import json
import logging

import pytest

from mesh.telemetry.logs import TextLines
from mesh.text.harmless import harmless, harmless_json, harmless_value, is_harmless

OBEYED = [
    *map(chr, (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0))),
    *"\u202a\u202e\u2066\u2069\u2028\u2029\u2060\u206a\ufeff\ufff9\U000e0041",
    *"\u034f\u115f\u180e\u3164\uffa0\U0001d173\U000e0100\U000e01ef",
    *"\ud800\udc9b\udfff",
]


@pytest.mark.parametrize("character", OBEYED, ids=ascii)
def test_each_is_shown_as_one_visible_character(character: str) -> None:
    shown = harmless(f"a{character}b")
    assert len(shown) == 3 and shown[1].isprintable() and is_harmless(shown)
    assert not is_harmless(character)


def test_other_text_stays_as_it_is() -> None:
    text = "naïve\tرقم\u200f 12\n👩\u200d🔬 日本 \u061c x\u00ad"
    assert harmless(text) == text and is_harmless(text)


def test_characters_that_join_or_vary_others_are_shown_where_there_are_more_than_any_needs() -> (
    None
):
    bits = "\u200b\u200c\u200d\ufe01"
    assert harmless(f"a{bits}b") == "a\ufffd\ufffd\ufffd\ufffdb"
    flag = "🏳\ufe0f\u200d🌈 می\u200cخواهم ไทย\u200bคำ"
    assert harmless(flag) == flag


def test_values_are_made_harmless_wherever_they_hold_text() -> None:
    value = {"a\x1b": ["\x9b1m", {"b": "\u202ex"}, 1.5, None, True]}
    assert harmless_value(value) == {"a␛": ["\ufffd1m", {"b": "\ufffdx"}, 1.5, None, True]}


def test_json_stays_the_same_json() -> None:
    value = {f"k{character}": [character] for character in OBEYED}
    written = harmless_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert is_harmless(written) and json.loads(written) == value


def test_a_log_line_for_people_is_harmless() -> None:
    record = logging.makeLogRecord({"msg": "of %s", "args": ("\x1b]0;t\x07",)})
    assert TextLines().format(record) == "of ␛]0;t␇"
