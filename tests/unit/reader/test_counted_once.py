"""Jobs with several parts and visits: what is said of jobs counts each job once, or says so."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from bench.support_catalogue import Sources
from bench.training.probing import LocalProbe
from mesh.remarks import changes_reading
from services.planner.domain.query.intent import (
    Aggregate,
    Condition,
    Derived,
    Dimension,
    Field,
    Having,
    Intent,
    Measure,
    Membership,
    Operator,
    Understood,
)
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.query.joining.repeats import beyond, repeating
from services.planner.domain.query.kinds import Calculation
from services.planner.domain.query.planning.counted_once import (
    counted_once,
    counts_once,
    describe_repeats,
    repeated,
    several_grains,
)
from services.planner.domain.query.planning.sql import render
from services.planner.domain.reader.multiplied import each_once
from tests.unit.reader.apiary import Apiary

_SCRIPT = """
create table jobs (job_id integer primary key, boat text, yard text, fee_eur real);
create table parts (
    part_id integer primary key, job_id integer references jobs (job_id), maker text,
    pieces integer
);
create table visits (
    visit_id integer primary key, job_id integer references jobs (job_id), hours real
);
create table crews (crew_id integer primary key, crew_name text);
create table crew_jobs (
    crew_id integer references crews (crew_id), job_id integer references jobs (job_id),
    primary key (crew_id, job_id)
);
create table warranties (job_id integer primary key references jobs (job_id), years integer);
"""
_MAKERS, _YARDS = ("Volvo", "Yanmar", "Perkins"), ("Oban", "Skye")
_FEE = Measure(
    aggregate=Aggregate.SUM,
    table="jobs",
    expression=Field(table="jobs", column="fee_eur"),
    label="total fee",
)
_PIECES = Measure(
    aggregate=Aggregate.SUM,
    table="parts",
    expression=Field(table="parts", column="pieces"),
    label="total pieces",
)
_HOURS = Measure(
    aggregate=Aggregate.SUM,
    table="visits",
    expression=Field(table="visits", column="hours"),
    label="total hours",
)
_JOBS = Measure(aggregate=Aggregate.COUNT, table="jobs", label="number of jobs")
_BY_MAKER = Dimension(expression=Field(table="parts", column="maker"), label="maker")
_BY_YARD = Dimension(expression=Field(table="jobs", column="yard"), label="yard")
_OF_VOLVO = Condition(
    field=Field(table="parts", column="maker"), operator=Operator.EQUAL, values=("Volvo",)
)


@pytest.fixture(scope="module")
def yards(tmp_path_factory: pytest.TempPathFactory) -> Apiary:
    folder: Path = tmp_path_factory.mktemp("yards")
    path = folder / "yards.sqlite"
    with sqlite3.connect(path) as made:
        made.executescript(_SCRIPT)
        made.executemany(
            "insert into jobs values (?, ?, ?, ?)",
            [(n, f"Boat {n % 7}", _YARDS[n % 2], 100.0 + n * 37 % 90) for n in range(1, 31)],
        )
        made.executemany(
            "insert into parts values (?, ?, ?, ?)",
            [(n, 1 + n * n % 30, _MAKERS[n % 5 % 3], 1 + n % 4) for n in range(1, 121)],
        )
        made.executemany(
            "insert into visits values (?, ?, ?)",
            [(n, 1 + n * 7 % 30, 0.5 + n % 6) for n in range(1, 61)],
        )
        made.executemany(
            "insert into crews values (?, ?)", [(1, "Blue"), (2, "Green"), (3, "Amber")]
        )
        made.executemany(
            "insert into crew_jobs values (?, ?)",
            [(1 + (n + again) % 3, n) for n in range(1, 31) for again in range(1 + n % 2)],
        )
        made.executemany(
            "insert into warranties values (?, ?)", [(n, 1 + n % 5) for n in range(1, 31)]
        )
    catalogue, lookup, workspace = Sources(folder / "kept").open_together((path,))
    return Apiary(catalogue, lookup, LocalProbe(workspace), workspace, path)


def _asked(yards: Apiary, base: str, *others: str, **parts: object) -> Intent:
    joins = graph_of(yards.catalogue).tree(base, others).relations
    return Intent.model_validate({"base": base, "joins": joins, **parts})


def _rows(yards: Apiary, intent: Intent) -> Counter[tuple[object, ...]]:
    query = render(intent, yards.catalogue)
    with yards.workspace.cursor() as cursor:
        return _rounded(cursor.execute(query.text, list(query.params)).fetchall())


def _rounded(rows: list[tuple[object, ...]]) -> Counter[tuple[object, ...]]:
    return Counter(
        tuple(round(float(v), 6) if isinstance(v, int | float) else v for v in row) for row in rows
    )


_ONCE_BY_MAKER = "(select distinct maker, job_id, fee_eur from jobs join parts using (job_id))"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("total fee by maker", f"select maker, sum(fee_eur) from {_ONCE_BY_MAKER} group by 1"),
        ("average fee by maker", f"select maker, avg(fee_eur) from {_ONCE_BY_MAKER} group by 1"),
        (
            "number of jobs by maker",
            "select maker, count(distinct job_id) from parts group by 1",
        ),
        (
            "total fee by crew",
            "select crew_name, sum(fee_eur) from jobs join crew_jobs using (job_id)"
            " join crews using (crew_id) group by 1",
        ),
        (
            "number of jobs by crew",
            "select crew_name, count(*) from crew_jobs join crews using (crew_id) group by 1",
        ),
        (
            "which crew has the highest total fee",
            "select crew_name, sum(fee_eur) from jobs join crew_jobs using (job_id)"
            " join crews using (crew_id) group by 1 order by 2 desc limit 1",
        ),
        (
            "number of boats by crew",
            "select crew_name, count(distinct boat) from jobs join crew_jobs using (job_id)"
            " join crews using (crew_id) group by 1",
        ),
        (
            "share of jobs where maker is Volvo",
            "select 1.0 * count(distinct job_id) / 30, count(distinct job_id), 30 from parts"
            " where maker = 'Volvo'",
        ),
        (
            "total fee where maker is Volvo",
            "select sum(fee_eur) from jobs where job_id in"
            " (select job_id from parts where maker = 'Volvo')",
        ),
        (
            "total fee and total pieces by yard",
            "select yard, sum(fee_eur), sum(p) from jobs join (select job_id, sum(pieces) as p"
            " from parts group by 1) using (job_id) group by 1",
        ),
    ],
)
async def test_each_job_counts_once(yards: Apiary, question: str, sql: str) -> None:
    read = await yards.read(question, assume=True)
    assert isinstance(read, Understood)
    assert not repeated(read.intent, yards.catalogue)
    assert _rounded(yards.rows(read)) == _rounded(yards.truth(sql))


async def test_groups_that_share_jobs_are_told_and_never_sure(yards: Apiary) -> None:
    read = await yards.read("total fee by maker", assume=True)
    assert isinstance(read, Understood)
    assert read.assumptions[0] == (
        "each job counts once for every maker that goes with it: "
        "the parts add up to more than the total"
    )
    assert changes_reading(read.assumptions[0])
    assert read.confidence <= 0.7
    assert not any(measure.additive for measure in read.intent.measures)


async def test_what_no_join_repeats_is_told_without_a_word(yards: Apiary) -> None:
    for question in ("total fee by yard", "total pieces by yard"):
        read = await yards.read(question, assume=True)
        assert isinstance(read, Understood)
        assert not describe_repeats(read.intent, yards.catalogue)
        assert not any(measure.once for measure in read.intent.measures)


async def test_what_numbers_are_split_by_is_never_only_asked_to_be_there(yards: Apiary) -> None:
    choice = await yards.chosen("total fee by crew")
    asked = [f for one in choice.ranked for f in one.intent.filters if isinstance(f, Membership)]
    assert not asked


def test_a_correction_counts_each_job_once_too(yards: Apiary) -> None:
    asked = _asked(yards, "jobs", "parts", measures=(_JOBS,), dimensions=(_BY_MAKER,))
    changed = each_once(Understood(intent=asked, summary="", confidence=1.0), yards.catalogue)
    assert _rows(yards, changed.intent) == _rounded(
        yards.truth("select maker, count(distinct job_id) from parts group by 1")
    )


def test_a_number_that_only_sorts_counts_once_too(yards: Apiary) -> None:
    hidden = _FEE.model_copy(update={"shown": False})
    first = {"target": "measure", "descending": True}
    asked = _asked(
        yards, "jobs", "parts", measures=(hidden,), dimensions=(_BY_MAKER,), order=(first,), limit=1
    )
    truth = yards.truth(
        f"select maker from {_ONCE_BY_MAKER} group by 1 order by sum(fee_eur) desc limit 1"
    )
    assert _rows(yards, counted_once(asked, yards.catalogue)) == _rounded(truth)


def test_a_condition_on_parts_joins_none(yards: Apiary) -> None:
    asked = _asked(yards, "parts", "jobs", measures=(_FEE,), filters=(_OF_VOLVO,))
    once = counted_once(asked, yards.catalogue)
    assert (once.base, once.joins) == ("jobs", ())
    [member] = once.filters
    assert isinstance(member, Membership)
    assert (member.related, member.absent, member.where) == ("parts", False, _OF_VOLVO)
    truth = yards.truth(
        "select sum(fee_eur) from jobs where job_id in"
        " (select job_id from parts where maker = 'Volvo')"
    )
    assert _rows(yards, once) == _rounded(truth)


def test_a_condition_on_what_each_job_has_one_of_stays_a_join(yards: Apiary) -> None:
    years = Condition(
        field=Field(table="warranties", column="years"), operator=Operator.GREATER, values=(2,)
    )
    asked = _asked(
        yards, "jobs", "parts", "warranties", measures=(_FEE,), filters=(_OF_VOLVO, years)
    )
    once = counted_once(asked, yards.catalogue)
    assert [r.right.table for r in once.joins] == ["warranties"]
    assert years in once.filters
    truth = yards.truth(
        "select sum(fee_eur) from jobs join warranties using (job_id) where years > 2"
        " and job_id in (select job_id from parts where maker = 'Volvo')"
    )
    assert _rows(yards, once) == _rounded(truth)


def test_two_tables_that_repeat_each_other_are_not_told_together(yards: Apiary) -> None:
    both = _asked(
        yards, "parts", "visits", "jobs", measures=(_PIECES, _HOURS), dimensions=(_BY_YARD,)
    )
    assert several_grains(counted_once(both, yards.catalogue), yards.catalogue)
    one = _asked(yards, "parts", "jobs", measures=(_PIECES, _FEE), dimensions=(_BY_YARD,))
    assert not several_grains(counted_once(one, yards.catalogue), yards.catalogue)


@pytest.mark.parametrize(
    "beside",
    [
        {"derived": (Derived(calculation=Calculation.SHARE, label="share"),)},
        {"having": (Having(measure=_FEE, operator=Operator.GREATER, values=(100.0,)),)},
    ],
    ids=["share", "having"],
)
def test_what_cannot_count_once_is_told(yards: Apiary, beside: dict[str, object]) -> None:
    asked = _asked(yards, "jobs", "parts", measures=(_FEE,), dimensions=(_BY_MAKER,), **beside)
    once = counted_once(asked, yards.catalogue)
    assert once == asked
    [told] = describe_repeats(once, yards.catalogue)
    assert told == "the total fee has each job once for every row of parts that goes with it"
    assert changes_reading(told)


def test_rows_are_counted_once_and_called_what_they_are(yards: Apiary) -> None:
    by_maker = _asked(yards, "jobs", "parts", measures=(_JOBS,), dimensions=(_BY_MAKER,))
    [counted] = counts_once(by_maker, yards.catalogue).measures
    assert counted.aggregate is Aggregate.COUNT_DISTINCT
    both = _asked(yards, "jobs", "parts", measures=(_JOBS,), dimensions=(_BY_YARD, _BY_MAKER))
    [joined] = counts_once(both, yards.catalogue).measures
    assert (joined.aggregate, joined.label) == (Aggregate.COUNT, "number of parts")


def test_one_row_for_each_repeats_nothing(yards: Apiary) -> None:
    joins = graph_of(yards.catalogue).tree("jobs", ["parts", "warranties"]).relations
    assert [r.right.table for r in repeating("jobs", joins, yards.catalogue)] == ["parts"]
    assert beyond("jobs", joins, yards.catalogue) == {"parts"}
    assert not repeating("parts", joins, yards.catalogue)
    assert beyond("warranties", joins, yards.catalogue) == {"parts"}
