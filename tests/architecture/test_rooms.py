from __future__ import annotations

import tomllib
from fnmatch import fnmatch
from typing import Any

import pytest

from tests.architecture.tree import ROOT, files

HOMES = {
    "gateway": "gateway",
    **{name: f"services/{name}" for name in ("planner", "executor", "memory", "audit")},
}


def contracts() -> dict[str, dict[str, Any]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {item["name"]: item for item in settings["tool"]["importlinter"]["contracts"]}


@pytest.mark.parametrize("service", HOMES)
def test_every_service_has_the_same_rooms(service: str) -> None:
    home = ROOT / HOMES[service]

    assert (home / "settings.py").is_file()
    assert (home / "domain" / "__init__.py").is_file()
    assert (home / "ports.py").is_file()
    assert [*home.glob("app*.py"), *home.glob("*/app.py")], "no use cases: app.py, <topic>/app.py"
    assert (home / "adapters" / "__init__.py").is_file()
    assert [*home.glob("rpc*.py"), *home.glob("*/rpc.py")], "no wire: rpc.py, <topic>/rpc.py"
    assert (home / "service.py").is_file()


def test_every_file_of_a_topic_of_the_gateway_is_in_an_import_contract() -> None:
    named = [
        pattern
        for contract in (
            "Use cases know domain and ports",
            "The wire knows use cases, not adapters",
        )
        for pattern in contracts()[contract]["source_modules"]
    ]
    wiring = {"gateway.admission.roles"}
    of_topics = {
        ".".join(path.with_suffix("").parts)
        for path in files()
        if path.parts[0] == "gateway"
        and len(path.parts) == 3
        and path.parts[1] not in ("adapters", "domain")
        and path.suffix == ".py"
        and path.name != "__init__.py"
    }

    assert {
        module
        for module in of_topics - wiring
        if not any(fnmatch(module, pattern) for pattern in named)
    } == set()


def test_only_the_process_itself_names_every_service() -> None:
    naming = [
        path.as_posix()
        for path in files()
        if path.suffix == ".py"
        and path.parts[0] in ("mesh", "services", "gateway", "clients")
        and all(
            f"{home.replace('/', '.')}.service" in (ROOT / path).read_text(encoding="utf-8")
            for home in HOMES.values()
        )
    ]

    assert naming == ["services/__main__.py"]
