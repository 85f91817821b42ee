"""SQL in sight: what is shown is what ran, and one may write it."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections import Counter
from pathlib import Path

from tests.e2e.conftest import Assay


def test_the_query_that_is_shown_gives_the_rows_of_the_answer(
    assay_here: Assay, retailer: Path
) -> None:
    database = retailer / "shop.sqlite"
    question = "number of customers in region West by segment"
    ran = assay_here("ask", question, "--db", f"sqlite:///{database}", "--json")
    assert ran.code == 0, ran.err or ran.out
    answering = ran.json["plan"]["answer_step"]
    (query,) = [step["sql"] for step in ran.json["steps"] if step["id"] == answering]
    assert "?" in query["query"] and "West" in query["params"]
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    by_hand = connection.execute(query["readable"]).fetchall()
    connection.close()
    records = [tuple(record.values()) for record in ran.json["table"]["records"]]
    assert records == by_hand and records

    shown = assay_here("show", ran.json["job"]).out
    first, *rest = query["readable"].splitlines()
    assert f"            {first}\n" in shown.replace("sql         ", "            ")
    assert all(f"            {line}\n" in shown for line in rest)
    (report,) = [a["path"] for a in ran.json["artifacts"] if a["path"].endswith("report.md")]
    assert query["readable"] in Path(report).read_text(encoding="utf-8")


def test_a_statement_of_ones_own_is_run_proved_and_exported(
    assay_here: Assay, retailer: Path, tmp_path: Path
) -> None:
    text = "select segment, count(*) as n from customers group by segment order by n desc"
    ran = assay_here("sql", text, "--data", retailer / "customers.json", "--report", "--json")
    assert ran.code == 0, ran.err or ran.out
    customers = Counter(c["segment"] for c in json.loads((retailer / "customers.json").read_text()))
    shown = {row["segment"]: row["n"] for row in ran.json["table"]["records"]}
    assert shown == customers
    (most, many), *_ = customers.most_common()
    assert ran.json["answer"]["text"].startswith(f"N is {customers.total():,} in total.")
    assert f"highest for {most} ({many:,}, " in ran.json["answer"]["text"]

    place = tmp_path / "proof.zip"
    assert assay_here("export", ran.json["job"], "--to", place).code == 0
    checked = assay_here("verify", place)
    assert checked.code == 0, checked.out
    told = json.loads(zipfile.ZipFile(place).read("job.json"))
    assert told["question"] == text


def test_a_statement_that_writes_is_refused(assay_here: Assay, retailer: Path) -> None:
    database = retailer / "shop.sqlite"
    before = database.read_bytes()
    ran = assay_here("sql", "delete from orders", "--db", f"sqlite:///{database}")
    assert ran.code == 3
    assert "SQL_REFUSED   not permitted: the statement is refused: only a SELECT is run" in ran.err
    assert "Traceback" not in ran.err and database.read_bytes() == before
