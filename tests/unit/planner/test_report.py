"""Reports: their parts, where their numbers are from, and that data cannot break them."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from services.planner.domain.analysis.narrate import narrate
from services.planner.domain.analysis.report import Report, render_html, render_markdown
from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.query.intent import Intent
from services.planner.domain.reading import ReadDecision, decisions_used
from services.planner.domain.reporting.evidence import ClaimBook
from services.planner.domain.reporting.prose import (
    Cited,
    Label,
    Origin,
    Piece,
    Prose,
    Quoted,
    UnclaimedNumberError,
    Words,
)
from tests.unit.planner.stories import (
    CALL_ID,
    COUNTRY,
    ORDERS,
    REQUEST_ID,
    REVENUE,
    report,
    revenue_by_month_and_category,
    story,
)

HOSTILE = (
    "<script>alert(1)</script>",
    "a | b",
    "`code`",
    "line one\nline two",
    "![x](http://evil.example/x.png)",
    "<img src=x onerror=alert(1)>",
    '"><b>',
    "# heading",
    "x" * 10_000,
)


def hostile_report() -> Report:
    intent = Intent(base="Orders", measures=(ORDERS,), dimensions=(COUNTRY,))
    count = len(HOSTILE)
    told = story(
        "orders by country <script>",
        intent,
        {"ship country": list(HOSTILE), "number of orders": list(range(count, 0, -1))},
        understood="number of orders | `by` ship country",
    )
    query = "SELECT '```' AS x -- <script>alert(2)</script>"
    return report(told, caveats=HOSTILE, query=query)


class Tags(HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs


def tags_of(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    return tags


def test_a_report_has_its_parts_in_the_order_people_read_them() -> None:
    text = render_markdown(report(revenue_by_month_and_category(), caveats=("3 rows left out",)))
    headings = re.findall(r"^#+ .*$", text, re.MULTILINE)
    assert headings[0].startswith("# Dairy Products led with")
    assert headings[1:] == [
        "## Source",
        "## How it was understood",
        "## Table",
        "## How it was computed",
        "## Caveats",
        "## Claims",
        "## Proof",
    ]
    assert "assay verify 7c1e7c1e" in text
    assert "asked 2026-01-02 03:04:05 UTC" in text


def test_what_changes_the_reading_comes_right_behind_the_answer() -> None:
    sampled = "Found in an even sample of 10 of 99 rows; counts are of the sample."
    text = render_markdown(report(revenue_by_month_and_category(), caveats=(sampled,)))
    assert re.findall(r"^## .*$", text, re.MULTILINE)[0] == "## Caveats"


def test_a_report_tells_how_its_files_were_read_in_words() -> None:
    given = [("delimiter", ";"), ("skip_lines", "0"), ("skip_footer", "1")]
    table = [
        ReadDecision(source_name="s.csv", table="s", subject=subject, value=value)
        for subject, value in given
    ]
    day = ReadDecision(
        source_name="s.csv",
        table="s",
        subject="date_order",
        value="dmy",
        column="on",
        because="no cell tells day from month",
        certain=False,
    )
    other = day.model_copy(update={"column": "unused"})
    catalogue = Catalogue(tables=(Table(name="s", source_name="s.csv", rows=1, columns=()),))
    used = decisions_used([*table, day, other], catalogue, 'SELECT "on" FROM "s"')
    assert used == (*table, day)
    told = replace(report(revenue_by_month_and_category()), decisions=used)
    text = render_markdown(told)
    assert "## How the data was read" in text
    assert (
        "s.csv, table s: cells parted by \u201c;\u201d; lines left out after the table: 1" in text
    )
    assert "column on: day before month (no cell tells day from month, not certain)" in text


def test_the_chart_is_beside_a_markdown_file_and_inside_an_html_file() -> None:
    told = revenue_by_month_and_category()
    assert f"](../../charts/{REQUEST_ID}/revenue%20by%20month.png)" in render_markdown(report(told))
    html = render_html(report(told))
    assert 'src="data:image/png;base64,' in html
    assert "charts/" not in html
    assert "<img" not in render_html(report(told, with_chart=False))


def test_every_number_of_the_answer_links_to_its_claim() -> None:
    given = report(revenue_by_month_and_category())
    html, markdown = render_html(given), render_markdown(given)
    assert given.book.claims
    for claim in given.book.claims:
        assert f'href="#claim-{claim.claim_id}"' in html
        assert f'id="claim-{claim.claim_id}"' in html
        assert f"[{claim.text}](#claim-{claim.claim_id})" in markdown
        assert f'<a id="claim-{claim.claim_id}"></a>**{claim.text}**' in markdown
        assert claim.call_id[:8] in markdown and claim.frame_digest[:12] in markdown


def test_the_table_is_the_shaped_frame_and_names_its_digest() -> None:
    given = report(revenue_by_month_and_category())
    text = render_markdown(given)
    assert "| month | Beverages | Dairy Products |" in text
    assert "| --- | ---: | ---: |" in text
    assert "| 1997-12 | 71,398 | 71,398 |" in text
    assert given.story.tables["shape"].digest[:12] in text


def test_a_long_table_is_cut_and_says_where_the_rest_is() -> None:
    intent = Intent(base="Orders", measures=(REVENUE,), dimensions=(COUNTRY,))
    data: dict[str, Any] = {
        "ship country": [f"country {i}" for i in range(40)],
        "revenue": [float(i) for i in range(40)],
    }
    text = render_markdown(report(story("revenue by country", intent, data)))
    assert "25 more rows in result.csv." in text
    assert "| country 14 |" in text
    assert "| country 15 |" not in text


def test_a_query_is_folded_and_a_repair_is_told() -> None:
    given = report(
        revenue_by_month_and_category(),
        query='SELECT "CategoryName" FROM "Categories"',
        change_reason='column "categry" → "CategoryName"',
    )
    text = render_markdown(given)
    assert f"<details><summary>SQL of call {CALL_ID[:8]}, sql.run</summary>" in text
    assert '```sql\nSELECT\n  "CategoryName"\nFROM "Categories"\n```' in text
    assert f"<details><summary>call {CALL_ID[:8]}, sql.run, to the letter</summary>" in text
    assert '```sql\nSELECT "CategoryName" FROM "Categories"\n```' in text
    assert '↻ attempt 2: column "categry" → "CategoryName"' in text
    assert "2 attempts" in text and "Must hold: filter before aggregate." in text


@pytest.mark.parametrize(
    "smuggled",
    [
        Cited("42", 1),
        Cited("42", 999),
        Quoted("42 of them", Origin.QUESTION),
        Quoted("42 of them", Origin.NAME),
        Label("42", f"{1:064x}", 0, "category"),
        Label("Beverages", "f" * 64, 0, "category"),
    ],
    ids=["another claim's", "no claim", "not asked", "no name", "another cell", "no such frame"],
)
@pytest.mark.parametrize("render", [render_markdown, render_html])
def test_a_number_that_nothing_stands_behind_is_not_printed(smuggled: Piece, render: Any) -> None:
    honest = report(revenue_by_month_and_category())
    narration = replace(honest.narration, answer=Prose.of("It was ", smuggled, "."))
    with pytest.raises(UnclaimedNumberError):
        render(replace(honest, narration=narration))


@pytest.mark.parametrize("text", ["it was 42", "٤٢ rows", "½ of all", "x²"])
def test_plain_words_cannot_hold_a_number(text: str) -> None:
    with pytest.raises(UnclaimedNumberError):
        Words(text)
    with pytest.raises(UnclaimedNumberError):
        Prose.of("so ", text)


def test_numbers_of_the_question_may_be_repeated() -> None:
    told = revenue_by_month_and_category()
    assert "1997" in render_markdown(report(told)).splitlines()[0]


def test_html_made_of_hostile_data_runs_and_loads_nothing() -> None:
    html = render_html(hostile_report())
    tags = tags_of(html)
    assert "script" not in tags.names
    assert tags.names.count("img") == 1
    assert not [name for name, _ in tags.attributes if name.startswith("on")]
    for name, value in tags.attributes:
        if name in ("src", "href"):
            assert (value or "").startswith(("data:image/png;base64,", "#claim-"))
    assert "default-src 'none'" in html
    assert len(html) < 60_000


def test_markdown_made_of_hostile_data_keeps_its_tables_and_fences() -> None:
    text = render_markdown(hostile_report())
    outside = re.sub(r"^(`{3,})sql\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert "<script" not in outside and "<img" not in outside
    assert not re.search(r"(?<!\\)\]\(http", outside) and "://" not in outside
    assert text.count("\n````sql\n") == 3, "the fence is longer than any in the query"
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == len(HOSTILE) + len(["header", "rule"])
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3}
    assert not re.search(r"^# heading", text, re.MULTILINE)
    assert max(len(line) for line in outside.splitlines()) < 6_000


def test_an_empty_answer_has_a_report_without_a_table() -> None:
    intent = Intent(base="Orders", measures=(ORDERS,), dimensions=(COUNTRY,))
    told = story("nothing", intent, {"ship country": [], "number of orders": []})
    text = render_markdown(report(told, with_chart=False))
    assert "## Table" not in text and "## Claims" not in text
    assert "No rows: nothing in orders is left." in text


def test_the_same_report_is_the_same_bytes() -> None:
    one, two = (report(revenue_by_month_and_category()) for _ in range(2))
    assert render_html(one) == render_html(two)
    assert render_markdown(one) == render_markdown(two)


def test_a_report_of_a_hostile_question_is_told_not_raised() -> None:
    book = ClaimBook()
    narration = narrate(hostile_report().story, book)
    assert narration.title and narration.text.endswith(".")
