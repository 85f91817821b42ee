"""A text as a notebook: its words and numbers, a cell for each frame, and nothing that is HTML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clients.python.publishing.cited import CitedFrame
from clients.python.publishing.notebook import is_page_notebook, page_notebook
from clients.python.publishing.page import Imprint
from clients.python.publishing.resolving import resolve
from mesh.prose.bindings import parse_text
from tests.unit.clients.test_published_page import EVIL, PNG, cited

IMPRINT = Imprint("report", "today", "0.1.0", "report.proof", "1a2b3c4d" * 4)


def cells_of(folder: Path, text: str, *frames: CitedFrame) -> list[dict[str, Any]]:
    citations = resolve(parse_text(text).bound, {one.name: one.frame for one in frames})
    page_notebook(text, citations, frames, IMPRINT).write(folder / "report.ipynb")
    assert is_page_notebook(folder / "report.ipynb")
    return list(json.loads((folder / "report.ipynb").read_text(encoding="utf-8"))["cells"])


def words_of(cells: list[dict[str, Any]]) -> str:
    return "\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "markdown")


def test_words_numbers_and_frames_are_there(tmp_path: Path) -> None:
    frame = cited(accepted="no year is empty", charts=(PNG,))
    frame.job.answer.table.digest = "d" * 64
    text = "---\nframes:\n---\nIn 1997: {440,624|f1.revenue[1997]}, `{1|f1.a}`. <!-- no -->\n"
    cells = cells_of(tmp_path, text, frame)
    words = words_of(cells)
    assert "In 1997: 440,624<sup>1</sup>, `{1|f1.a}`." in words and "frames:" not in words
    assert "- 1: f1, revenue, row 2: 440,624" in words and "assay page show 1a2b3c4d" in words
    assert "accepted: no year is empty" in words and "<!--" not in words
    code = "".join(cells[-1]["source"])
    assert code.startswith("f1 = bundled(RECORDED / 'f1.zip', ") and f"frames/{'d' * 64}" in code
    assert [one for one in cells if one.get("attachments")]


def test_the_authors_html_and_pictures_are_words_and_links(tmp_path: Path) -> None:
    text = f"{EVIL} ![p](https://x.example/p.png) {{5|count(f1)}}{{!|count(f1)}}[q](x) `<i>`"
    words = words_of(cells_of(tmp_path, text, cited()))
    assert "<script>" not in words and "&lt;script>" in words and "`<i>`" in words
    assert "![" not in words and "&#33;[p]" in words and "&#33;<sup>1</sup>[q]" in words


def test_a_statement_stays_in_its_block_and_a_name_takes_nothing(tmp_path: Path) -> None:
    frame = cited(name="pd")
    frame.job.analysis.statement = "select 1 -- ```\n# not a heading"
    frame.job.answer.table.digest = "d" * 64
    cells = cells_of(tmp_path, "{440,624|pd.revenue[1997]}", frame)
    assert "````sql\nselect 1 -- ```\n# not a heading\n````" in words_of(cells)
    assert "".join(cells[-1]["source"]).startswith("pd_ = bundled(")


def test_another_notebook_is_not_ours(tmp_path: Path) -> None:
    other = tmp_path / "other.ipynb"
    for content in ("", "[]", "{}", '{"metadata": {"assay": 1}}'):
        other.write_text(content, encoding="utf-8")
        assert not is_page_notebook(other)
    assert not is_page_notebook(tmp_path / "none.ipynb")
