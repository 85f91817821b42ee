"""The Python client as a package of its own, in an environment that holds nothing else of Assay."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts import client_wheel
from tests.busy import allowing
from tests.clients.served import World

pytestmark = pytest.mark.timeout(600)
ROOT = client_wheel.ROOT
UV = Path(sys.executable).parent / "uv"

PROGRAM = """
import asyncio, json, sys
from pathlib import Path
from assay import Assay, AssayClient, Question, within
from mesh.errors import AssayError

settings = json.loads(Path(sys.argv[1]).read_text())
orders = settings["fixtures"] + "/orders.csv"
question = Question("total quantity by region", data=(orders,), timeout_seconds=180)
whom = dict(token=settings["tokens"]["analyst"], authority=Path(settings["authority"]))
told = {}
with Assay(settings["targets"]["direct"], **whom) as assay:
    job = assay.ask(question)
    told["text"] = job.answer.text
    told["rows"] = assay.table(job).to_pylist()
    told["ok"] = assay.verify(job.job_id).ok
    told["events"] = [event.sequence for event in assay.watch(job.job_id)]
    for event in assay.watch(job.job_id):
        break
    try:
        assay.table(assay.ask(Question(statement="drop table orders", data=(orders,))))
    except AssayError as error:
        told["refused"] = error.reason.code
with Assay(settings["targets"]["direct"], seconds=0.000001, **whom) as assay:
    try:
        assay.verify(job.job_id)
    except AssayError as error:
        told["late"] = error.reason.code

async def again():
    async with AssayClient(settings["targets"]["direct"], **whom) as client:
        with within(60):
            return (await client.get_job(job.job_id)).answer.text

told["again"] = asyncio.run(again())
told["loaded"] = sorted({name.split(".")[0] for name in sys.modules})
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return client_wheel.build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the package, and with what it says that it needs.

    That is taken over from this environment, file by file, as no index is asked here.
    """
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, folder], check=True)
    made = folder / "bin/python"
    install = [
        "pip",
        "install",
        "--quiet",
        "--offline",
        "--no-deps",
        "--python",
        str(made),
        str(wheel),
    ]
    subprocess.run([UV, *install], check=True)
    packages = next((folder / "lib").glob("python*/site-packages"))
    project = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text("utf-8"))["project"]
    for one in required([*project["dependencies"], *project["optional-dependencies"]["arrow"]]):
        for file in one.files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                taken_over(Path(str(one.locate_file(file))), packages / file)
    return made


def taken_over(source: Path, target: Path) -> None:
    """Have a file there too, and what it was compiled to: the interpreter is the same."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(source)
    compiled = source.parent / "__pycache__"
    if (
        source.suffix == ".py"
        and compiled.is_dir()
        and not (target.parent / compiled.name).exists()
    ):
        (target.parent / compiled.name).symlink_to(compiled)


def required(wanted: list[str]) -> list[Distribution]:
    """What is installed here of what is wanted, and of what that wants."""
    found: dict[str, Distribution] = {}
    waiting = [Requirement(one) for one in wanted]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        found[name] = distribution(name)
        waiting += [Requirement(one) for one in found[name].requires or ()]
    return list(found.values())


def test_no_module_of_a_service_is_in_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    assert not [name for name in names if name.startswith(("services/", "gateway/", "examples/"))]
    assert not [name for name in names if name.split("/")[:2] in (["assay", "planner"],)]
    assert {"assay/py.typed", "clients/py.typed", "mesh/py.typed"} <= set(names)
    assert sum(info.file_size for info in zipfile.ZipFile(wheel).infolist()) < 2_500_000


def test_it_asks_for_nothing_that_the_whole_does_not() -> None:
    whole, client = (
        tomllib.loads((ROOT / path).read_text(encoding="utf-8"))["project"]
        for path in ("pyproject.toml", "clients/python/pyproject.toml")
    )
    extras = client["optional-dependencies"].values()
    wanted = {*client["dependencies"], *(one for extra in extras for one in extra)}
    kept = {*whole["dependencies"], *whole["optional-dependencies"]["mcp"]}
    api = "opentelemetry-api>=1.45"  # which opentelemetry-sdk of the same version brings

    assert client["version"] == whole["version"]
    assert {one for one in wanted - kept if not one.startswith("assay-client[")} == {api}


def test_it_asks_and_reads_and_verifies(python: Path, world: World, tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps(world.settings_for("package")), encoding="utf-8")

    done = subprocess.run(
        [python, "-c", PROGRAM, settings],
        capture_output=True,
        text=True,
        timeout=allowing(180),
        check=False,
        cwd=tmp_path,
    )

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert "North" in told["text"] and told["again"] == told["text"]
    assert told["rows"][0] == {"region": "North", "total quantity": 12}
    assert told["ok"] and told["late"] == "TIMEOUT" and told["refused"] == "SQL_REFUSED"
    assert told["events"] == list(range(1, len(told["events"]) + 1))
    heavy = {"services", "gateway", "duckdb", "pandas", "pydantic", "rich", "sqlalchemy", "typer"}
    assert not heavy & set(told["loaded"])
