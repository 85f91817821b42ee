"""`assay look`, as people and machines read it."""

from __future__ import annotations

from assay.common.v1 import data_pb2, look_pb2
from clients.python.cli.looked import look_object, show_look
from tests.unit.clients.conftest import Printed
from tests.unit.clients.story import Golden

ID, NUMBER, TIME = (
    look_pb2.SEMANTIC_KIND_ID,
    look_pb2.SEMANTIC_KIND_NUMBER,
    look_pb2.SEMANTIC_KIND_TIME,
)
SEEN = look_pb2.Look(
    tables=[
        look_pb2.TableLook(
            name="flights",
            rows=336_776,
            key=["year", "month", "day", "carrier", "flight", "origin"],
            columns=[
                look_pb2.ColumnLook(
                    name="dep_delay",
                    kind=look_pb2.SEMANTIC_KIND_INTENSIVE,
                    unit="minutes",
                    minimum="-43",
                    maximum="1301",
                    mean=12.639,
                    empty=8_255,
                    distinct=528,
                ),
                look_pb2.ColumnLook(
                    name="distance",
                    kind=look_pb2.SEMANTIC_KIND_AMOUNT,
                    unit="miles",
                    minimum="17",
                    maximum="4983",
                    mean=1039.9,
                    distinct=214,
                ),
                look_pb2.ColumnLook(
                    name="air_time",
                    kind=NUMBER,
                    minimum="20.5",
                    maximum="695.25",
                    mean=150.686,
                    distinct=510,
                    empty=1,
                ),
                look_pb2.ColumnLook(
                    name="dest",
                    kind=look_pb2.SEMANTIC_KIND_CATEGORY,
                    distinct=105,
                    samples=["ORD", "ATL", "LAX", "BOS"],
                ),
                look_pb2.ColumnLook(
                    name="carrier",
                    kind=look_pb2.SEMANTIC_KIND_CATEGORY,
                    distinct=16,
                    samples=["UA", "B6", "EV", "DL"],
                ),
                look_pb2.ColumnLook(
                    name="year",
                    kind=look_pb2.SEMANTIC_KIND_DATE_PART,
                    minimum="2013",
                    maximum="2014",
                    distinct=2,
                ),
                look_pb2.ColumnLook(
                    name="time_hour",
                    kind=TIME,
                    minimum="2013-01-01T05:00:00",
                    maximum="2014-01-01T00:00:00",
                    distinct=6_936,
                ),
            ],
            joins=[
                look_pb2.JoinLook(
                    column="dest", to_table="airports", to_column="faa", matched=0.9619
                ),
            ],
        ),
        look_pb2.TableLook(
            name="airports_of_the_world",
            rows=1,
            key=["faa"],
            key_declared=True,
            columns=[
                look_pb2.ColumnLook(name="faa", kind=ID, distinct=1, samples=["EWR"]),
                look_pb2.ColumnLook(
                    name="name",
                    kind=look_pb2.SEMANTIC_KIND_NAME,
                    distinct=1,
                    samples=["Newark Liberty International Airport"],
                ),
            ],
        ),
    ],
    notes=["flights.csv: 3 rows were kept aside"],
    doubts=[
        data_pb2.Doubt(
            code="stand-in",
            table="flights",
            column="dep_delay",
            rows=40,
            share=0.0001,
            said="40 values of dep_delay are 9999, which may stand for no value",
            changes="its mean is 12.6 with them, 11.4 without",
            weight=0.5,
            repairs=[data_pb2.Repair(kind="nothing", column="dep_delay", value="9999")],
        ),
        data_pb2.Doubt(
            code="several-times",
            table="flights",
            said="2 time columns: year/month/day, time_hour",
        ),
        data_pb2.Doubt(
            code="stand-in",
            table="flights",
            column="distance",
            repaired=True,
            said="9 values of distance are -999, which may stand for no value",
            repairs=[data_pb2.Repair(kind="nothing", column="distance", value="-999")],
        ),
    ],
    questions=["flights by month", "average dep delay by carrier", "number of flights by dest"],
)


def test_a_look_tells_people_what_there_is(golden: Golden) -> None:
    screen = Printed()
    show_look(screen, SEEN)
    golden("look.txt", screen.text)


def test_machines_get_the_same_facts() -> None:
    told = look_object(SEEN)
    flights = told["tables"][0]
    assert flights["columns"][0] == {
        "column": "dep_delay",
        "kind": "intensive",
        "unit": "minutes",
        "minimum": "-43",
        "maximum": "1301",
        "mean": 12.639,
        "distinct": 528,
        "empty": 8_255,
        "samples": [],
        "synonyms": [],
        "description": None,
        "formula": None,
        "bins": [],
    }
    doubt = told["doubts"][0]
    assert doubt["repairs"] == ["nothing.dep_delay=9999"] and not doubt["repaired"]
    assert flights["joins"][0]["matched"] == 0.9619
    assert told["questions"][0] == "flights by month" and told["left_out"] is None


def test_what_is_said_of_several_tables_is_said_once() -> None:
    def doubt(table: str, said: str) -> data_pb2.Doubt:
        return data_pb2.Doubt(table=table, said=said)

    seen = look_pb2.Look(
        tables=[look_pb2.TableLook(name=name) for name in ("jan", "feb")],
        doubts=[
            doubt("jan", "2 tables have the same columns, jan and feb"),
            doubt("feb", "2 tables have the same columns, jan and feb"),
            doubt("jan", "nothing found that tells its rows apart"),
            doubt("feb", "nothing found that tells its rows apart"),
            doubt("feb", "1 of 5 rows are whole rows again"),
        ],
    )
    screen = Printed()
    show_look(screen, seen)
    told = " ".join(screen.text.split())
    assert told.count("same columns") == 1 and "jan: 2 tables" not in told
    assert told.count("jan and feb: nothing found that tells its rows apart") == 1
    assert "feb: 1 of 5 rows" in told
