from __future__ import annotations

import tomllib
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
    assert list(home.glob("app*.py")), "no use cases: app.py, or app_<topic>.py"
    assert (home / "adapters" / "__init__.py").is_file()
    assert list(home.glob("rpc*.py")), "no wire: rpc.py, or rpc_<topic>.py"
    assert (home / "service.py").is_file()


@pytest.mark.parametrize(
    ("contract", "pattern"),
    [
        ("Use cases know domain and ports", "gateway/app_"),
        ("The wire knows use cases, not adapters", "gateway/rpc_"),
    ],
)
def test_no_file_of_the_gateway_is_outside_the_import_contracts(
    contract: str, pattern: str
) -> None:
    named = set(contracts()[contract]["source_modules"])
    there = {
        path.with_suffix("").as_posix().replace("/", ".")
        for path in files()
        if path.as_posix().startswith(pattern)
    }

    assert there - named == set()


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
