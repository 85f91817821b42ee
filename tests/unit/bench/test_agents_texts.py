"""How well texts are checked does not get worse than it is."""

from __future__ import annotations

import pytest

from bench.agents.texts import measured, read_texts


@pytest.mark.parametrize(
    ("held_out", "refused", "found"), [(False, 0.01, 0.975), (True, 0.11, 0.93)]
)
def test_right_sentences_pass_and_their_twins_are_found(
    held_out: bool, refused: float, found: float
) -> None:
    frames, sentences = read_texts()
    values = measured([one for one in sentences if one.held_out == held_out], frames)

    assert values["refused"] <= refused * values["right"]
    assert values["found"] >= found * values["twins"]
