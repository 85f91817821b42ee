"""SQL in sight: what is shown is what ran."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.e2e.conftest import Assay


def test_the_query_that_is_shown_gives_the_rows_of_the_answer(assay: Assay, retailer: Path) -> None:
    database = retailer / "shop.sqlite"
    question = "number of customers in region West by segment"
    ran = assay("ask", question, "--db", f"sqlite:///{database}", "--json")
    assert ran.code == 0, ran.err or ran.out
    (query,) = [step["sql"] for step in ran.json["steps"] if step["sql"]]
    assert "?" in query["query"] and "West" in query["params"]
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    by_hand = connection.execute(query["readable"]).fetchall()
    connection.close()
    records = [tuple(record.values()) for record in ran.json["table"]["records"]]
    assert records == by_hand and records

    shown = assay("show", ran.json["job"]).out
    first, *rest = query["readable"].splitlines()
    assert f"sql         {first}\n" in shown
    assert all(f"            {line}\n" in shown for line in rest)
    (report,) = [a["path"] for a in ran.json["artifacts"] if a["path"].endswith("report.md")]
    assert query["readable"] in Path(report).read_text(encoding="utf-8")
