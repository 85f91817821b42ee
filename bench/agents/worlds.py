"""Small businesses whose truth is known, as tasks for an agent, graded by script.

    python -m bench.agents.worlds make FOLDER          # data and TASK.md of each world, no truth
    python -m bench.agents.worlds grade FOLDER [...]   # what each answer.json there is worth

An agent is given one world's folder and whatever hands an arm of the comparison has (a database
alone; `query`; with doubts; with twin, `check` and `publish`), and leaves answer.json: for each
claim a value, or null where the data cannot tell, and a flag with the doubt that it passes on.
What counts is a wrong claim without a flag: somebody would have acted on it.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from bench.agents.businesses import WORLDS, Claim, World

FORM = """
Leave `answer.json` beside this file: for each name below
{"value": …, "flag": "…"}. `value` is null where the data cannot tell; `flag` is the doubt that a
reader must know before acting on it, empty where there is none. Names: """


def make(world: World, folder: Path) -> None:
    """Write the data and the task of a world; the truth stays here."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in world.tables().items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    names = ", ".join(f"`{claim.name}` ({claim.what})" for claim in world.claims())
    (folder / "TASK.md").write_text(f"{world.task.strip()}\n{FORM}{names}.\n", encoding="utf-8")


def grade(world: World, answer: dict[str, Any]) -> list[tuple[str, str]]:
    """Each claim of a world with what an answer makes of it: right, wrong, flagged, declined."""
    return [(claim.name, _worth(claim, answer.get(claim.name))) for claim in world.claims()]


def _worth(claim: Claim, given: Any) -> str:
    if not isinstance(given, dict) or "value" not in given:
        return "missing"
    value, flag = given["value"], str(given.get("flag") or "").strip()
    if claim.holds(value):
        return "right"
    if value is None:
        return "declined"
    return "flagged" if flag else "wrong"


def main() -> None:
    """Make the worlds, or grade what was answered."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("work", choices=("make", "grade"))
    parser.add_argument("folders", type=Path, nargs="+")
    given = parser.parse_args()
    for folder in given.folders:
        if given.work == "make":
            for world in WORLDS:
                make(world, folder / world.name)
            print(f"{len(WORLDS)} worlds in {folder}")
        else:
            _print_grades(folder)


def _print_grades(folder: Path) -> None:
    counted: Counter[str] = Counter()
    for world in WORLDS:
        file = folder / world.name / "answer.json"
        if not file.exists():
            continue
        found = grade(world, json.loads(file.read_text(encoding="utf-8")))
        counted.update(worth for _, worth in found)
        print(f"{world.name:<16}" + ", ".join(f"{name}: {worth}" for name, worth in found))
    every = sum(counted.values())
    shares = ", ".join(f"{worth} {n}" for worth, n in counted.most_common())
    print(f"{folder}: {every} claims; {shares}")
    if every:
        print(f"wrong without a flag: {counted['wrong'] / every:.1%}")


if __name__ == "__main__":
    main()
