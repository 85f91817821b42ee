"""Facts: what tells rows apart, who refers to whom, which values and periods there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from mesh.policy import Policy
from services.executor.domain.description import SourceDescription
from services.executor.domain.source import DataSource
from services.executor.engines.workspace import WorkspacePool
from services.executor.facts.keeping import FactsKeeper
from services.executor.sources.describe import Describer
from services.executor.sources.library import SourceLibrary
from services.executor.sources.prepared import PreparedSource
from services.planner.domain.facts import Facts, TableFacts
from tests.reading import READERS
from tests.unit.checks.small_data import SmallData

_PLAIN = Policy()


def _nowhere(sql: str, most: int) -> list[tuple[object, ...]]:
    raise AssertionError("files are not asked elsewhere")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> SourceLibrary:
    return SourceLibrary(tmp_path_factory.mktemp("home"), processes=READERS)


def measure(**texts: str) -> Facts:
    """Facts of CSV texts by name, as planners get them."""
    return SmallData(texts).measured.facts


def _only(facts: Facts) -> TableFacts:
    (table,) = facts.tables
    assert table.exact and not facts.unfinished
    return table


def test_single_columns_that_tell_rows_apart_are_keys_and_say_where_they_are_empty() -> None:
    rows = "".join(f"{i},{'' if i == 3 else f'x{i}'},{i % 2}\n" for i in range(1, 9))
    found = _only(measure(people="person_id,login,team\n" + rows))
    assert [(key.columns, key.nulls) for key in found.keys] == [
        (("person_id",), 0),
        (("login",), 1),
    ]
    assert found.repeated_rows is None, "a table with a key has no row twice"


def test_without_one_the_fewest_columns_that_do_it_together_are_the_key() -> None:
    rows = "".join(f"d{d},c{c},same,{d * c}\n" for d in range(5) for c in range(4))
    found = _only(measure(flights="day,carrier,kind,delay\n" + rows))
    assert [set(key.columns) for key in found.keys] == [{"day", "carrier"}]


def test_rows_that_are_whole_rows_again_are_counted() -> None:
    found = _only(measure(readings="sensor,state\na,on\nb,off\na,on\na,on\n"))
    assert (found.keys, found.repeated_rows) == ((), 2)


def test_who_refers_to_whom_is_counted_with_those_that_refer_to_none() -> None:
    facts = measure(
        customers="customer_id,city\n" + "".join(f"{i},c{i}\n" for i in range(1, 6)),
        orders="order_id,customer_id\n10,1\n11,1\n12,1\n13,2\n14,3\n15,4\n16,9\n17,\n",
    )
    (found,) = facts.references
    assert (found.from_table, found.to_table) == ("orders", "customers")
    assert (found.filled, found.orphans, found.share) == (7, 1, 0.8)
    assert (found.keys, found.used, found.most) == (5, 4, 3)


def test_all_values_of_a_column_are_told_where_they_are_few() -> None:
    rows = "".join(f"{i},{'North' if i % 3 else 'south'},n{i % 60}\n" for i in range(120))
    found = _only(measure(sales=f"sale_id,region,name\n{rows}120,SOUTH,Total\n121,,N1\n"))
    region, name = (next(c for c in found.columns if c.column == n) for n in ("region", "name"))
    assert [(v.value, v.rows) for v in region.values] == [
        ("North", 80),
        ("south", 40),
        ("SOUTH", 1),
    ]
    assert region.whole and region.spelled_apart == 1
    assert (name.whole, name.values, name.labels, name.spelled_apart) == (False, (), 1, 1)


def test_periods_are_counted_at_each_grain() -> None:
    days = [f"2023-{m:02}-{d:02}" for m in range(1, 13) for d in range(1, 29) if m != 4]
    days += [f"2024-01-{d:02}" for d in range(1, 12)]
    rows = "".join(f"{i},{day}\n" for i, day in enumerate(days))
    (time,) = _only(measure(sales="sale_id,sold\n" + rows)).times
    by_grain = {one.grain: one for one in time.coverage}
    assert (time.first, time.last, time.days) == ("2023-01-01", "2024-01-11", len(days))
    assert (by_grain["month"].periods, by_grain["month"].examples) == (12, ("2023-04",))
    assert by_grain["month"].first_whole and not by_grain["month"].last_whole
    assert (by_grain["year"].missing, by_grain["year"].last_whole) == (0, False)


def _described(
    library: SourceLibrary, path: Path, text: str, policy: Policy = _PLAIN
) -> tuple[PreparedSource, SourceDescription, WorkspacePool]:
    path.write_text(text, "utf-8")
    source = library.open(DataSource(file_path=str(path)))
    pool = WorkspacePool()
    return source, Describer(pool).describe([source], policy), pool


def test_no_value_is_told_of_a_column_in_which_policy_hides_one(
    library: SourceLibrary, tmp_path: Path
) -> None:
    text = "sale_id,contact,region\n1,ann@example.org,North\n2,none,South\n3,none,South\n"
    policy = Policy(blocked_patterns=("email",))
    source, described, pool = _described(library, tmp_path / "sales.csv", text, policy)
    found = FactsKeeper(pool, lambda: False).measure([source], described, policy, _nowhere)
    told = {c.column: [v.value for v in c.values] for c in found.tables[0].columns}
    assert told["region"] == ["South", "North"]
    assert not told.get("contact")
    assert "example.org" not in found.model_dump_json()


def test_facts_are_kept_with_the_source_and_measured_when_nobody_else_is_served(
    library: SourceLibrary, tmp_path: Path
) -> None:
    text = "kept_id,region\n1,North\n2,South\n"
    source, described, pool = _described(library, tmp_path / "kept.csv", text)
    keeper = FactsKeeper(pool, lambda: False)
    assert keeper.kept([source], _PLAIN) is None
    keeper.measure_beside([source], described, _PLAIN)
    keeper.settled()
    found = keeper.kept([source], _PLAIN)
    assert found is not None and found.tables[0].keys
    keeper.close()

    another = FactsKeeper(pool, lambda: False)
    assert another.kept([source], _PLAIN) == found, "as it was written to the disk"
    assert another.kept([source], Policy(allowed_columns=("region",))) is None, "of another policy"
    (file,) = source.database.parent.glob("facts-*.json")
    file.write_text(file.read_text("utf-8").replace("North", "Narth"), "utf-8")
    assert FactsKeeper(pool, lambda: False).kept([source], _PLAIN) is None, "it is damaged"


def test_the_last_day_that_there_is_is_covered_too() -> None:
    rows = "".join(f"{n},9999-12-31\n{n + 9},2024-02-1{n}\n" for n in range(1, 5))
    (times,) = _only(measure(contracts="id,ends\n" + rows)).times
    assert times.last == "9999-12-31" and times.coverage[1].last_whole
