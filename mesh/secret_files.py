"""Secrets from files: ASSAY_<NAME>_FILE names a file that holds what ASSAY_<NAME> would.

For settings that are secret, keys and addresses with passwords: an environment is shown by tools
that list processes and is inherited, a mounted file is not. Files are read once, at the start.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource

from mesh.errors import INVALID_ARGUMENT, AssayError


def is_secret(field: FieldInfo) -> bool:
    """Whether a setting holds secrets: as its type says, or because it is never shown."""
    return (
        not field.repr or "Secret" in str(field.annotation) or "McpServer" in str(field.annotation)
    )


class SecretFiles(EnvSettingsSource):
    """What such files hold, as if the environment held it.

    Raises AssayError(INVALID_ARGUMENT) for a file that cannot be read or is empty, and where the
    variable is set beside it; what a file holds is never repeated.
    """

    def __init__(self, settings_cls: type[BaseSettings]) -> None:
        super().__init__(settings_cls)
        fields = settings_cls.model_fields
        prefix = str(settings_cls.model_config.get("env_prefix", ""))
        found: dict[str, str | None] = {}
        for name, field in fields.items():
            variable = f"{prefix}{name}".upper()
            place = os.environ.get(f"{variable}_FILE", "")
            # A setting that is such a file's name already is read where it is used.
            if place and is_secret(field) and f"{name}_file" not in fields:
                found[variable.lower()] = _held(variable, Path(place).expanduser())
        self.env_vars: Any = found


def _held(variable: str, place: Path) -> str:
    if os.environ.get(variable):
        raise _invalid(variable, f"{variable} is set too: one of them says what holds")
    try:
        held = place.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise _invalid(variable, f"{place} cannot be read: {why}") from None
    if not held:
        raise _invalid(variable, f"{place} is empty")
    return held


def _invalid(variable: str, what: str) -> AssayError:
    name = f"{variable}_FILE"
    return AssayError(
        INVALID_ARGUMENT, f"settings are not valid: {name}: {what}", fields={name: what}
    )
