"""What the measure of polluted files takes for right."""

from __future__ import annotations

from bench.pollutions import HEADS, File, Seen, files, right, table

ROWS = table(3)


def file(spoilt: int = 0) -> File:
    return File("rows", "one", b"", ROWS, spoilt=spoilt)


def test_there_is_one_file_for_each_of_97_pollutions() -> None:
    names = [(one.group, one.name) for one in files()]
    assert len(names) == len(set(names)) == 97


def test_cells_are_held_by_what_they_say() -> None:
    read = [
        (1, "2018-01-29", *ROWS[0][2:3], float(ROWS[0][3]), *ROWS[0][4:]),
        *map(tuple, ROWS[1:]),
    ]
    assert right(file(), Seen(HEADS, read))
    assert not right(file(), Seen(HEADS, read[1:]))
    assert not right(file(), Seen(("x", *HEADS[1:]), read))
    assert not right(file(), Seen())


def test_a_spoilt_row_may_be_kept_aside_where_that_is_told() -> None:
    read = [tuple(row) for row in (ROWS[0], ROWS[2])]
    assert right(file(spoilt=2), Seen(HEADS, read))
    assert not right(file(spoilt=2), Seen(HEADS, read, is_reported=False))
    assert not right(file(spoilt=1), Seen(HEADS, read))
