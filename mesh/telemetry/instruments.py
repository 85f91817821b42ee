"""Every instrument of every service, declared once: what is measured, in what unit, split by what.

`mesh.telemetry.metrics` records them; docs/telemetry.md lists them, which a test holds against this
table. Names and attributes are OpenTelemetry's semantic conventions where those have them. No
attribute may hold what a caller wrote, nor have values without bound: a tenant, a job, a path.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How an instrument is kept."""

    HISTOGRAM = "histogram"  # a distribution, with its count and sum
    COUNTER = "counter"  # a sum that only grows
    GAUGE = "gauge"  # looked up when somebody asks


@dataclass(frozen=True, slots=True)
class Instrument:
    """One thing that is measured. `unit` is a UCUM code; `buckets` are a histogram's bounds."""

    name: str
    kind: Kind
    unit: str
    attributes: tuple[str, ...]
    meaning: str
    buckets: tuple[float, ...] = ()


SERVICE = "assay.service"
"""On every reading, as several services may share a process."""
ERROR = "error.type"
"""Why something failed: a reason of docs/errors.md, a tool's category, else a kind of exception;
absent where nothing did."""

INSTRUMENTS: list[Instrument] = []

# Seconds: OpenTelemetry's advice for calls, and beyond it as far as a job may take.
_CALL_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180)
_TOKENS = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576)


def _declared(instrument: Instrument) -> Instrument:
    INSTRUMENTS.append(instrument)
    return instrument


def _seconds(name: str, attributes: tuple[str, ...], meaning: str) -> Instrument:
    return _declared(Instrument(name, Kind.HISTOGRAM, "s", attributes, meaning, _CALL_SECONDS))


def _counter(name: str, unit: str, attributes: tuple[str, ...], meaning: str) -> Instrument:
    return _declared(Instrument(name, Kind.COUNTER, unit, attributes, meaning))


def _gauge(name: str, unit: str, attributes: tuple[str, ...], meaning: str) -> Instrument:
    return _declared(Instrument(name, Kind.GAUGE, unit, attributes, meaning))


_RPC = ("rpc.system.name", "rpc.method", "rpc.response.status_code", ERROR)
RPC_SERVER = _seconds(
    "rpc.server.call.duration", _RPC, "calls served, from the first byte to the status"
)
RPC_CLIENT = _seconds(
    "rpc.client.call.duration", _RPC, "calls made to other services, until the status came"
)

SERVING = _gauge(
    "assay.serving", "{service}", (), "1 for each service that a process serves, asked or not"
)

JOBS = _gauge(
    "assay.jobs",
    "{job}",
    ("assay.kind", "assay.state"),
    "jobs in the planner's store that have not ended",
)
QUEUE_AGE = _gauge(
    "assay.jobs.queue.age",
    "s",
    ("assay.kind",),
    "age of the oldest job that wants work and that no planner works on; 0 without",
)
LEASE_AGE = _gauge(
    "assay.jobs.lease.age",
    "s",
    ("assay.kind",),
    "time since the lease that was not renewed for longest was renewed; 0 without",
)
JOB_SECONDS = _seconds(
    "assay.job.duration",
    ("assay.kind", "assay.state", ERROR),
    "jobs that ended, from when they were asked for",
)
STEP_SECONDS = _seconds(
    "assay.step.duration",
    ("assay.tool", "assay.state"),
    "steps that ended, with all attempts and the wait for a free slot",
)
TOOL_SECONDS = _seconds(
    "assay.tool.duration", ("assay.tool", ERROR), "tool calls in the executor, one an attempt"
)

FRAME_BYTES = _counter(
    "assay.frame.bytes",
    "By",
    ("assay.frame.way",),
    "bytes of frames `stored` anew, found `near` (in this store or mapped from this host), "
    "`fetched` by Flight, and `sent` to whoever reads",
)
CACHE_LOOKUPS = _counter(
    "assay.cache.lookups",
    "{lookup}",
    ("assay.cache", "assay.cache.result"),
    "look-ups in a cache, each a `hit` or a `miss`: `sources` read before, `databases` described "
    "before, `calls` answered from their record, `objects` of a bucket with a copy here, `recipes` "
    "that a plan was made from",
)

MODEL_SECONDS = _seconds(
    "gen_ai.client.operation.duration",
    ("gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", ERROR),
    "requests to a language model, each try",
)
MODEL_TOKENS = _declared(
    Instrument(
        "gen_ai.client.token.usage",
        Kind.HISTOGRAM,
        "{token}",
        (
            "gen_ai.operation.name",
            "gen_ai.provider.name",
            "gen_ai.request.model",
            "gen_ai.token.type",
        ),
        "tokens of answered requests, as the endpoint counts them; estimated where it does not",
        _TOKENS,
    )
)
MODEL_COST = _counter(
    "assay.model.cost",
    "{currency}",
    ("gen_ai.provider.name", "gen_ai.request.model", "assay.currency"),
    "what answered requests cost, where the model's price is set",
)

BREAKER_STATE = _gauge(
    "assay.breaker.state",
    "{state}",
    ("assay.breaker", "assay.breaker.state"),
    "1 for the state that the breaker of a peer is in, 0 for the others",
)
AUDIT_ENTRIES = _gauge(
    "assay.audit.lag.entries", "{entry}", (), "entries of the log that no checkpoint covers yet"
)
AUDIT_LAG = _gauge(
    "assay.audit.lag", "s", (), "for how long the oldest of these has waited; 0 without"
)
UNLOGGED_ENDS = _gauge(
    "assay.audit.unlogged_ends", "{job}", (), "ended jobs whose end the log could not take yet"
)
