"""Settings: read once, checked at boot, immutable afterwards.

Every service has a settings class of its own that extends `ServiceSettings`. A value comes from
the environment as ASSAY_<SERVICE>_<NAME>, or ASSAY_<NAME> for those every service shares.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.homes import home_folder
from mesh.secret_files import SecretFiles
from mesh.storage.address import checked_address

SERVICES = ("gateway", "planner", "executor", "memory", "audit")
SHORTEST_KEY = 32
_BOUNDS = {"gt": "greater than", "ge": "at least", "lt": "less than", "le": "at most"}
PORTS = {name: 7400 + number for number, name in enumerate(SERVICES)}


def _usable(address: str) -> str:
    return checked_address(address) if address else address


DatabaseAddress = Annotated[str, AfterValidator(_usable)]
"""Where a service keeps its state, as `mesh.storage.server` understands it; may be empty."""


class MeshSettings(BaseSettings):
    """What every service needs to know: the home folder and where its peers are.

    Addresses are gRPC targets (host:port, dns:///name:port or unix:/path).
    """

    model_config = SettingsConfigDict(env_prefix="ASSAY_", frozen=True, extra="ignore")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is given, else the environment, else the files that it names for secrets."""
        return init_settings, env_settings, SecretFiles(settings_cls)

    home: Path = Path()
    """The home folder; the platform's own place for data if not given."""

    gateway_address: str = f"127.0.0.1:{PORTS['gateway']}"
    """Where the gateway is called."""

    planner_address: str = f"127.0.0.1:{PORTS['planner']}"
    """Where planners are called."""

    executor_address: str = f"127.0.0.1:{PORTS['executor']}"
    """Where executors are called."""

    memory_address: str = f"127.0.0.1:{PORTS['memory']}"
    """Where memory is called."""

    audit_address: str = f"127.0.0.1:{PORTS['audit']}"
    """Where audit is called."""

    listen: str = ""
    """Where this process listens; empty means the address its peers dial for it."""

    public: str = ""
    """An address where strangers may call too: they reach the gateway alone, and name no files of
    this machine."""

    web: str = ""
    """Where the gateway speaks the public contract over HTTP, and serves the console to browsers;
    empty for nowhere."""

    health: str = ""
    """An address where health is told, and nothing else, without TLS: for probes. Empty for none
    but the services' own addresses."""

    migrations: Literal["run", "check"] = "run"
    """Whether a service brings its database to the newest schema itself, or refuses to start until
    `python -m services migrate` did."""

    migrations_wait_seconds: float = Field(default=60.0, ge=0)
    """With `check`, for how long a service that starts waits for its schema before it ends."""

    mesh_key: SecretStr = SecretStr("")
    """What the services of a mesh know one another by: the same for all, at least 32 characters.
    Several are separated by commas: the first seals, all of them are believed. Empty means a key in
    the home folder, which will do while all services are on this machine."""

    tls_certificate: Path | None = None
    """This process's certificate in PEM, with which services prove to one another who they are."""

    tls_key: Path | None = None
    """Its private key."""

    tls_authority: Path | None = None
    """The certificates that must have signed the peers' ones."""

    public_certificate: Path | None = None
    """The certificate in PEM, with those that signed it, that people's clients see."""

    public_key: Path | None = None
    """Its private key."""

    trace_days: float = Field(default=30.0, gt=0)
    """How long a trace's file is kept after its last span."""

    trace_bytes: int = Field(default=1 << 30, ge=0)
    """Most bytes of all traces' files in the home; beyond it the oldest go. 0 for no limit."""

    drain_seconds: float = 20.0
    """How long calls may finish after the process was asked to stop."""

    slow_reader_seconds: float = Field(default=60.0, gt=0)
    """Whoever reads nothing of a stream for so long is cut off."""

    local_paths: bool = False
    """Whether requests may name files of the executor's own machine (embedded meshes only)."""

    lasting: bool = True
    """Whether everything that may be needed is made ready at the start, for whoever calls, rather
    than by the first call that needs it, as a command's mesh does."""

    soon: frozenset[str] = frozenset()
    """Services that a command is sure to call, made beside its own preparations with what they
    need at once; and names of tools, which have a dot, of which the same holds."""

    @field_validator("mesh_key")
    @classmethod
    def _are_long(cls, keys: SecretStr) -> SecretStr:
        given = keys.get_secret_value()
        if given and any(len(key.strip()) < SHORTEST_KEY for key in given.split(",")):
            raise ValueError(f"has fewer than {SHORTEST_KEY} characters")
        return keys

    @model_validator(mode="after")
    def _all_of_tls(self) -> MeshSettings:
        given = [self.tls_certificate, self.tls_key, self.tls_authority]
        if any(given) and not all(given):
            raise ValueError(
                "ASSAY_TLS_CERTIFICATE, ASSAY_TLS_KEY and ASSAY_TLS_AUTHORITY belong together"
            )
        if (self.public_certificate is None) != (self.public_key is None):
            raise ValueError("ASSAY_PUBLIC_CERTIFICATE and ASSAY_PUBLIC_KEY belong together")
        return self

    def address(self, service: str) -> str:
        """The target of a peer."""
        return str(getattr(self, f"{service}_address"))

    def folder(self, *parts: str) -> Path:
        """A folder below the home folder, made if need be, readable by its owner alone."""
        path = (self.home if self.home != Path() else home_folder()).joinpath(*parts)
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        return path


def _violations(
    kind: type[BaseSettings], error: ValidationError | SettingsError
) -> list[tuple[str, str]]:
    """The field and what is wrong with it, of each."""
    if isinstance(error, ValidationError):
        found = [("_".join(map(str, item["loc"][:1])), item) for item in error.errors()]
        return [
            (name, _bounds(kind, name) if _BOUNDS.keys() & item.get("ctx", {}) else item["msg"])
            for name, item in found
        ]
    field = re.search(r'field "(\w+)"', str(error))  # a library's sentence: it has no attribute
    return [(field.group(1) if field else "", "must be JSON")]


def _bounds(kind: type[BaseSettings], name: str) -> str:
    """What a number must be, all of it: whoever mends it by one bound may meet the other."""
    declared = kind.model_fields[name].metadata
    return "must be " + " and ".join(
        f"{words} {getattr(each, bound):,}"
        for each in declared
        for bound, words in _BOUNDS.items()
        if hasattr(each, bound)
    )


SettingsT = TypeVar("SettingsT", bound=BaseSettings)


def load(kind: type[SettingsT], **values: Any) -> SettingsT:
    """Settings of `kind`, complete and valid.

    Raises AssayError(INVALID_ARGUMENT) naming each bad setting as its environment variable.
    """
    try:
        return kind(**values)
    except (ValidationError, SettingsError) as error:
        prefix = str(kind.model_config.get("env_prefix", ""))
        fields = {
            f"{prefix}{name}".upper() if name else "settings": text.removeprefix("Value error, ")
            for name, text in _violations(kind, error)
        }
        listing = "; ".join(
            text if name == "settings" else f"{name}: {text}" for name, text in fields.items()
        )
        raise AssayError(
            INVALID_ARGUMENT,
            f"settings are not valid: {listing}",
            fields=fields,
            hint="Mend it, or leave it away for its default: docs/operations.md has all settings.",
        ) from error
