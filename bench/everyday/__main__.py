"""Write the datasets of the everyday set to try things on: `python -m bench.everyday FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from bench.everyday.datasets import DATASETS
from bench.everyday.load import build, held_out, load, sources


def main() -> None:
    """Write them, and say of each what it has and how much is asked about it."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m bench.everyday FOLDER")
    folder = Path(sys.argv[1])
    build(folder)
    for name in DATASETS:
        asked = [item for item in load() if item.dataset == name]
        follow_ups = sum(len(item.then) for item in asked)
        files = ", ".join(path.name for path in sources(folder, name))
        kept = "held out" if held_out(name) else ""
        print(f"{name:<10} {len(asked):>3} + {follow_ups} questions  {kept:<8}  {files}")


if __name__ == "__main__":
    main()
