"""Settings of the executor, from ASSAY_* and ASSAY_EXECUTOR_* variables."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import SettingsConfigDict

from mesh.config import DatabaseAddress, MeshSettings
from services.executor.databases.hosts import HostRules
from services.executor.domains.servers import McpServer
from services.executor.engines.registry import AUTOMATIC, declared
from services.executor.sources.limits import ReadingLimits


class ExecutorSettings(MeshSettings):
    """Where sources, frames and artifacts are kept, and how much runs at once."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_", frozen=True, extra="ignore")

    executor_folder: Path | None = None
    """Root of everything this executor stores; None means a folder in the home folder."""

    executor_threads: int = Field(default=8, ge=1)
    """Tool calls that run at the same time."""

    executor_memory_limit: str = "4GB"
    """Most memory the query engine may use, as DuckDB spells it."""

    executor_reading_seconds: float = Field(default=600.0, gt=0)
    """Most seconds that reading one source may take, the first time it is seen."""

    executor_readings: int = Field(default=4, ge=1)
    """Sources that are read for the first time at the same time, each in a process that may take
    `executor_memory_limit`; half of them, rounded up, of one tenant."""

    executor_columns: int = Field(default=10_000, ge=1)
    """Most columns of one table, and most different names in one JSON file."""

    executor_json_depth: int = Field(default=100, ge=1)
    """How deep objects and arrays of a JSON file may be in one another."""

    executor_unpacked_bytes: int = Field(default=16 << 30, ge=1 << 20)
    """Most bytes that a compressed file, or all of an archive, may unpack to."""

    executor_unpacked_times: int = Field(default=100, ge=1)
    """Most times its own size that a compressed file may unpack to, where that is above 64 MiB; of
    Parquet and Arrow, above 1 GiB, each value counted with 8 bytes at least."""

    executor_engine: str = AUTOMATIC
    """The engine that runs every query; `auto` chooses by where the data is and how much."""

    executor_spark: str = Field(default="", pattern=r"^(sc://[^/\s]+(/\S*)?)?$")
    """Address of a Spark Connect server, as sc://HOST:PORT; empty means none."""

    executor_spark_bytes: int = Field(default=20 << 30, ge=0)
    """Files larger than this together are queried by Spark, where there is one."""

    executor_query_processes: int = Field(default=2, ge=1, le=64)
    """Queries of the embedded engine that run at the same time, each in a process of its own."""

    executor_result_bytes: int = Field(default=1 << 30, ge=1 << 20)
    """Most memory that the result of one query may take."""

    executor_copy_rows: int = Field(default=5_000_000, ge=0)
    """Most rows of a database that are copied for a statement it cannot run alone."""

    executor_copy_bytes: int = Field(default=2 << 30, ge=0)
    """Most bytes of a database that are copied for a statement it cannot run alone."""

    executor_headers_required: bool = True
    """Whether uploaded text files need a line of names (seed 002); without, columns get numbers."""

    executor_connections: dict[str, SecretStr] = Field(default_factory=dict)
    """Databases, files on the web and buckets by a name of the operator's own, as a JSON object of
    URLs."""

    executor_database_hosts: str = ""
    """Where databases may be: names, `*.` names, addresses, ranges and folders of sockets, with a
    port if need be, separated by commas; `*` is anywhere. Empty means anywhere for whoever may name
    files of this machine, and nowhere for others."""

    executor_database_seconds: float = Field(default=30.0, ge=0)
    """How long the schema and statistics of a database are believed before they are read again."""

    executor_web_hosts: str = ""
    """Hosts that files may be fetched from beside public ones, written as for databases. Empty
    means public hosts for whoever may name files of this machine, and none for others."""

    executor_web_plain: bool = False
    """Whether files may be fetched by http:// from hosts other than this machine."""

    executor_web_authority: Path | None = None
    """Certificates, as PEM, of authorities that are believed beside the usual ones when files are
    fetched."""

    executor_s3_endpoint: str = Field(default="", pattern=r"^$|^https?://[^/\s]+/?$")
    """URL of the S3-compatible store that s3:// addresses are in; empty means AWS."""

    executor_s3_region: str = ""
    """Its region; empty lets the usual environment of AWS decide."""

    executor_remote_bytes: int = Field(default=8 << 30, ge=1 << 10)
    """Most bytes that are fetched for one source on the web or in a bucket."""

    executor_remote_seconds: float = Field(default=30.0, ge=0)
    """How long what was fetched is believed before its server is asked whether it changed."""

    executor_mcp_servers: dict[str, McpServer] = Field(default_factory=dict)
    """MCP servers by a name of the operator's own, as a JSON object: each a url with headers, or a
    command with an environment; tenants that may ask it, if not all."""

    executor_mcp_hosts: str = ""
    """Hosts at which callers may name MCP servers by URL, as for databases; empty means none."""

    executor_mcp_bytes: int = Field(default=8 << 20, ge=1 << 10)
    """Most bytes that an MCP server may send in one call."""

    executor_mcp_seconds: float = Field(default=50.0, gt=0, le=180)
    """Most seconds of one call of an MCP server's tool."""

    executor_sandboxes: int = Field(default=2, ge=1, le=32)
    """Most runs of generated Python at the same time."""

    executor_sandboxes_warm: int = Field(default=0, ge=0, le=32)
    """Sandboxes started with the executor; the others start when they are first needed."""

    executor_sandbox_memory_bytes: int = Field(default=1 << 30, ge=64 << 20)
    """Most memory of one run of generated Python, its inputs not counted."""

    executor_sandbox_seconds: float = Field(default=60.0, gt=0)
    """Most seconds of one run of generated Python."""

    executor_flight: str = "127.0.0.1:0"
    """Where frames are served by Arrow Flight (host:port, port 0 for any that is free); empty for
    nowhere. Not used where one process serves everything."""

    executor_flight_host: str = ""
    """The name by which other machines reach the Flight endpoint; empty for the address itself."""

    executor_ticket_keys: SecretStr = SecretStr("")
    """Fernet keys of frame tickets, separated by commas, the first makes them: the same for all
    executors. Empty means a key in the home folder."""

    executor_ticket_seconds: float = Field(default=300.0, gt=0)
    """How long a frame ticket is good."""

    executor_masking_key: SecretStr = SecretStr("")
    """Any long random text, from which pseudonyms of blocked cells are made: the same for all
    executors. Empty means a key in the home folder."""

    executor_database: DatabaseAddress = Field(default="", repr=False)
    """URL of what is stored and who needs it; empty means SQLite in the folder."""

    executor_store_url: str = Field(default="", pattern=r"^$|^s3://[a-z0-9][a-z0-9.-]+(/.*)?$")
    """s3://bucket/prefix where frames, artifacts, uploads and records of calls are kept; empty
    means the folder."""

    executor_store_endpoint: str = ""
    """URL of an S3-compatible server; empty means AWS."""

    executor_store_region: str = ""
    """Its region; empty lets the usual environment of AWS decide."""

    executor_store_key: SecretStr = SecretStr("")
    """Access key; empty lets the usual environment of AWS decide."""

    executor_store_secret: SecretStr = SecretStr("")
    """Its secret."""

    executor_store_bytes: int = Field(default=0, ge=0)
    """Most bytes of frames, artifacts and records together; 0 for no limit."""

    executor_cache_bytes: int = Field(default=10 << 30, ge=0)
    """Most bytes of copies of what is in the bucket on this machine's disk."""

    executor_grace_seconds: float = Field(default=3600.0, ge=0)
    """How long what nobody needs stays, for those who read it, and a broken upload, in case it is
    none."""

    executor_source_days: float = Field(default=30.0, ge=0)
    """How long a source that nobody uses stays as it was read; 0 for ever."""

    executor_collect_seconds: float = Field(default=300.0, gt=0)
    """How often what nobody needs is deleted."""

    @field_validator("executor_engine")
    @classmethod
    def _is_an_engine(cls, name: str) -> str:
        if name not in (AUTOMATIC, *declared()):
            raise ValueError(f"no engine is called {name!r}: {', '.join((AUTOMATIC, *declared()))}")
        return name

    @field_validator("executor_database_hosts", "executor_mcp_hosts", "executor_web_hosts")
    @classmethod
    def _are_hosts(cls, text: str) -> str:
        HostRules.parsed(text)
        return text

    @model_validator(mode="after")
    def _share_both(self) -> ExecutorSettings:
        """Who deletes from a bucket has to know what all who share it need."""
        if self.executor_store_url and not self.executor_database:
            raise ValueError(
                "ASSAY_EXECUTOR_STORE_URL needs ASSAY_EXECUTOR_DATABASE: one database for all "
                "executors that share the bucket"
            )
        return self

    def database_url(self) -> str:
        """The database to open."""
        if self.executor_database:
            return self.executor_database
        return f"sqlite:///{self.root() / 'executor.sqlite'}"

    def reading_limits(self) -> ReadingLimits:
        """How much one source may be."""
        return ReadingLimits(
            columns=self.executor_columns,
            depth=self.executor_json_depth,
            unpacked_bytes=self.executor_unpacked_bytes,
            unpacked_times=self.executor_unpacked_times,
        )

    def root(self) -> Path:
        """The root folder."""
        return self.executor_folder or self.folder("executor")
