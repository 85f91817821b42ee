"""The autoscalers' rules find load in what a Prometheus as it comes has of a mesh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deployment.asked import FOLDER
from tests.deployment.rendered import PLACES, servers, settings
from tests.deployment.test_alerts import promtool

SCRAPED_SECONDS = 60
"""How often a Prometheus fetches where nobody has said otherwise."""

ONE_POD = 'k8s_pod_name="a-1"'
OF_PODS = f'k8s_namespace_name="assay",{ONE_POD}'
LOAD = {
    "assay_calls_under_way": (
        f'{{{OF_PODS},assay_service="gateway",rpc_method="assay.gateway.v1.JobService/GetJob"}}'
    ),
    "assay_tool_calls_under_way": (
        f'{{{OF_PODS},assay_service="executor",'
        'rpc_method="assay.executor.v1.ExecutorService/Execute"}'
    ),
}


def query(name: str) -> str:
    """What the adapter asks of the pods of a namespace."""
    rules = yaml.safe_load((FOLDER / "adapter.yaml").read_text())["rules"]["custom"]
    (asked,) = (rule["metricsQuery"] for rule in rules if rule["name"]["as"] == name)
    filled = str(asked).replace("<<.GroupBy>>", "k8s_pod_name")
    return filled.replace("<<.LabelMatchers>>", 'k8s_namespace_name="assay"')


def found(name: str, asked: str, folder: Path) -> tuple[bool, str]:
    """Whether two calls at once are seen as two at any time between two fetches, by promtool."""
    moments = range(15 * 60, 16 * 60, 10)
    story: dict[str, Any] = {
        "interval": f"{SCRAPED_SECONDS}s",
        "input_series": [
            {
                "series": f"rpc_server_call_duration_seconds_sum{LOAD[name]}",
                "values": f"0+{2 * SCRAPED_SECONDS}x30",
            }
        ],
        "promql_expr_test": [
            {
                "expr": asked,
                "eval_time": f"{moment}s",
                "exp_samples": [{"labels": f"{{{ONE_POD}}}", "value": 2}],
            }
            for moment in moments
        ],
    }
    (folder / "scaling.test.yaml").write_text(yaml.safe_dump({"tests": [story]}))
    done = promtool("test", "rules", "scaling.test.yaml", folder=folder)
    return done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", LOAD)
def test_load_is_seen_by_a_prometheus_that_fetches_each_minute(name: str, tmp_path: Path) -> None:
    seen, told = found(name, query(name), tmp_path)
    assert seen, told
    shorter, _ = found(name, query(name).replace("[3m]", "[1m]"), tmp_path)
    assert not shorter, "a window that holds one fetch has no rate, and this would not see it"


@pytest.mark.parametrize("place", PLACES)
def test_metrics_are_sent_more_often_than_they_are_fetched(place: str) -> None:
    """Else fetches in between find what the one before found."""
    for workload in servers(place).values():
        every = int(settings(workload, place)["OTEL_METRIC_EXPORT_INTERVAL"])
        assert 0 < every <= SCRAPED_SECONDS * 1000 / 4
