"""How well causes are found: `python -m bench.root_cause --seeds 0:20 --out records.jsonl`.

Every finder looks at every case; tables are printed as Markdown, records written as JSON lines.
`--read FILE` prints the tables of records that are there; `--quality` measures faults of the data.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bench.root_cause.report import printed
from bench.root_cause.running import ALL_KINDS, FINDERS, Record, run


def main() -> None:
    """Run what was asked for and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=_seeds, default=range(3), help="from:to, without the last")
    parser.add_argument("--kinds", type=_listed, default=list(ALL_KINDS), help="separated by ;")
    parser.add_argument("--forms", type=_listed, default=["rows", "leaves"])
    parser.add_argument("--finders", type=_listed, default=list(FINDERS), help="separated by ;")
    parser.add_argument("--rows", type=int, help="about so many rows in each case")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where records are added, a line each")
    parser.add_argument("--read", type=Path, action="append", help="records to print instead")
    parser.add_argument("--quality", action="store_true", help="faults of the data instead")
    chosen = parser.parse_args()
    if chosen.quality:
        from bench.root_cause.data_faults import measured_faults

        print(measured_faults(chosen.seeds, chosen.rows))
        return
    if chosen.read:
        lines = [line for path in chosen.read for line in path.read_text().splitlines()]
        print(printed([Record(**json.loads(line)) for line in lines]))
        return
    records = []
    records_of = run(
        chosen.kinds, chosen.forms, chosen.seeds, chosen.finders, chosen.workers, chosen.rows
    )
    for record in records_of:
        records.append(record)
        if record.error:
            print(f"{record.finder}, {record.kind} {record.seed}: {record.error}", file=sys.stderr)
        if chosen.out:
            with chosen.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record.as_json()) + "\n")
    print(printed(records))


def _seeds(text: str) -> range:
    first, _, last = text.partition(":")
    return range(int(first), int(last)) if last else range(int(first))


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(";")]


if __name__ == "__main__":
    main()
