"""Draw what the Grafana dashboard shows of a mesh at work: `python -m scripts.dashboard_picture`.

A mesh runs in a process of its own and is asked for a minute: questions that are answered, some
that fail, some that a model plans. A real Prometheus fetches its metrics and answers each panel's
queries; matplotlib draws them where the dashboard places them. It is no Grafana, and shows what is
asked and what comes back, not how Grafana looks.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
import tempfile
import time
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import dates, pyplot
from matplotlib.axes import Axes

from mesh.config import SERVICES, MeshSettings, load
from mesh.testing.model_server import model_server
from mesh.testing.prometheus_server import Prometheus, Series, prometheus_server
from tests.deployment.asked import panels
from tests.mesh.support import Caller, processes, question
from tests.mesh.told import planned

OUT = Path("dashboard.png")
UNITS = {"s": "s", "reqps": "calls/s", "ops": "jobs/s", "Bps": "B/s", "percentunit": "share"}
ASKED = (
    "total quantity by region",
    "average price by month",
    "top 3 regions by quantity",
    "number of sales by weekday as a bar chart",
    "total zork by frobnicator",
)


async def work(caller: Caller, folder: Path, until: float) -> None:
    """Ask one question after the other."""
    rows = [
        f"{n},2024-{n % 12 + 1:02d}-{n % 28 + 1:02d},r{n % 3},{n % 5},{n % 7}.5" for n in range(900)
    ]
    sales = folder / "sales.csv"
    sales.write_text("\n".join(["sale_id,sold_on,region,quantity,price", *rows]) + "\n")
    number = 0
    while time.time() < until:
        text = ASKED[number % len(ASKED)]
        place = folder / ("none.csv" if number % 7 == 6 else "sales.csv")
        with contextlib.suppress(Exception):  # some are there to be refused
            await caller.asked(question(text, place, timeout=170))
        number += 1


async def observed(
    folder: Path, seconds: float
) -> tuple[list[tuple[dict[str, Any], list[Series]]], float]:
    """Each panel with what its queries gave, over all the while."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = folder / "home"
    home.mkdir()
    mesh_socket = f"unix:{home}/mesh.sock"
    addresses = {f"{name}_address": mesh_socket for name in SERVICES}
    settings = load(MeshSettings, home=home, local_paths=True, listen=mesh_socket, **addresses)
    async with model_server() as model:
        for _ in range(100):
            sql = "SELECT region, sum(quantity) AS pieces FROM sales GROUP BY 1"
            model.will(planned(sql, "quantity"))
        extra = {
            "OTEL_METRICS_EXPORTER": "prometheus",
            "OTEL_EXPORTER_PROMETHEUS_HOST": "127.0.0.1",
            "OTEL_EXPORTER_PROMETHEUS_PORT": str(port),
            "ASSAY_EMBEDDER": "hashed",
            "ASSAY_LLM": "openai:scripted",
            "ASSAY_LLM_BASE_URL": model.base_url,
            "ASSAY_LLM_KEY": "none",
            "ASSAY_LLM_PRICES": json.dumps({"openai:scripted": [1.0, 10.0]}),
        }
        async with processes(settings, [list(SERVICES)], extra), Caller(settings) as caller:
            with prometheus_server(folder, [f"127.0.0.1:{port}"]) as prometheus:
                began = time.time()
                callers = [work(caller, folder, began + seconds) for _ in range(2)]
                await asyncio.gather(*callers)
                return await asyncio.to_thread(_asked, prometheus, began, time.time()), began


def _asked(
    prometheus: Prometheus, began: float, ended: float
) -> list[tuple[dict[str, Any], list[Series]]]:
    span = f"{int(ended - began) + 1}s"
    return [
        (
            panel,
            [
                prometheus.over(
                    target["expr"].replace("$__rate_interval", "15s").replace("$__range", span),
                    began,
                    ended,
                )
                for target in panel["targets"]
            ],
        )
        for panel in panels()
    ]


LETTERS_A_COLUMN = 6
"""Of a title, over one of the dashboard's 24 columns."""


def drawn(found: list[tuple[dict[str, Any], list[Series]]], to: Path) -> None:
    """All panels, each where the dashboard has it."""
    rows = sorted({panel["gridPos"]["y"] for panel, _ in found})
    figure = pyplot.figure(figsize=(16, 3.1 * len(rows)), layout="constrained")
    grid = figure.add_gridspec(len(rows), 24)
    for panel, series in found:
        at = panel["gridPos"]
        axes = figure.add_subplot(grid[rows.index(at["y"]), at["x"] : at["x"] + at["w"]])
        title = fill(panel["title"], LETTERS_A_COLUMN * at["w"])
        axes.set_title(title, fontsize=9, loc="left", weight="bold")
        (_stat if panel["type"] == "stat" else _lines)(axes, panel, series)
    figure.suptitle("Assay's dashboard: its queries answered by Prometheus", fontsize=12)
    figure.savefig(to, dpi=70)


def _named(panel: dict[str, Any], number: int, labels: dict[str, str]) -> str:
    text = str(panel["targets"][number].get("legendFormat", ""))
    for label, value in labels.items():
        text = text.replace("{{" + label + "}}", value)
    return text


def _lines(axes: Axes, panel: dict[str, Any], series: list[Series]) -> None:
    for number, lines in enumerate(series):
        for labels, points in lines:
            if points:
                moments = [time_of(moment) for moment, _ in points]
                axes.plot(
                    moments, [v for _, v in points], lw=1.3, label=_named(panel, number, labels)
                )
    unit = panel.get("fieldConfig", {}).get("defaults", {}).get("unit", "")
    axes.set_ylabel(UNITS.get(unit, ""), fontsize=8)
    axes.set_ylim(bottom=0)
    ticks: Any = dates  # its classes have no types
    axes.xaxis.set_major_formatter(ticks.DateFormatter("%H:%M:%S"))
    axes.xaxis.set_major_locator(ticks.AutoDateLocator(maxticks=4))
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.25)
    if axes.lines:
        axes.legend(fontsize=6.5, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


def _stat(axes: Axes, panel: dict[str, Any], series: list[Series]) -> None:
    texts = [
        f"{points[-1][1]:,.0f}  {_named(panel, number, labels)}"
        for number, lines in enumerate(series)
        for labels, points in lines
        if points
    ]
    axes.text(0.02, 0.9, "\n".join(texts) or "nothing", va="top", fontsize=12)
    axes.axis("off")


def time_of(moment: float) -> Any:
    """A moment as matplotlib takes it, in UTC."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(moment, UTC)


def main() -> None:
    """Run, ask, draw."""
    parser = argparse.ArgumentParser("python -m scripts.dashboard_picture", description=__doc__)
    parser.add_argument("--to", type=Path, default=OUT)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long it is asked")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        found, _ = asyncio.run(observed(Path(folder), options.seconds))
    drawn(found, options.to)
    print(f"drawn to {options.to}")


if __name__ == "__main__":
    main()
