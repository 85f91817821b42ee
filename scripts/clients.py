"""Generate and build clients/: `python -m scripts.clients generate [--check] | build [LANGUAGE …]`.

Go's and TypeScript's stubs are committed, and held against the contracts by --check; Java's are
made by every build. Generators come from the Go module proxy, npm and Maven Central, in the
versions that go.mod, package-lock.json and pom.xml name; buf is in .venv. A language whose tools
are not here is passed over, and said to be.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from scripts.generate import PROTOS, ROOT, differences

CLIENTS = ROOT / "clients"
BUF = str(Path(sys.executable).parent / "buf")
PUBLIC = [f"--path={PROTOS / 'assay' / package}" for package in ("common", "gateway")]
TOOLS = {"go": ("go",), "typescript": ("node", "npm"), "java": ("java", "mvn")}
MADE = ROOT / ".tools"


def missing(language: str) -> str:
    """The tool that a language wants and this machine lacks; empty when none."""
    return next((tool for tool in TOOLS[language] if shutil.which(tool) is None), "")


def run(folder: Path, *command: str) -> None:
    """Run a command in a folder. Raises SystemExit where it fails."""
    done = subprocess.run(command, cwd=folder, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed in {folder.relative_to(ROOT)}")


def packages() -> Path:
    """The folder of TypeScript's client with what its lock names installed."""
    folder = CLIENTS / "typescript"
    lock, installed = folder / "package-lock.json", folder / "node_modules" / ".package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < lock.stat().st_mtime:
        run(folder, "npm", "ci", "--silent")
    return folder


def generate(language: str, place: Path) -> None:
    """Write a language's stubs below `place`."""
    if language == "go":
        run(CLIENTS / "go", BUF, "generate", str(PROTOS), *PUBLIC, "-o", str(place))
        return
    folder = packages()
    run(folder, BUF, "generate", str(PROTOS), *PUBLIC, "-o", str(place))
    # The details of errors, which are Google's.
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "google/rpc").mkdir(parents=True)
        details = files("google.rpc") / "error_details.proto"
        (Path(scratch) / "google/rpc/error_details.proto").write_bytes(details.read_bytes())
        run(folder, BUF, "generate", scratch, "-o", str(place))


def generate_all(check: bool) -> None:
    """Write the committed stubs, or say which differ."""
    changed: list[str] = []
    for language in ("go", "typescript"):
        if tool := missing(language):
            print(f"clients: there is no {tool} here; stubs of {language} are passed over")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            generate(language, Path(scratch))
            fresh, kept = Path(scratch) / "gen", CLIENTS / language / "gen"
            if check:
                changed += [f"{language}/{name}" for name in differences(fresh, kept)]
            else:
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(fresh, kept)
    if changed:
        named = ", ".join(changed)
        raise SystemExit(f"clients/ is not what protos/ give; run make clients-gen: {named}")


def made_since(made: Path, *sources: Path) -> bool:
    """Whether a file was written after all that is below its sources: Maven takes half a minute of
    a processor to find that nothing is to be done."""
    if not made.is_file():
        return False
    files = [path for source in sources for path in (source, *source.rglob("*"))]
    return made.stat().st_mtime > max(path.stat().st_mtime for path in files)


def build(language: str) -> list[str]:
    """Build a client with its example and its runner; the command that runs the runner."""
    folder = CLIENTS / language
    if language == "go":
        MADE.mkdir(exist_ok=True)
        run(folder, "go", "build", "-o", f"{MADE}/", "./conformance", "./examples/ask")
        return [str(MADE / "conformance")]
    if language == "typescript":
        run(packages(), "npm", "run", "--silent", "build")
        return ["node", str(folder / "dist/conformance/main.js")]
    paths = folder / "target/classpath"
    if not made_since(paths, folder / "pom.xml", folder / "src", PROTOS):
        run(
            folder,
            "mvn",
            "--batch-mode",
            "--quiet",
            "test-compile",
            "dependency:build-classpath",
            f"-Dmdep.outputFile={paths}",
        )
        paths.touch()  # it is left alone where it would say the same
    return java(folder, "internal.assay.conformance.Main")


def java(folder: Path, program: str) -> list[str]:
    """The command that runs a program of the built Java client."""
    paths = (folder / "target/classpath").read_text(encoding="utf-8").strip()
    classes = f"{folder}/target/classes:{folder}/target/test-classes:{paths}"
    # It runs for seconds: what compiles it well costs more than it saves.
    quick = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    opened = "--add-opens=java.base/java.nio=ALL-UNNAMED"
    return ["java", *quick, opened, "-cp", classes, program]


def main(arguments: list[str]) -> None:
    """Do what is asked."""
    if arguments[:1] == ["generate"]:
        generate_all("--check" in arguments)
    elif arguments[:1] == ["build"]:
        for language in arguments[1:] or list(TOOLS):
            if tool := missing(language):
                print(f"clients: there is no {tool} here; {language} is passed over")
            else:
                build(language)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
