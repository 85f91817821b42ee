"""Where a model's key comes from, and what is said when something of its settings is wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from mesh.config import load
from mesh.errors import AssayError
from services.planner.adapters.llm.endpoint import api_key
from services.planner.settings import PlannerSettings
from tests.unit.planner.llm_world import KEY, world


def settings(**values: Any) -> PlannerSettings:
    return PlannerSettings(**{"llm": "openai:scripted", **values})


def test_a_key_is_taken_as_set_then_from_its_file_then_from_the_providers_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "key"
    file.write_text("sk-from-file\n")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-anthropic")

    assert api_key(settings(llm_key=KEY, llm_key_file=file).places[0]) == KEY
    assert api_key(settings(llm_key_file=file).places[0]) == "sk-from-file"
    assert api_key(settings().places[0]) == "sk-openai"
    assert api_key(settings(llm="anthropic:scripted").places[0]) == "sk-anthropic"


def test_no_key_is_none_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    assert api_key(settings().places[0]) == ""


def test_a_key_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"ASSAY_LLM_KEY_FILE: .*absent cannot be read"):
        api_key(settings(llm_key_file=tmp_path / "absent").places[0])


@pytest.mark.parametrize(("held", "why"), [("", "holds no key"), ("sk-a\nsk-b", "is no key")])
def test_what_cannot_be_a_key_is_refused_at_the_start_and_not_repeated(
    tmp_path: Path, held: str, why: str
) -> None:
    file = tmp_path / "key"
    file.write_text(held)

    with pytest.raises(AssayError, match=why) as refused:
        api_key(settings(llm_key_file=file).places[0])

    assert "sk-" not in str(refused.value)


@pytest.mark.parametrize("place", ["http://ann:secret@host/v1", "http://host/v1?key=secret"])
def test_an_address_holds_no_secret_because_addresses_are_logged(place: str) -> None:
    with pytest.raises(AssayError, match="the key goes into ASSAY_LLM_KEY") as refused:
        load(PlannerSettings, llm_base_url=place)

    assert "secret" not in refused.value.message


def test_prices_that_are_no_json_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_LLM_PRICES", "cheap")

    with pytest.raises(AssayError, match="ASSAY_LLM_PRICES: must be JSON"):
        load(PlannerSettings)


def test_settings_do_not_show_the_key() -> None:
    assert KEY not in repr(settings(llm_key=KEY))
    assert KEY not in str(settings(llm_key=KEY).model_dump())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("llm", "gpt-5"),
        ("llm", "mistral:large"),
        ("llm_fallback", "gpt-5"),
        ("llm_fallback_base_url", "http://host/v1?key=secret"),
        ("llm_base_url", "file:///etc/passwd"),
        ("llm_output", "xml"),
        ("llm_seconds", "0"),
    ],
)
def test_a_bad_setting_is_named_at_the_start(name: str, value: str) -> None:
    with pytest.raises(AssayError, match=f"ASSAY_{name.upper()}"):
        load(PlannerSettings, **{name: value})


async def test_without_the_libraries_it_is_said_how_to_install_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "services.planner.adapters.llm.asking", raising=False)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)

    with pytest.raises(AssayError, match="pydantic_ai is not installed") as refused:
        async with world(tmp_path):
            pass

    assert 'pip install "assay[llm]"' in refused.value.remedy


def test_a_model_is_never_given_the_tool_that_asks_servers_elsewhere() -> None:
    assert "domain.call" not in settings().llm_tools
    with pytest.raises(ValueError, match="sent elsewhere"):
        settings(llm_tools="sql.run, domain.call")
