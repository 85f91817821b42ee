from __future__ import annotations

from statistics import median

from tests.architecture.tree import text, written

# A file is one idea; a cohesive one may be long, and none is split to meet a number.
MOST_LINES = 600
MEDIAN_LINES = 150


def test_no_python_file_is_longer_than_a_person_can_hold_in_mind() -> None:
    assert {path: count for path, count in lines().items() if count > MOST_LINES} == {}


def test_most_files_are_short() -> None:
    assert median(lines().values()) <= MEDIAN_LINES


def lines() -> dict[str, int]:
    return {path.as_posix(): len(text(path).splitlines()) for path in written(".py")}
