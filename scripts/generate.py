"""Compile protos/ into gen/ with the pinned compiler: `python -m scripts.generate [--check]`.

With --check nothing is written: exit status 1 says that the committed code is not what the
compiler makes of the contracts.
"""

from __future__ import annotations

import filecmp
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
GENERATED = ROOT / "gen"


def compile_into(folder: Path) -> None:
    """Write Python modules, gRPC stubs and type stubs for every contract into `folder`."""
    from grpc_tools import protoc

    sources = sorted(str(path.relative_to(PROTOS)) for path in PROTOS.rglob("*.proto"))
    programs = Path(sys.executable).parent
    arguments = [
        "protoc",
        *(
            f"--plugin={name}={programs / name}"
            for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")
        ),
        f"-I{PROTOS}",
        f"-I{files('grpc_tools') / '_proto'}",
        f"--python_out={folder}",
        f"--grpc_python_out={folder}",
        f"--mypy_out=quiet:{folder}",
        f"--mypy_grpc_out=quiet,only_async:{folder}",
        *sources,
    ]
    if protoc.main(arguments) != 0:
        raise SystemExit("the contracts do not compile; see the messages above")
    for directory in [folder / "assay", *(p for p in (folder / "assay").rglob("*") if p.is_dir())]:
        (directory / "__init__.py").touch()
    # What people import from the package itself is the one file in it that is written by hand.
    shutil.copyfile(GENERATED / "assay/__init__.py", folder / "assay/__init__.py")


def differences(left: Path, right: Path) -> list[str]:
    """Paths below the two folders that are missing on one side or differ."""
    names = {
        path.relative_to(side)
        for side in (left, right)
        for path in side.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    return sorted(
        str(name)
        for name in names
        if not (left / name).exists()
        or not (right / name).exists()
        or not filecmp.cmp(left / name, right / name, shallow=False)
    )


def main() -> None:
    """Generate, or with --check compare."""
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch)
        compile_into(fresh)
        if "--check" in sys.argv[1:]:
            changed = differences(fresh, GENERATED)
            if changed:
                raise SystemExit(
                    "gen/ is not what protos/ give; run make gen: " + ", ".join(changed)
                )
            return
        shutil.rmtree(GENERATED, ignore_errors=True)
        shutil.copytree(fresh, GENERATED)


if __name__ == "__main__":
    main()
