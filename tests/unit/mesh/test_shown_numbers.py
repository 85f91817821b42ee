"""Numbers as people read them: few decimals, thousands separators, no noise of arithmetic."""

from __future__ import annotations

from typing import Any

import pytest

from mesh.text.spelling import shown


@pytest.mark.parametrize(
    ("value", "options", "text"),
    [
        (408 / 3 * 3, {}, "408"),
        (770 * (29 / 31) * (31 / 29), {}, "770"),
        (140.84, {}, "140.84"),
        (0.1 + 0.2, {}, "0.3"),
        (26.92, {"percent": True}, "2,692 %"),
        (-0.04, {"percent": True}, "-4.0 %"),
    ],
)
def test_a_number_is_told_without_the_noise_of_its_arithmetic(
    value: float, options: dict[str, Any], text: str
) -> None:
    assert shown(value, **options) == text
