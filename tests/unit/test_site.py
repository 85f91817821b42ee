from __future__ import annotations

from pathlib import Path

import pytest

from mesh.config import MeshSettings
from scripts.site import commands, contracts, settings
from scripts.site.__main__ import main
from scripts.site.markdown import plain
from scripts.site.pages import Pages, lists_apart


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of a few pages that link to one another and elsewhere."""
    root = tmp_path / "repository"
    for name, text in {
        "README.md": "[there](docs/a.md#part), ![chart](docs/chart.png), [code](code)",
        "docs/a.md": "[out](../k8s/README.md), [in](../README.md), [form](../code/form.yaml)",
        "docs/decisions/0001-one.md": "# 1. One",
        "docs/decisions/0002-two.md": "# 2. Two",
        "k8s/README.md": "[secrets](deep/secrets.md), `[not](a.link)`",
        "k8s/deep/secrets.md": "```\n[kept](as/it/is.md)\n```",
        "code/form.yaml": "a: 1",
        "docs/chart.png": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_links_lead_where_pages_are_on_the_site(repository: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    Pages(repository, site).write(["README.md"])

    assert (site / "overview.md").read_text() == (
        "[there](a.md#part), ![chart](chart.png), code"  # a folder cannot be shown
    )
    assert (site / "a.md").read_text() == (
        "[out](k8s/README.md), [in](overview.md), [form](code/form.yaml)"
    )
    assert (site / "code" / "form.yaml").read_text() == "a: 1"


def test_pages_that_are_linked_come_along_and_code_stays(repository: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    Pages(repository, site).write(["README.md"])

    assert (site / "k8s/README.md").read_text() == "[secrets](deep/secrets.md), `[not](a.link)`"
    assert (site / "k8s/deep/secrets.md").read_text() == "```\n[kept](as/it/is.md)\n```"


def test_a_decision_leads_to_its_neighbours(repository: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    Pages(repository, site).write([])

    first = (site / "decisions/0001-one.md").read_text()
    assert first.startswith("Decision 1 · [all decisions](README.md) · [2](0002-two.md)\n")
    assert first.endswith("# 1. One")


@pytest.mark.parametrize(
    ("written", "laid_out"),
    [
        ("words\n- one\n- two", "words\n\n- one\n- two"),
        ("- one\n  more\n  - inner", "- one\n    more\n    - inner"),
        ("1. one\n   more", "1. one\n    more"),
        ("- one\n\nwords\n- two", "- one\n\nwords\n\n- two"),
        ("```\nwords\n- one\n```", "```\nwords\n- one\n```"),
    ],
)
def test_lists_are_laid_out_as_the_site_reads_them(written: str, laid_out: str) -> None:
    assert lists_apart(written) == laid_out


def test_marks_are_shown_and_code_stays_code() -> None:
    assert plain("a*b <c> `d*e` [f] my_name _g") == "a\\*b &lt;c&gt; `d*e` \\[f\\] my_name \\_g"


def test_every_command_is_told_with_its_options() -> None:
    page = commands.page()

    assert "### assay session export\n" in page
    assert "| `--baseline PERIOD` |" in page
    assert page.count("| `--json` |") == 1  # what most have is told once


@pytest.mark.parametrize("kind", settings.CLASSES.values(), ids=lambda kind: kind.__name__)
def test_every_setting_is_told_with_what_it_means(kind: type[MeshSettings]) -> None:
    page = settings.page()
    told = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `ASSAY_")}

    assert [name for name in kind.model_fields if f"ASSAY_{name.upper()}" not in told] == []
    assert [name for name, line in told.items() if line.endswith("|  |")] == []


def test_calls_are_told_with_their_comments_roles_and_types() -> None:
    pages = contracts.pages()
    calls = pages["calls_gateway"]

    assert "### CreateJob {#jobservice-createjob}" in calls
    assert "[CreateJobResponse](#createjobresponse) · role: analyst" in calls
    assert "[`QUEUE_FULL`](../errors.md)" in calls
    assert "(calls_common.md#job)" in calls
    assert "Between Assay's own services" in pages["calls_executor"]


def test_what_the_site_is_built_of_is_laid_out_whole(tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("of a page that is no more")

    assert main([str(tmp_path)]) == 0
    assert not (tmp_path / "old.md").exists()
    assert (tmp_path / "reference" / "calls_gateway.md").exists()
    assert (tmp_path / "k8s" / "README.md").exists()
