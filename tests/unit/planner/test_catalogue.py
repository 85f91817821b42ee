"""A catalogue is one value, however many columns its tables have."""

from __future__ import annotations

import pickle

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.query.joining.keys import guessed_references


def column(name: str, distinct: int = 0) -> Column:
    kind, role = DataType.INTEGER, ColumnRole.MEASURE
    return Column(name=name, data_type=kind, role=role, distinct=distinct)


def table(*columns: Column) -> Table:
    return Table(name="t", source_name="t.csv", rows=3, columns=columns)


def test_a_column_is_found_by_its_exact_name_and_the_first_of_two() -> None:
    known = table(column("a", distinct=1), column("a", distinct=2), column("B"))
    assert known.column("a") == column("a", distinct=1)
    assert known.column("b") is None


def test_a_copy_finds_its_own_columns() -> None:
    known = table(column("a"))
    assert known.column("a")
    copied = known.model_copy(update={"columns": (column("b"),)})
    assert copied.column("a") is None
    assert copied.column("b") == column("b")


def test_what_is_kept_beside_the_fields_changes_no_comparison() -> None:
    asked, other = table(column("a")), table(column("a"))
    assert asked.column("a")
    assert asked == other
    assert hash(asked) == hash(other)
    assert asked.model_dump() == other.model_dump()
    assert pickle.loads(pickle.dumps(asked)) == other


def test_catalogues_are_equal_by_content_alone() -> None:
    one, same = Catalogue(tables=(table(column("a")),)), Catalogue(tables=(table(column("a")),))
    assert one == same
    assert hash(one) == hash(same)
    changed = one.model_copy(update={"lacking": ("revenue",)})
    assert changed != one
    assert changed.model_copy(update={"lacking": ()}) == one
    assert one != Catalogue(tables=(table(column("b")),))
    assert one != "a catalogue"


def test_references_are_guessed_among_ten_thousand_columns() -> None:
    """By the square of columns it would take half a minute."""
    wide = table(*(column(f"m_{number:05d}", distinct=3) for number in range(10_000)))
    assert guessed_references(Catalogue(tables=(wide,))) == []
