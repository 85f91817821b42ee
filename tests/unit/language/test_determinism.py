"""Equal questions over equal data give equal plans, byte for byte, in any process."""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
_PROGRAM = """
import asyncio, datetime, json
from bench.understanding import _QUESTIONS, lookup, wide_catalogue
from services.planner.domain.drafting.draft import draft_plan
from services.planner.domain.query.intent import Understood
from services.planner.domain.reader.understand import understand

async def main():
    wide = wide_catalogue(12)
    for question in _QUESTIONS:
        found = await understand(question, wide, lookup, today=datetime.date(2025, 1, 1),
                                 assume=True)
        print(found.model_dump_json())
        if isinstance(found, Understood):
            plan = draft_plan(found, wide, deliverables=["tables", "charts", "summary"],
                              row_limit=1000, timeout_seconds=60)
            print(plan.model_dump_json())

asyncio.run(main())
"""


@functools.cache
def told(seed: str) -> str:
    """The digest of all readings and plans, from a process with that seed of hashes."""
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, check=True, cwd=ROOT
    )
    assert done.stdout
    return hashlib.sha256(done.stdout).hexdigest()


@pytest.mark.parametrize("seed", ["1", "2", "31337"])
def test_plans_do_not_depend_on_how_a_process_hashes(seed: str) -> None:
    assert told(seed) == told("0")
