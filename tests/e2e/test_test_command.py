"""`assay test` as people and scripts use it: frames are tested, and tests are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Assay


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """Ten customers of two plans with six visits each; what they spend goes by the customer."""
    lines = ["customer,plan,spent"]
    level = (20, 4, 18, 6, 14, 10, 30, 9, 26, 12)
    for who, spends in enumerate(level):
        plan = ("old", "new")[who % 2] if who < 6 else ("new", "old")[who % 2]
        lines += [f"C{who},{plan},{spends + visit % 3}" for visit in range(6)]
    file = tmp_path / "visits.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_a_frame_is_tested_and_tests_are_counted(assay_here: Assay, visits: Path) -> None:
    session = str(assay_here("session", "new", "--json").json["session_id"])
    first = assay_here("query", "select * from visits", "--session", session, "--data", visits)
    assert first.code == 0, first.out + first.err
    alike = assay_here(
        "test", "f1", "compare", "spent", "--by", "plan", "--session", session, "--json"
    )
    assert alike.code == 0, alike.out + alike.err
    assert alike.json["answer"]["confidence"] == "doubtful"
    assert any("rows of one customer are alike" in note for note in alike.json["answer"]["caveats"])

    told = assay_here(
        *("test", "f1", "compare", "spent", "--by", "plan", "--cluster", "customer"),
        *("--session", session, "--json"),
    )
    assert told.code == 0, told.out + told.err
    answer = told.json["answer"]
    assert "does not clearly differ in its mean between new and old" in answer["text"]
    assert "Bonferroni p-value" in answer["text"] and answer["confidence"] == "sure"
    verified = assay_here("verify", told.json["job"])
    assert verified.code == 0, verified.out


def test_what_a_test_lacks_is_told_before_anything_runs(assay_here: Assay, visits: Path) -> None:
    told = assay_here("test", "select * from visits", "compare", "spent", "--data", visits)
    assert told.code == 2 and "needs by: the column of the groups" in told.err + told.out
    odd = assay_here("test", "select * from visits", "guess", "spent", "--data", visits)
    assert odd.code == 2 and "compare, regress, cohort, backtest and forecast" in odd.err + odd.out


def test_in_no_session_it_says_that_nobody_counts_it(assay_here: Assay, visits: Path) -> None:
    told = assay_here(
        *("test", "select * from visits", "compare", "spent", "--by", "plan"),
        *("--cluster", "customer", "--data", visits, "--json"),
    )
    assert told.code == 0, told.out + told.err
    [note] = [one for one in told.json["answer"]["caveats"] if "session" in one]
    assert note.startswith("This test is in no session: it is not counted with others")


def test_of_more_rows_than_a_request_may_have_it_says_what_is_enough(
    assay_here: Assay, visits: Path
) -> None:
    """There are 60 × 60 × 60 of them."""
    many = "select a.spent, a.plan from visits as a cross join visits as b cross join visits as c"
    compared = ("compare", "spent", "--by", "plan", "--data", visits)
    told = assay_here("test", many, *compared, "--json")
    assert told.code != 0
    error = told.json["error"]
    assert (error["reason"], error["message"]) == (
        "ROW_LIMIT",
        "the query gives more than 200,000 rows",
    )
    assert "WHERE md5(KEY) < '3'" in error["hint"]
    fewer = f"{many} where md5(b.customer || b.spent || c.customer || c.spent) < '3'"
    assert assay_here("test", fewer, *compared).code == 0
