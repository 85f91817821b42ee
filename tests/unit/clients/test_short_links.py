"""Files of an answer have short names that can be copied."""

from __future__ import annotations

from pathlib import Path

from clients.python.cli.short_links import short_link

JOB, OTHER = "7c1e7c1e" + "0" * 24, "7c1e7c1e" + "1" * 24


def kept(home: Path, kind: str, job: str, name: str, content: str = "…") -> Path:
    path = home / "artifacts" / kind / job / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def test_a_link_is_short_leads_to_the_file_and_is_made_once(tmp_path: Path) -> None:
    path = kept(tmp_path, "reports", JOB, "report.html", "the report")
    link = short_link(path, JOB)
    assert link == tmp_path / "artifacts" / "jobs" / "7c1e7c1e" / "report.html"
    assert link.read_text(encoding="utf-8") == "the report"
    assert short_link(path, JOB) == link


def test_a_picture_that_a_report_names_is_found_from_the_link(tmp_path: Path) -> None:
    chart = kept(tmp_path, "charts", JOB, "revenue.png", "a picture")
    link = short_link(kept(tmp_path, "reports", JOB, "report.md"), JOB)
    named = link.parent / ".." / ".." / "charts" / JOB / chart.name
    assert named.read_text(encoding="utf-8") == "a picture"


def test_another_job_that_begins_alike_keeps_its_long_path(tmp_path: Path) -> None:
    first = kept(tmp_path, "reports", JOB, "report.md")
    second = kept(tmp_path, "reports", OTHER, "report.md")
    assert short_link(first, JOB) != first
    assert short_link(second, OTHER) == second


def test_a_file_that_lies_elsewhere_keeps_its_path(tmp_path: Path) -> None:
    elsewhere = tmp_path / "report.md"
    elsewhere.write_text("…", encoding="utf-8")
    assert short_link(elsewhere, JOB) == elsewhere
    assert short_link(tmp_path / "artifacts" / "a" / "b" / "gone.md", JOB).name == "gone.md"
