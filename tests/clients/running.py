"""Have a runner perform the script: what it did line by line, held against what is expected."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clients.conformance.judging import refused
from tests.busy import allowing
from tests.clients.served import World

CONFORMANCE = Path(__file__).resolve().parents[2] / "clients" / "conformance"
SCRIPT = CONFORMANCE / "script.json"
RUN_SECONDS = 150.0


def perform(
    command: Sequence[str], world: World, folder: Path, tenant: str, script: Path = SCRIPT
) -> list[str]:
    """Run a client's runner with the script; what is not as expected, nothing where all is."""
    settings = folder / f"{tenant}.json"
    settings.write_text(json.dumps(world.settings_for(tenant)), encoding="utf-8")
    log = folder / f"{tenant}.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [*command, str(script), str(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    limit = threading.Timer(allowing(RUN_SECONDS), process.kill)
    limit.start()
    try:
        results = _results(process, world)
        code = process.wait()
    finally:
        limit.cancel()
        process.kill()
        process.wait()
    found = refused(json.loads(script.read_text(encoding="utf-8")), results)
    if code != 0:
        found.append(f"the runner ended with {code}: {log.read_text()[-2000:]}")
    return found


def _results(process: subprocess.Popen[str], world: World) -> dict[tuple[str, int], Any]:
    assert process.stdin is not None and process.stdout is not None
    results: dict[tuple[str, int], Any] = {}
    for line in process.stdout:
        told = json.loads(line)
        if "outside" in told:
            process.stdin.write(json.dumps(world.outside(told["outside"])) + "\n")
            process.stdin.flush()
        else:
            results[told["case"], told["step"]] = told["result"]
    return results
