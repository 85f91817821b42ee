"""A text as a page: a link to its cell for each binding, and nothing of text or cells runs."""

from __future__ import annotations

from html.parser import HTMLParser

import pyarrow as pa
import pytest

from assay.common.v1 import analysis_pb2, checks_pb2, job_pb2, proposals_pb2
from clients.python.publishing.cited import CitedFrame, Proof
from clients.python.publishing.draft import accepted_of, clean, titled
from clients.python.publishing.footnotes import render_footnotes
from clients.python.publishing.page import Imprint, render_page
from clients.python.publishing.resolving import resolve
from clients.python.verification.reading import Finding
from mesh.errors import AssayError
from mesh.prose.bindings import parse_text
from mesh.prose.frames import Frame
from mesh.text.page import read_page

EVIL = "<script>alert(1)</script>"
EMPTY = {"meta", "br", "hr", "img"}
PNG = b"\x89PNG\r\n\x1a\n"


class Read(HTMLParser):
    """A page as a browser reads it: tags, ids, links, words."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.nested = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.nested |= tag == "a" and "a" in self.open
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [value for name, value in attrs if name in ("href", "src") and value]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    @property
    def dangling(self) -> set[str]:
        return {one[1:] for one in self.links if one.startswith("#")} - set(self.ids)


def cited(
    table: pa.Table | None = None,
    *,
    name: str = "f1",
    accepted: str = "",
    charts: tuple[bytes, ...] = (),
    findings: tuple[checks_pb2.CheckFinding, ...] = (),
) -> CitedFrame:
    if table is None:
        table = pa.table({"year": [1996, 1997], "revenue": [617085.25, 440624.0]})
    job = job_pb2.Job(job_id="7c" * 16, analysis=analysis_pb2.AnalysisRequest(statement="select 1"))
    job.plan.proposal.CopyFrom(proposals_pb2.Proposal(statement="select 1", findings=findings))
    values = {one: table.column(one).to_pylist() for one in table.column_names}
    doubts = {one.code: one.said for one in findings}
    frame = Frame(name, list(table.column_names), values, doubts)
    checks = (Finding("chain", True, "8 entries"),)
    proof = Proof(f"{name}.zip", "ab" * 32, checks, "cd" * 32, 8, "log\n8\nroot\n\n— log sig\n", ())
    return CitedFrame(name, job, frame, table, charts, proof, accepted)


def page_of(text: str, *frames: CitedFrame) -> str:
    citations = resolve(parse_text(text).bound, {one.name: one.frame for one in frames})
    imprint = Imprint("report", "today", "0.1.0", "report.proof", "1a2b3c4d" * 4)
    page = render_page(text, citations, frames, imprint)
    read_page(page.encode())  # the mesh lets in every page that is made here
    return page


def test_each_binding_leads_to_its_cells_and_each_cited_cell_back() -> None:
    text = (
        "# A year\n\nRevenue {fell|f1.revenue[1996] -> f1.revenue[1997]} to "
        "{440,624|f1.revenue[1997]}, **{28.6 %|1 - f1.revenue[1997] / f1.revenue[1996]}** less, of "
        "{1,057,709|sum(f1.revenue)} in {2|count(f1)} years "
        "([{two|count(f1)}](https://x.example)), [see <https://y.example>](https://x.example).\n"
        "\n| year | revenue |\n|---|--:|\n| 1997 | {440,624|f1.revenue[1997]} |\n"
    )
    page = page_of(text, cited())
    read = Read(page)
    assert not read.open and not read.nested and not read.dangling
    assert len(set(read.ids)) == len(read.ids)
    assert {f"at:{number}" for number in range(1, 8)} <= set(read.ids)
    assert 'href="#f1.r2.c2" title="f1.revenue[1997]">440,624</a>' in page
    assert 'href="#from:1"' in page and 'href="#f1.c2"' in page and 'href="#frame:f1"' in page
    assert (
        '<td class="cited" id="f1.r1.c2"><a class="cited" href="#at:1">617,085.25</a></td>' in page
    )
    assert "<title>A year</title>" in page and "<h1" in page
    assert '<th scope="row">1</th><td>1996</td>' in page


def test_nothing_runs_and_nothing_is_loaded() -> None:
    text = (
        f"# {EVIL}\n\n{EVIL} [a](javascript:alert(1)) [b](//x.example) <b onclick=x>b</b>\n\n"
        "![p](https://x.example/p.png) ![q](data:image/svg+xml,x) [c](https://x.example '\"x')\n\n"
        "[d]: data:text/html,x\n\n[d] <javascript:x> `<i>{1|f1.a}</i>`\n\n"
        "```\n</pre>{2|f1.a}\n```\n"
        '{x" onclick="y|f1."<b>"[#1]}\n'
    )
    table = pa.table({"<b>": [f'{EVIL}"\u202e', "</td>"]})
    frames = cited(table, accepted=EVIL, findings=(checks_pb2.CheckFinding(code="J01", said=EVIL),))
    page = page_of(text, frames)
    read = Read(page)
    assert not read.open and not read.dangling
    assert not {"script", "b", "iframe", "link", "svg", "i"} & set(read.tags)
    assert not {one for one in read.attributes if one.startswith("on")}
    assert {one for one in read.links if not one.startswith("#")} == {"https://x.example"}
    assert "default-src &#x27;none&#x27;" not in page
    assert "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"" in page
    assert "picture left out: p" in page and "\u202e" not in page and "onclick=&quot;y" in page


def test_what_was_not_checked_is_not_read() -> None:
    text = clean(
        "---\nframes:\n  f1: ab\n---\nA <!-- 5 million --> B `5` \ufdd0b1\ufdd1 &#64976;b1\r\n"
    )
    page = page_of(text, cited())
    article = page.partition("<article>")[2].partition("</article>")[0]
    assert "million" not in article and "frames:" not in article and "<code>5</code>" in article
    assert 'class="from"' not in article


def test_a_reason_stands_beside_each_number_of_a_contested_frame() -> None:
    fault = checks_pb2.CheckFinding(
        code="J01", name="fan-out", said="46,166 instead of 13,771",
        severity=checks_pb2.CHECK_SEVERITY_ERROR,
    )  # fmt: skip
    text = "{440,624|f1.revenue[1997]} and {617,085|f1.revenue[1996]}\n"
    page = page_of(text, cited(accepted="known to <all>", findings=(fault,)))
    assert page.count("[f1 is contested; accepted: known to &lt;all&gt;]") == 3
    later = page_of(text, cited(accepted="known"))
    assert "A frame that it is computed from has an error" in later
    assert '<li id="f1.J01">J01 (error, fan-out): 46,166 instead of 13,771.' in page


def test_cited_rows_beyond_the_first_are_shown() -> None:
    table = pa.table({"n": list(range(1_000)), "x": [one / 4 for one in range(1_000)]})
    page = page_of("{225|f1.x[#901]} {doubt|doubt f1.J01}", cited(table, findings=(
        checks_pb2.CheckFinding(code="J01", said="it repeats"),)))  # fmt: skip
    assert "201 of 1,000 rows" in page and 'id="f1.r901.c2"' in page
    assert page.count('<th scope="row">') == 201 and 'href="#f1.J01"' in page
    assert not Read(page).dangling


def test_a_chart_of_a_frame_is_within_the_page() -> None:
    for text in ("![By year](f1) [rows](f1) {2|count(f1)}", "{2|count(f1)}"):
        read = Read(page_of(text, cited(charts=(PNG,))))
        pictures = [one for one in read.links if one.startswith("data:")]
        assert pictures == ["data:image/png;base64,iVBORw0KGgo="]
        assert "#frame:f1" in read.links and not read.dangling


def test_as_markdown_each_number_has_a_footnote() -> None:
    text = "A <!-- x -->{2|count(f1)} and {440,624|f1.revenue[1997]}, {440,624|f1.revenue[1997]}.\n"
    citations = resolve(parse_text(text).bound, {"f1": cited().frame})
    told = render_footnotes(text, citations, [cited()], "report.proof")
    assert told.startswith("A 2[^1] and 440,624[^2], 440,624[^2].\n\n[^1]: f1, its rows: 2 (job 7c")
    assert "[^2]: f1, revenue, row 2: 440,624 (job 7c7c7c7c, report.proof/f1.zip)." in told
    assert "[^3]" not in told


def test_footnotes_are_counted_without_gaps_and_say_how_a_number_is_reckoned() -> None:
    text = "{2|count(f1)} {2|count(f1)} {1|max(f1.revenue) / max(f1.revenue)} {!|doubt f1.J01}"
    frame = cited(findings=(checks_pb2.CheckFinding(code="J01", said="it repeats"),))
    citations = resolve(parse_text(text).bound, {"f1": frame.frame})
    told = render_footnotes(text, citations, [frame], "report.proof")
    assert "[^2]: max(f1.revenue) / max(f1.revenue), from f1, revenue, all 2 rows (job" in told
    assert "[^3]: f1, J01 (job" in told and "[^4]" not in told


def test_reasons_are_given_and_titles_are_part_of_the_text() -> None:
    assert accepted_of(["f2= known "]) == {"f2": "known"}
    for wrong in ("f2", "f2=", "=x"):
        with pytest.raises(AssayError, match="gives no reason"):
            accepted_of([wrong])
    assert titled("---\na: b\n---\ntext", "A\nB") == "---\na: b\n---\n# A B\n\ntext"


@pytest.mark.parametrize(
    "text",
    [
        "3. three\n4. four\n\n   - nested\n\n> quoted ~~not~~ **b** *i* `c`\n\n---\n\na  \nb",
        "| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |",
        'HTTPS://X.example/ä?q=a b&c="d"#e <https://x.example/(a)> [m](mailto:a@x.example?s=a%20b)',
        "[h](https://x.example/<b>'\"&amp;) [a](#ä-b) [w](https://münchen.example/ü)",
        "# <h1> & 'q' \"q\" \u202e\x00\n\n## A\n\n## A\n\n```html\n<script>\n```\n",
        "words\n\n    <i>indented</i>\n\n- [ ] a\n- [x] b",
        "a < b > c & d &copy; &#60;script&#62; \\<b> <!-- c --> <b onclick=x> ]]> <![CDATA[x]]>",
    ],
)
def test_the_mesh_lets_in_whatever_markdown_becomes(text: str) -> None:
    page = page_of(clean(text), cited(pa.table({"<a b='c'>": ["<td \n x>", "-->", "\x00"]})))
    assert not Read(page).open
