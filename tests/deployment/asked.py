"""What alerts, dashboard and autoscalers ask of Prometheus."""

from __future__ import annotations

import json
from typing import Any

import yaml

from tests.deployment.rendered import REPOSITORY

FOLDER = REPOSITORY / "k8s" / "observability"


def alerts() -> list[dict[str, Any]]:
    """The alert rules."""
    groups = yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    """The dashboard's panels that show something."""
    found = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
    return [panel for panel in found if panel["type"] != "row"]


def shown(window: str, whole: str) -> dict[str, str]:
    """What the dashboard asks, by panel and query, with Grafana's variables filled in: the
    `window` that rates are taken over, and the `whole` time that is shown."""
    return {
        f"{panel['title']} {target['refId']}": target["expr"]
        .replace("$__rate_interval", window)
        .replace("$__range", whole)
        for panel in panels()
        for target in panel["targets"]
    }


def queries() -> dict[str, str]:
    """Everything asked of Prometheus, by where it stands."""
    adapter = yaml.safe_load((FOLDER / "adapter.yaml").read_text())["rules"]
    asked = {rule["alert"]: rule["expr"] for rule in alerts()}
    asked |= {
        f"{panel['title']} {target['refId']}": target["expr"]
        for panel in panels()
        for target in panel["targets"]
    }
    for rule in (*adapter["custom"], *adapter["external"]):
        asked[rule["name"]["as"]] = rule["metricsQuery"].replace("<<.LabelMatchers>>,", "")
        asked[f"{rule['name']['as']} found"] = rule["seriesQuery"]
    return asked
