"""Build the Python client as a package of its own: `python -m scripts.client_wheel FOLDER`.

In it are clients/python and the modules that it imports, found by reading them, and nothing of the
services. What it needs and is called is in clients/python/pyproject.toml.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLIENT = ROOT / "clients/python"
OURS = ("assay", "clients", "gateway", "mesh", "services")
PLACES = (ROOT, ROOT / "gen")


def located(module: str) -> Path | None:
    """Where a module of ours is; None for a name within one."""
    for place in PLACES:
        path = place.joinpath(*module.split("."))
        if path.with_suffix(".py").is_file():
            return path.with_suffix(".py")
        if (path / "__init__.py").is_file():
            return path / "__init__.py"
    return None


def imported(path: Path) -> Iterator[str]:
    """What a module of ours imports of ours, at once or later; names within modules too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] in OURS)


def needed(roots: Iterable[str]) -> dict[str, Path]:
    """The modules that the roots import, and what those import, with their packages."""
    found: dict[str, Path] = {}
    waiting = list(roots)
    while waiting:
        module = waiting.pop()
        path = None if module in found else located(module)
        if path is None:
            continue
        found[module] = path
        waiting += [*imported(path), *([module.rpartition(".")[0]] if "." in module else [])]
    return found


def client_modules() -> dict[str, Path]:
    """All modules of the package."""
    own = (path for path in CLIENT.rglob("*.py"))
    return needed(".".join(path.relative_to(ROOT).with_suffix("").parts) for path in own)


def build(folder: Path) -> Path:
    """Write the wheel into `folder`; its path. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for path in client_modules().values():
            base = next(place for place in reversed(PLACES) if path.is_relative_to(place))
            beside = (path.with_suffix(end) for end in (".pyi", ".json"))
            copied = [path, *(one for one in beside if one.is_file())]
            for one in copied:
                place = root / one.relative_to(base)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(one, place)
        for package in ("assay", "clients", "mesh"):
            (root / package / "__init__.py").touch()
            (root / package / "py.typed").touch()
        for name in ("pyproject.toml", "README.md"):
            shutil.copyfile(CLIENT / name, root / name)
        subprocess.run(
            [
                sys.executable,
                "-m",
                "hatchling",
                "build",
                "--target",
                "wheel",
                "--directory",
                str(folder.absolute()),
            ],
            cwd=root,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return max(folder.glob("assay_client-*.whl"), key=lambda one: one.stat().st_mtime)


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))
