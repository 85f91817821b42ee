"""Alerts, dashboard and scaling ask for series that Assay has, and every alert says what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial

import pytest
import yaml
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import REGISTRY

from mesh.telemetry import metrics
from mesh.telemetry.instruments import INSTRUMENTS, Kind
from tests.deployment.asked import FOLDER, alerts, queries
from tests.deployment.rendered import BASE, REPOSITORY, of_kind, servers, settings

OPERATIONS = REPOSITORY / "docs" / "operations.md"
# What the kubelet says of volumes, and what a histogram's buckets have.
ADDED = {"le", "persistentvolumeclaim"}
OF_OTHERS = {"kubelet_volume_stats_available_bytes", "kubelet_volume_stats_capacity_bytes"}
SERIES = re.compile(r"\b((?:rpc|assay|gen_ai|kubelet)_[a-z0-9_]+)(?:\{([^}]*)\})?")


@pytest.fixture(scope="module")
def series() -> Iterator[dict[str, set[str]]]:
    """The labels of every series, by the names that Prometheus has for them."""
    reader = PrometheusMetricReader()
    provider = MeterProvider([reader])
    metrics.install(provider.get_meter("test"), "planner")
    stops = []
    try:
        for instrument in INSTRUMENTS:
            attributes = dict.fromkeys(instrument.attributes, "x")
            if instrument.kind is Kind.GAUGE:
                stops.append(metrics.observe(instrument, "planner", partial(one, attributes)))
            else:
                metrics.record(instrument, 1, attributes)
        yield {
            sample.name: set(sample.labels)
            for family in REGISTRY.collect()
            for sample in family.samples
        }
    finally:
        for stop in stops:
            stop()
        metrics.uninstall()
        provider.shutdown()


def one(attributes: dict[str, str]) -> list[metrics.Reading]:
    return [(1.0, attributes)]


@pytest.mark.parametrize("place", queries())
def test_only_series_and_labels_that_exist_are_asked_for(
    place: str, series: dict[str, set[str]]
) -> None:
    query = queries()[place].replace("<<.GroupBy>>", "k8s_pod_name")
    found = SERIES.findall(query)
    names = {name for name, _ in found if name in series or name not in known_labels(series)}
    assert names, query
    assert names <= set(series) | OF_OTHERS
    labels = {
        each.split("=")[0].split("!")[0].strip()
        for _, all_ in found
        for each in re.findall(r"[a-z0-9_]+\s*(?:=~|!~|!=|=)", all_)
    }
    grouped = {
        label.strip() for by in re.findall(r"\bby\s*\(([^)]*)\)", query) for label in by.split(",")
    }
    assert (labels | grouped) - {""} <= known_labels(series) | ADDED | told_by_pods(), query


def told_by_pods() -> set[str]:
    """What pods say of themselves, as the labels that collectors make of it."""
    (said,) = {
        settings(workload, BASE)["OTEL_RESOURCE_ATTRIBUTES"] for workload in servers(BASE).values()
    }
    return {each.partition("=")[0].replace(".", "_") for each in said.split(",")}


def test_the_adapter_finds_pods_and_namespaces_where_pods_tell_them() -> None:
    adapter = yaml.safe_load((FOLDER / "adapter.yaml").read_text())["rules"]
    for rule in (*adapter["custom"], *adapter["external"]):
        labels = rule["resources"]["overrides"]
        assert labels["k8s_namespace_name"] == {"resource": "namespace"}
        assert set(labels) <= told_by_pods()
        if "<<.GroupBy>>" in rule["metricsQuery"]:
            assert labels["k8s_pod_name"] == {"resource": "pod"}


def test_the_collector_makes_labels_of_what_pods_say_of_themselves() -> None:
    (text,) = (
        each["data"]["collector-configuration.yaml"]
        for name, each in of_kind("k8s/overlays/local", "ConfigMap").items()
        if name.startswith("collector")
    )
    told = yaml.safe_load(text)["exporters"]["prometheus"]
    assert told["resource_to_telemetry_conversion"] == {"enabled": True}


def known_labels(series: dict[str, set[str]]) -> set[str]:
    return {label for labels in series.values() for label in labels}


def test_every_alert_leads_to_what_to_do_about_it() -> None:
    headings = {
        re.sub(r"[^a-z0-9 -]", "", line.lstrip("# ").strip().lower()).replace(" ", "-")
        for line in OPERATIONS.read_text().splitlines()
        if line.startswith("#")
    }
    for rule in alerts():
        assert rule["labels"]["severity"] in ("critical", "warning")
        page, _, anchor = rule["annotations"]["runbook"].partition("#")
        assert (REPOSITORY / page) == OPERATIONS
        assert anchor in headings, rule["alert"]


def test_what_scaling_asks_for_is_what_the_adapter_gives() -> None:
    adapter = yaml.safe_load((FOLDER / "adapter.yaml").read_text())["rules"]
    given = {rule["name"]["as"] for rule in (*adapter["custom"], *adapter["external"])}
    asked = {
        metric[kind]["metric"]["name"]
        for scaling in of_kind(BASE, "HorizontalPodAutoscaler").values()
        for metric in scaling["spec"]["metrics"]
        for kind in ("pods", "external")
        if kind in metric
    }
    assert asked == given


def test_no_two_panels_lie_over_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in json.loads((FOLDER / "dashboard.json").read_text())["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert at["x"] + at["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells
