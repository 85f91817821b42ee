"""The audit of dependencies finds what it is there to find."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import audit

HASH = f"--hash=sha256:{'ab' * 32}"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (f"rich==14.1.0 \\\n    {HASH}\n    # via assay", ""),
        (f"appnope==1.0 ; sys_platform == 'darwin' \\\n    {HASH}", ""),
        ("rich==14.1.0", "has no SHA-256"),
        ("rich==14.1.0 --hash=md5:0123", "has no SHA-256"),
        (f"rich>=14 {HASH}", "is not one version"),
        (f"rich==14.* {HASH}", "is not one version"),
        (f"rich {HASH}", "is not one version"),
        (f"rich @ https://example.org/rich.whl {HASH}", "comes from an address"),
        ("-e .", "is no requirement"),
        ("--trusted-host example.org", "is no requirement"),
        ("git+https://example.org/rich", "is no requirement"),
    ],
)
def test_a_lock_holds_versions_with_hashes_from_an_index_and_nothing_else(
    tmp_path: Path, line: str, fault: str
) -> None:
    lock = tmp_path / "lock.txt"
    lock.write_text(f"{line}\n")
    found = audit.faults_of_lock(lock)
    assert bool(found) == bool(fault)
    assert all(fault in each for each in found[:1])


@pytest.mark.parametrize(
    "lock", sorted(audit.REQUIREMENTS.glob("*.txt")), ids=lambda lock: lock.name
)
def test_the_locks_are_without_fault(lock: Path) -> None:
    assert len(list(audit.requirements(lock))) > 0
    assert audit.faults_of_lock(lock) == []


def test_the_image_holds_what_is_tested_and_every_licence_is_allowed() -> None:
    assert audit.faults_between() == []
    assert audit.faults_of_licences() == []
    judged = [name for name in audit.versions(audit.TESTED) if audit.licence(name) is not None]
    assert len(judged) > 200


@pytest.mark.parametrize(
    ("expression", "may"),
    [
        ("MIT", True),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(Apache-2.0 OR AGPL-3.0-only)", True),
        ("GPL-3.0-or-later", False),
        ("SSPL-1.0", False),
        ("", False),
    ],
)
def test_what_a_licence_demands_is_weighed(expression: str, may: bool) -> None:
    assert audit.allowed(expression) is may


def test_what_no_service_knows_was_not_checked() -> None:
    unknown = {"name": "polars", "skip_reason": "not found"}
    known = {"name": "rich", "version": "1.0", "vulns": [{"id": "PYSEC-1"}]}
    sound = {"name": "typer", "version": "1.0", "vulns": []}
    none = "NOT CHECKED for known vulnerabilities: none of 1 could be looked up"
    assert audit.looked(None, ["polars"]).sentence == none
    assert audit.looked([unknown], ["polars"]).sentence == none
    found = audit.looked([known, sound, unknown], ["Rich", "typer", "polars", "sqlglot"])
    assert found.vulnerabilities == ["rich 1.0: PYSEC-1"]
    assert found.sentence == (
        "1 known vulnerabilities in 2 of 4 distributions; NOT CHECKED: polars, sqlglot"
    )
    assert audit.looked([sound], ["typer"]).sentence == (
        "0 known vulnerabilities in 1 distributions, which are all"
    )


@pytest.mark.parametrize(("told", "code", "sure"), [("all", 0, 0), ("none", 0, 1), ("one", 1, 1)])
def test_who_asks_to_be_sure_is_told_so_by_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, told: str, code: int, sure: int
) -> None:
    names = audit.versions(audit.SHIPPED)
    answers = {
        "all": [{"name": name, "version": "1", "vulns": []} for name in names],
        "none": [{"name": name, "skip_reason": "not found"} for name in names],
        "one": [{"name": "typer", "version": "1", "vulns": [{"id": "PYSEC-1"}]}],
    }
    monkeypatch.setattr(audit, "asked_service", lambda: answers[told])
    assert audit.main(["--vulnerabilities"]) == code
    assert audit.main(["--vulnerabilities", "--sure"]) == sure
