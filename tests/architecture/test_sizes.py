from __future__ import annotations

from tests.architecture.tree import text, written

MOST_LINES = 300
MOST_LINES_OF_TESTS = 400  # and of what is measured: cases stand one below the other
MOST_LINES_OF_CHECKS = 450  # whose examples stand beside them

# Files that may be longer, each with its reason.
EXCEPTIONS: dict[str, str] = {}


def most(path: str) -> int:
    if path.startswith("services/planner/domain/checks/"):
        return MOST_LINES_OF_CHECKS
    return MOST_LINES_OF_TESTS if path.startswith(("tests/", "bench/")) else MOST_LINES


def lines(path: str) -> int:
    return next(len(text(file).splitlines()) for file in written() if file.as_posix() == path)


def test_no_python_file_is_longer_than_a_person_can_hold_in_mind() -> None:
    long = {
        path.as_posix(): count
        for path in written(".py")
        if (count := len(text(path).splitlines())) > most(path.as_posix())
    }

    assert {path: count for path, count in long.items() if path not in EXCEPTIONS} == {}


def test_every_exception_to_the_size_is_still_needed() -> None:
    assert [path for path in EXCEPTIONS if lines(path) <= most(path)] == []
