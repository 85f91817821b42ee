from __future__ import annotations

from tests.architecture.tree import text, written

MOST_LINES = 400

# Files that may be longer, each with its reason.
EXCEPTIONS: dict[str, str] = {}


def lines(path: str) -> int:
    return next(len(text(file).splitlines()) for file in written() if file.as_posix() == path)


def test_no_python_file_is_longer_than_a_person_can_hold_in_mind() -> None:
    long = {
        path.as_posix(): count
        for path in written(".py")
        if (count := len(text(path).splitlines())) > MOST_LINES
    }

    assert {path: count for path, count in long.items() if path not in EXCEPTIONS} == {}


def test_every_exception_to_the_size_is_still_needed() -> None:
    assert [path for path in EXCEPTIONS if lines(path) <= MOST_LINES] == []
