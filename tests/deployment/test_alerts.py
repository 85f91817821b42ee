"""Prometheus itself takes the alert rules, and finds each firing when it should and not else."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.deployment.rendered import REPOSITORY, SERVICES

FOLDER = REPOSITORY / "k8s" / "observability"


def promtool(*words: str, folder: Path = FOLDER) -> subprocess.CompletedProcess[str]:
    """Run it: from the PATH, or where `make tools` put it. Skips without."""
    found = shutil.which("promtool") or shutil.which("promtool", path=str(REPOSITORY / ".tools"))
    if found is None:
        pytest.skip("there is no promtool here: `make tools` fetches it where apt is")
    return subprocess.run(
        [found, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


def test_prometheus_takes_the_rules() -> None:
    done = promtool("check", "rules", "alerts.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_alert_fires_when_it_should_and_not_before() -> None:
    done = promtool("test", "rules", "alerts.test.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_is_tried_both_ways() -> None:
    tried: dict[str, set[bool]] = {}
    for story in yaml.safe_load((FOLDER / "alerts.test.yaml").read_text())["tests"]:
        for each in story["alert_rule_test"]:
            tried.setdefault(each["alertname"], set()).add(bool(each.get("exp_alerts")))
    groups = yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"]
    assert tried == {rule["alert"]: {True, False} for group in groups for rule in group["rules"]}


def by_alert(rules: str) -> dict[str, object]:
    """What each alert's rule says."""
    groups = yaml.safe_load(rules)["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("absent(assay_serving{", "absent(rpc_server_call_duration_seconds_count{"),
        *(
            (f'absent(assay_serving{{assay_service="{name}"}})', f"absent(of_{name})")
            for name in SERVICES
        ),
        ("> 0.02", "> 0.2"),
        ('|UNAVAILABLE"', '|UNAVAILABLE|NOT_FOUND"'),
        ("max(assay_jobs_queue_age_seconds) > 60", "sum(assay_jobs_queue_age_seconds) > 60"),
        (".*/(Get|List|Create).*", ".*"),
        ("home-audit-.*", ".*"),
        ("> 15", "> 150"),
        ("> 0.2\n", "> 0.1\n"),
        ("assay_audit_unlogged_ends) > 0", "assay_audit_unlogged_ends) > 2"),
        ("assay_audit_lag_seconds) > 300", "assay_audit_lag_seconds) > 299"),
        ('assay_breaker_state="open"', 'assay_breaker_state="closed"'),
    ],
)
def test_a_rule_that_is_another_is_noticed(tmp_path: Path, right: str, wrong: str) -> None:
    """The stories above see what they are for: those of the alert itself notice."""
    rules = (FOLDER / "alerts.yaml").read_text()
    assert right in rules
    other = rules.replace(right, wrong)
    (tmp_path / "alerts.yaml").write_text(other)
    before, after = by_alert(rules), by_alert(other)
    changed = {alert for alert in before if before[alert] != after[alert]}
    stories = yaml.safe_load((FOLDER / "alerts.test.yaml").read_text())
    stories["tests"] = [
        story
        for story in stories["tests"]
        if changed & {each["alertname"] for each in story["alert_rule_test"]}
    ]
    assert stories["tests"]
    (tmp_path / "alerts.test.yaml").write_text(yaml.safe_dump(stories))
    assert promtool("check", "rules", "alerts.yaml", folder=tmp_path).returncode == 0
    assert promtool("test", "rules", "alerts.test.yaml", folder=tmp_path).returncode != 0
