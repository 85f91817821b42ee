"""A look as a page: everything of it, nothing loaded, and nothing of the data runs."""

from __future__ import annotations

from html.parser import HTMLParser

from assay.common.v1 import look_pb2
from clients.python.look_page import render_look
from tests.unit.clients.test_look_shown import SEEN


class Tags(HTMLParser):
    """Which tags a page has, and whether each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_tells_tables_joins_doubts_and_repairs() -> None:
    page = render_look(SEEN, "flights.csv")
    for said in (
        "<title>flights.csv</title>",
        "dep_delay",
        "airports.faa, guessed, 96.2 % are there",
        "--read nothing.dep_delay=9999",
        "<h2>To doubt</h2>",
        "<h2>Repaired</h2>",
        "flights by month",
        "3 rows were kept aside",
    ):
        assert said in page
    tags = Tags()
    tags.feed(page)
    assert not tags.open and "script" not in tags.seen


def test_spans_and_values_are_drawn_and_what_is_in_cells_stays_text() -> None:
    evil = "<script>alert(1)</script>"
    spans = [look_pb2.Bin(**{"from": str(n), "to": str(n + 1)}, rows=n) for n in range(20)]
    values = [look_pb2.Bin(**{"from": evil}, rows=3), look_pb2.Bin(**{"from": "b"}, rows=1)]
    columns = [
        look_pb2.ColumnLook(name="n", minimum="0", maximum="20", bins=spans),
        look_pb2.ColumnLook(name=evil, kind=look_pb2.SEMANTIC_KIND_CATEGORY, bins=values),
    ]
    page = render_look(
        look_pb2.Look(tables=[look_pb2.TableLook(name=evil, rows=9, columns=columns)]), evil
    )
    assert page.count('<rect class="bar"') == 22 and "19 to 20: 19 rows" in page
    assert "<script" not in page
