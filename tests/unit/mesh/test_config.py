"""Settings: from the environment, checked at boot, never changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from mesh.config import PORTS, SERVICES, MeshSettings, load
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.homes import home_folder
from services.executor.settings import ExecutorSettings
from services.planner.settings import PlannerSettings


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "LISTEN", "DRAIN_SECONDS", "LOCAL_PATHS"):
        monkeypatch.delenv(f"ASSAY_{name}", raising=False)


def test_every_service_has_an_address_of_its_own() -> None:
    settings = load(MeshSettings)
    addresses = [settings.address(name) for name in SERVICES]
    assert addresses == [f"127.0.0.1:{PORTS[name]}" for name in SERVICES]
    assert len(set(addresses)) == len(SERVICES)


def test_paths_of_the_server_are_closed_unless_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not load(MeshSettings).local_paths
    monkeypatch.setenv("ASSAY_LOCAL_PATHS", "true")
    assert load(MeshSettings).local_paths


def test_what_is_given_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_PLANNER_ADDRESS", "dns:///planner:7401")
    assert load(MeshSettings).address("planner") == "dns:///planner:7401"
    assert load(MeshSettings, planner_address="unix:/p").address("planner") == "unix:/p"


def test_a_bad_setting_is_named_as_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_DRAIN_SECONDS", "soon")
    with pytest.raises(AssayError) as refused:
        load(MeshSettings)
    assert refused.value.reason is INVALID_ARGUMENT
    assert list(refused.value.fields) == ["ASSAY_DRAIN_SECONDS"]
    assert "ASSAY_DRAIN_SECONDS" in refused.value.message


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("PROBE_SECONDS", "30", "must be greater than 0 and at most 10"),
        ("PROBE_SECONDS", "0", "must be greater than 0 and at most 10"),
        ("CALL_SECONDS", "1e9", "must be greater than 0 and at most 180"),
        ("QUEUE_JOBS", "0", "must be at least 1"),
        ("TURN_SECONDS", "5", "must be greater than 5"),
    ],
)
def test_a_number_out_of_bounds_is_told_with_all_of_them(
    monkeypatch: pytest.MonkeyPatch, name: str, given: str, said: str
) -> None:
    monkeypatch.setenv(f"ASSAY_PLANNER_{name}", given)
    with pytest.raises(AssayError) as refused:
        load(PlannerSettings)
    assert refused.value.fields == {f"ASSAY_PLANNER_{name}": said}
    assert refused.value.message == f"settings are not valid: ASSAY_PLANNER_{name}: {said}"
    assert "docs/operations.md" in refused.value.remedy


def test_a_large_bound_is_told_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_EXECUTOR_SANDBOX_MEMORY_BYTES", "1")
    with pytest.raises(AssayError, match="must be at least 67,108,864"):
        load(ExecutorSettings)


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError):
        load(MeshSettings).listen = "127.0.0.1:1"


def test_home_is_what_was_said_then_the_variable_then_the_platforms_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert home_folder().name == "assay"
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "from-environment"))
    assert home_folder() == tmp_path / "from-environment"
    assert home_folder(tmp_path / "said") == tmp_path / "said"


def test_folders_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    folder = load(MeshSettings, home=tmp_path).folder("audit", "entries")
    assert folder == tmp_path / "audit" / "entries"
    assert folder.stat().st_mode & 0o777 == 0o700
