"""Secrets come from files as well as from the environment, and are told nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.settings import GatewaySettings
from mesh.config import MeshSettings, load
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.secret_files import is_secret
from services.executor.settings import ExecutorSettings
from services.memory.settings import MemorySettings
from services.planner.settings import PlannerSettings

KEY = "k3y-" * 10
SECRET = {
    MeshSettings: {"mesh_key"},
    GatewaySettings: {"gateway_database", "gateway_oidc_secret", "gateway_smtp_password"},
    PlannerSettings: {"planner_database", "llm_key", "llm_fallback_key"},
    MemorySettings: {"memory_qdrant_key"},
    ExecutorSettings: {
        "executor_database",
        "executor_connections",
        "executor_store_key",
        "executor_store_secret",
        "executor_ticket_keys",
        "executor_masking_key",
        "executor_mcp_servers",
    },
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text(f"{KEY}\n")
    return path


@pytest.mark.parametrize("kind", SECRET, ids=lambda kind: kind.__name__)
def test_every_setting_that_is_secret_can_be_a_file(kind: type[MeshSettings]) -> None:
    own = {
        name
        for name, field in kind.model_fields.items()
        if is_secret(field) and name not in (set() if kind is MeshSettings else {"mesh_key"})
    }
    assert own == SECRET[kind]


def test_a_key_is_read_from_its_file_and_shown_nowhere(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_MESH_KEY_FILE", str(file))
    settings = load(MeshSettings)
    assert settings.mesh_key.get_secret_value() == KEY
    assert KEY not in repr(settings) + str(settings)


def test_an_address_with_a_password_and_json_are_read_as_from_the_environment(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("postgresql+pg8000://assay:pa55@db/assay\n")
    monkeypatch.setenv("ASSAY_GATEWAY_DATABASE_FILE", str(file))
    assert load(GatewaySettings).database_url() == "postgresql+pg8000://assay:pa55@db/assay"
    assert "pa55" not in repr(load(GatewaySettings))
    file.write_text('{"shop": "postgresql://reader:pa55@db/shop"}')
    monkeypatch.setenv("ASSAY_EXECUTOR_CONNECTIONS_FILE", str(file))
    held = load(ExecutorSettings).executor_connections["shop"]
    assert held.get_secret_value() == "postgresql://reader:pa55@db/shop"


@pytest.mark.parametrize("fault", ["absent", "empty", "both", "short"])
def test_a_file_that_cannot_be_used_stops_the_start_and_is_not_repeated(
    file: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setenv("ASSAY_MESH_KEY_FILE", str(file))
    if fault == "absent":
        file.unlink()
    elif fault == "empty":
        file.write_text(" \n")
    elif fault == "both":
        monkeypatch.setenv("ASSAY_MESH_KEY", "e" * 40)
    else:
        file.write_text("sh0rt")
    with pytest.raises(AssayError) as refused:
        load(MeshSettings)
    assert refused.value.reason is INVALID_ARGUMENT
    assert "ASSAY_MESH_KEY" in refused.value.message
    for secret in (KEY, "sh0rt", "e" * 40):
        assert secret not in f"{refused.value} {refused.value.fields}"


def test_what_is_no_secret_is_not_read_from_a_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_LISTEN_FILE", str(file))
    assert load(MeshSettings).listen == ""
