"""Settings of the gateway, from ASSAY_* and ASSAY_GATEWAY_* variables."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import SettingsConfigDict

from gateway.domain.allowance import CallLimits
from gateway.domain.retention import Retention
from gateway.domain.standing import StandingRule
from mesh.config import DatabaseAddress, MeshSettings, load

MEBIBYTE = 1024 * 1024
GIBIBYTE = 1024 * MEBIBYTE
ALGORITHMS = frozenset({"RS256", "ES256", "EdDSA"})


def listed(text: str) -> frozenset[str]:
    """What commas separate."""
    return frozenset(part.strip() for part in text.split(",") if part.strip())


class GatewaySettings(MeshSettings):
    """Where sessions and files are recorded, and their limits (seed 002)."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_", frozen=True, extra="ignore")

    gateway_database: DatabaseAddress = Field(default="", repr=False)
    """Its URL; empty means SQLite in the home folder."""

    gateway_session_files: int = Field(default=10, ge=1)
    """Most files in a session."""

    gateway_file_bytes: int = Field(default=50 * MEBIBYTE, ge=1)
    """Most bytes in a file."""

    gateway_session_hours: float = Field(default=24.0, gt=0)
    """How long a session lasts."""

    gateway_sweep_seconds: float = Field(default=600.0, gt=0)
    """How often expired sessions give up their files and documents."""

    gateway_job_hours: float = Field(default=168.0, ge=0)
    """How long a job without a session keeps more than its answer is proved with; 0 for ever."""

    gateway_keep_days: float = Field(default=0.0, ge=0)
    """How long sessions whose time is over, jobs without one and pages keep anything; 0: ever."""

    gateway_hold_seconds: float = Field(default=300.0, ge=1)
    """How long a content is kept for an upload whose last bytes have come."""

    gateway_verified_frame_bytes: int = Field(default=512 * MEBIBYTE, ge=1)
    """The largest frame that is read for checking claims."""

    gateway_tenant_rate: float = Field(default=100.0, ge=0)
    """Calls that one tenant may make a second in the long run; 0 for no limit."""

    gateway_tenant_burst: int = Field(default=400, ge=1)
    """Calls that it may make at once after a pause."""

    gateway_tenant_calls: int = Field(default=200, ge=0)
    """Calls of one tenant that may be under way at once, streams included; 0 for no limit."""

    gateway_readers: int = Field(default=64, ge=0)
    """Streams of frames, files and artifacts that are sent at once, half of them for any one
    tenant; 0 for no limit."""

    gateway_tenant_bytes: int = Field(default=10 * GIBIBYTE, ge=0)
    """Most bytes of all files of one tenant's sessions and of its pages together; 0: no limit."""

    gateway_auth: Literal["local", "tokens"] = "local"
    """Who is believed without a token: "local" believes callers on this machine to be whom they
    name, "tokens" nobody but whoever calls over this user's own socket."""

    gateway_platform_tenant: str = "local"
    """Whose operators are told what is the mesh's own: addresses, machines, versions of processes,
    disks, and sums over all tenants. Empty for nobody."""

    gateway_jwt_keys: Path | None = None
    """The public keys of those who sign tokens: a JWK set, or a folder of files KEY_ID.pem."""

    gateway_jwt_issuers: str = ""
    """Whose tokens are believed, separated by commas."""

    gateway_jwt_audiences: str = ""
    """Whom a token must be meant for, one of these, separated by commas."""

    gateway_jwt_algorithms: str = "RS256,ES256,EdDSA"
    """Which of the three signatures are believed, separated by commas."""

    gateway_jwt_leeway_seconds: float = Field(default=30.0, ge=0, le=300)
    """How far the clocks of an issuer and this machine may differ."""

    gateway_jwt_tenant_claim: str = "tenant"
    """The claim that names the tenant; dots lead into claims that are objects."""

    gateway_jwt_user_claim: str = "sub"
    """The claim that names the user."""

    gateway_jwt_roles_claim: str = "roles"
    """The claim that lists roles: reader, analyst, operator; others count for nothing."""

    @field_validator("gateway_jwt_algorithms")
    @classmethod
    def _are_known(cls, text: str) -> str:
        if not listed(text) or listed(text) - ALGORITHMS:
            raise ValueError(f"must name some of {', '.join(sorted(ALGORITHMS))}")
        return text

    @model_validator(mode="after")
    def _check_token_issuers(self) -> GatewaySettings:
        if bool(self.gateway_oidc_issuer) != bool(self.gateway_oidc_client):
            raise ValueError(
                "ASSAY_GATEWAY_OIDC_ISSUER and ASSAY_GATEWAY_OIDC_CLIENT belong together"
            )
        if self.gateway_oidc_issuer and self.gateway_jwt_keys:
            raise ValueError(
                "ASSAY_GATEWAY_OIDC_ISSUER brings its keys itself: leave "
                "ASSAY_GATEWAY_JWT_KEYS, _ISSUERS and _AUDIENCES away"
            )
        named = [self.gateway_jwt_keys, self.gateway_jwt_issuers, self.gateway_jwt_audiences]
        if any(named) and not all(named):
            raise ValueError(
                "ASSAY_GATEWAY_JWT_KEYS, ASSAY_GATEWAY_JWT_ISSUERS and "
                "ASSAY_GATEWAY_JWT_AUDIENCES belong together"
            )
        return self

    gateway_web_url: str = ""
    """By what address people open the console, where that is another, as behind a proxy."""

    gateway_web_origins: str = ""
    """Sites whose pages may call with a token of their own, separated by commas; none by itself."""

    gateway_oidc_issuer: str = ""
    """An OpenID Connect provider at which people may sign in to the console. Its tokens are then
    believed as those of ASSAY_GATEWAY_JWT_ISSUERS are, by keys that it publishes."""

    gateway_oidc_client: str = ""
    """What this console is called at the provider: its client id."""

    gateway_oidc_secret: SecretStr = SecretStr("")
    """The client's secret; empty for a public client, which PKCE protects alone."""

    gateway_oidc_scopes: str = "openid profile"
    """What is asked of the provider, separated by spaces."""

    gateway_sign_in_hours: float = Field(default=12.0, gt=0, le=720)
    """How long a browser stays signed in."""

    gateway_boards_seconds: float = Field(default=3.0, gt=0)
    """How often due boards, runs that ended and alerts are looked for."""

    gateway_unseen_days: float = Field(default=90.0, ge=0)
    """How long boards ask for somebody who signs in elsewhere and was not seen since; 0: ever."""

    gateway_alert_webhooks: str = ""
    """What addresses begin with that alerts may be sent to, separated by commas; none by itself."""

    gateway_smtp_host: str = ""
    """The server that takes alerts as e-mail; empty for none."""

    gateway_smtp_port: int = Field(default=587, ge=1, le=65_535)
    """Its port."""

    gateway_smtp_from: str = ""
    """Whom alerts are from; needed with a host."""

    gateway_smtp_user: str = ""
    """Who signs in there; empty for nobody."""

    gateway_smtp_password: SecretStr = SecretStr("")
    """With this password."""

    gateway_smtp_starttls: bool = True
    """Whether the connection is made secret before anything is said."""

    gateway_smtp_domains: str = ""
    """To whose addresses alerts may go, separated by commas; none by itself."""

    @model_validator(mode="after")
    def _check_ways_out(self) -> GatewaySettings:
        if self.gateway_smtp_host and not self.gateway_smtp_from:
            raise ValueError("ASSAY_GATEWAY_SMTP_HOST needs ASSAY_GATEWAY_SMTP_FROM")
        if any(not one.startswith(("http://", "https://")) for one in self.alert_webhooks):
            raise ValueError(
                "ASSAY_GATEWAY_ALERT_WEBHOOKS lists addresses with http:// or https://"
            )
        return self

    gateway_domains: Path | None = None
    """A YAML file of domains that are everybody's, or those of the tenants it names; see
    docs/domains.md."""

    @classmethod
    def of(cls, settings: MeshSettings) -> GatewaySettings:
        """The gateway's settings in a mesh with `settings`.

        Raises AssayError(INVALID_ARGUMENT) naming each bad setting.
        """
        if isinstance(settings, cls):
            return settings
        return load(cls, **settings.model_dump())

    @property
    def retention(self) -> Retention:
        """How long things stay that nobody deletes."""
        return Retention(
            timedelta(hours=self.gateway_job_hours) if self.gateway_job_hours else None,
            timedelta(days=self.gateway_keep_days) if self.gateway_keep_days else None,
        )

    @property
    def alert_webhooks(self) -> frozenset[str]:
        """What addresses begin with that alerts may be sent to."""
        return listed(self.gateway_alert_webhooks)

    @property
    def call_limits(self) -> CallLimits:
        """What one tenant may call."""
        return CallLimits(
            self.gateway_tenant_rate, self.gateway_tenant_burst, self.gateway_tenant_calls
        )

    @property
    def standing(self) -> StandingRule:
        """On whose behalf boards ask while they are away."""
        unseen = timedelta(days=self.gateway_unseen_days) if self.gateway_unseen_days else None
        return StandingRule(unseen, by_name=self.gateway_auth == "local")

    @property
    def sign_in_lifetime(self) -> timedelta:
        """How long a browser stays signed in."""
        return timedelta(hours=self.gateway_sign_in_hours)

    @property
    def session_lifetime(self) -> timedelta:
        """How long a session lasts."""
        return timedelta(hours=self.gateway_session_hours)

    def database_url(self) -> str:
        """The database to open."""
        if self.gateway_database:
            return self.gateway_database
        return f"sqlite:///{self.folder('gateway') / 'gateway.sqlite'}"
