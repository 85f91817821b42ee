"""Parts that CI looks at only when what they are made of has changed since they were seen whole.

`python -m scripts.parts changed NAME` ends with 0 where the part has changed; `python -m
scripts.parts seen [NAME …]` notes the parts as they are, once all their tests passed.
Git says what the files hold, so that what is not committed is not seen.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SEEN = ROOT / ".ci" / "parts.json"
_BUT = "!"
_NOT_FLIGHT_SQL = (
    "!services/executor/engines/flightsql/",
    "!tests/engines/flight_",
    "!tests/engines/test_flightsql_",
)
# Kinds of databases that are asked through a target, and the suite that runs over them all.
_PUSHED = ("clickhouse", "snowflake", "bigquery", "trino", "sqlserver")
_NOT_PUSHED = (
    *(f"!services/executor/engines/{engine}/" for engine in _PUSHED),
    "!tests/engines/pushdown/",
)
# Folders and files by their paths; what begins with a mark of exclamation is left out of them.
PARTS = {
    # Clients in other languages, and the tools that Kubernetes' manifests are held against.
    "clients": (
        *("clients/conformance", "clients/go", "clients/java", "clients/typescript", "protos"),
        *("k8s", "scripts/clients.py", "scripts/tools.sh", "tests/clients", "tests/deployment"),
    ),
    # What the image is built of, and how; not the code in it, which all other tests run.
    "image": (
        *(".dockerignore", "Dockerfile", "compose.yaml", "pyproject.toml", "requirements"),
        *("scripts/image.sh", "scripts/image_check.py", "scripts/index.sh", "scripts/wheels.sh"),
    ),
    # Pages for browsers, and the walks through them; what they ask of the mesh others test too.
    "console": ("clients/console", "gateway/web", "scripts/console.sh", "tests/console"),
    # The engine for what one machine does not hold; what all engines share is tested by the others.
    "spark": (
        *("services/executor/engines", "tests/engines", "mesh/testing/spark.py"),
        *(
            "!services/executor/engines/mysql/",
            "!tests/engines/mysql_",
            "!tests/engines/test_mysql_",
        ),
        *_NOT_FLIGHT_SQL,
        *_NOT_PUSHED,
    ),
    # A kind of database whose server has to be installed; what all share is tested by PostgreSQL.
    "mariadb": (
        *("services/executor/engines", "services/executor/databases", "tests/engines"),
        *("mesh/testing/mariadb.py", "!services/executor/engines/spark/", "!tests/engines/spark_"),
        *("!services/executor/engines/postgres/", "!tests/engines/postgres_"),
        *("!tests/engines/test_spark_", "!tests/engines/test_postgres_"),
        *_NOT_FLIGHT_SQL,
        *_NOT_PUSHED,
    ),
    # A kind of database whose server is a stand-in over DuckDB; what all share is tested by others.
    "flightsql": (
        *("services/executor/engines/flightsql", "services/executor/engines/duckdb"),
        *("services/executor/databases", "services/executor/engines/plan.py"),
        *("services/executor/engines/arrow_types.py", "services/executor/sources/measuring.py"),
        *("tests/engines/flight_server.py", "tests/engines/flight_words.py"),
        *("tests/engines/flight_world.py", "tests/engines/test_flightsql_limits.py"),
        *("tests/engines/test_flightsql_logins.py", "tests/engines/test_flightsql_policy.py"),
        *("tests/engines/test_flightsql_same_frames.py", "tests/engines/cases"),
        "tests/engines/test_flightsql_servers.py",
    ),
    # What is asked through a target; what all engines share is tested by the others.
    "pushdown": (
        *(f"services/executor/engines/{engine}" for engine in _PUSHED),
        *("services/executor/pushdown", "services/executor/databases", "tests/engines/pushdown"),
        *("services/executor/engines/plan.py", "services/executor/engines/typed_tree.py"),
        *("services/executor/engines/arrow_types.py", "services/executor/engines/shapes.py"),
        *("tests/engines/plans.py", "tests/engines/edges.py", "tests/engines/benign.py"),
        *("tests/engines/kinds.py", "tests/engines/cases"),
    ),
    "site": ("docs", "mkdocs.yml", "requirements/docs.txt", "scripts/site", "scripts/site.sh"),
}


def fingerprint(part: str) -> str:
    """A digest of the committed files that a part is made of. Raises CalledProcessError."""
    named = [path for path in PARTS[part] if not path.startswith(_BUT)]
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "HEAD", "--", *named],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    others = tuple(path.removeprefix(_BUT).encode() for path in PARTS[part] if path not in named)
    kept = (
        line
        for line in listed.splitlines(keepends=True)
        if not (others and line.partition(b"\t")[2].startswith(others))
    )
    return hashlib.sha256(b"".join(kept)).hexdigest()


def seen() -> dict[str, str]:
    """The parts as they were when they were last noted, by their names."""
    if not SEEN.is_file():
        return {}
    noted: dict[str, str] = json.loads(SEEN.read_text(encoding="utf-8"))
    return noted


def changed(part: str) -> bool:
    """Whether a part is other than it was when it was last seen whole."""
    return seen().get(part) != fingerprint(part)


def main() -> int:
    """Do what the command line says; the exit code."""
    wanted = sys.argv[1:]
    if wanted[:1] == ["changed"] and len(wanted) == 2 and wanted[1] in PARTS:
        return 0 if changed(wanted[1]) else 1
    if wanted[:1] == ["seen"] and set(wanted[1:]) <= PARTS.keys():
        noted = seen() | {part: fingerprint(part) for part in wanted[1:] or PARTS}
        SEEN.write_text(json.dumps(noted, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    print(f"usage: python -m scripts.parts changed NAME | seen [NAME …]; {', '.join(PARTS)}")
    return 2


if __name__ == "__main__":
    sys.exit(main())
