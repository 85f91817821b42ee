"""Where telemetry is sent: where OpenTelemetry's own variables say, and nowhere without them.

Which exporters there are is decided here, as the specification of those variables has it but for
one default: without an endpoint or a named exporter nothing is sent, rather than to a collector
that is probably not there. All other variables (headers, timeouts, certificates, compression,
intervals, limits, samplers, where Prometheus finds us) are read by OpenTelemetry's packages.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from mesh.telemetry import metrics as recording

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace.export import SpanExporter

log = logging.getLogger("assay.telemetry")

_OTLP = {"grpc": "otlp_proto_grpc", "http/protobuf": "otlp_proto_http"}


def span_exporters() -> list[SpanExporter]:
    """An exporter of spans for each that OTEL_TRACES_EXPORTER names."""
    return [made for made in map(_made, _wanted("traces")) if made is not None]


def metrics(resource: Resource, service: str) -> Callable[[], None]:
    """Keep metrics for each exporter that OTEL_METRICS_EXPORTER names; call the result at the end.

    Where it names none, nothing is imported and nothing kept.
    """
    wanted = _wanted("metrics")
    if not wanted:
        return lambda: None
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader

    readers = []
    for made in map(_made, wanted):
        if made is not None:
            pulled = isinstance(made, MetricReader)
            readers.append(made if pulled else PeriodicExportingMetricReader(made))
    provider = MeterProvider(readers, resource)
    recording.install(provider.get_meter("assay"), service)

    def end() -> None:
        provider.shutdown()
        recording.uninstall()

    return end


def logs(resource: Resource) -> Callable[[], None]:
    """Send lines too, to each exporter that OTEL_LOGS_EXPORTER names; call the result at the end.

    An endpoint alone sends none: most clusters gather what a process writes, and would have each
    line twice.
    """
    wanted = _wanted("logs") if _setting("OTEL_LOGS_EXPORTER") else []
    exporters = [made for made in map(_made, wanted) if made is not None]
    if not exporters:
        return lambda: None
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor

    from mesh.telemetry.sending_logs import LineSender

    provider = LoggerProvider(resource)
    for exporter in exporters:
        provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
    handler = LineSender(provider.get_logger("assay"))
    logging.getLogger().addHandler(handler)

    def end() -> None:
        logging.getLogger().removeHandler(handler)
        provider.shutdown()

    return end


def _wanted(signal: str) -> list[tuple[str, str]]:
    """The exporters of a signal, each with the entry point's group it is found in."""
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return []
    named = _setting(f"OTEL_{signal.upper()}_EXPORTER")
    if not named:
        endpoints = ("ENDPOINT", f"{signal.upper()}_ENDPOINT")
        given = any(_setting(f"OTEL_EXPORTER_OTLP_{name}") for name in endpoints)
        named = "otlp" if given else "none"
    group = f"opentelemetry_{signal}_exporter"
    names = [name.strip() for name in named.split(",")]
    return [(group, _protocol(signal) if n == "otlp" else n) for n in names if n and n != "none"]


def _protocol(signal: str) -> str:
    """The exporter that speaks OTLP as the environment wants it, by default over gRPC."""
    variable = f"OTEL_EXPORTER_OTLP_{signal.upper()}_PROTOCOL"
    named = _setting(variable) or _setting("OTEL_EXPORTER_OTLP_PROTOCOL") or "grpc"
    if named not in _OTLP:
        log.warning("OTLP over %s is not known here: gRPC is used", named)
    return _OTLP.get(named, _OTLP["grpc"])


def _made(wanted: tuple[str, str]) -> Any:
    """The exporter; None, with a warning, where there is no such one or it cannot begin.

    Telemetry that cannot be sent must not keep anybody from an answer.
    """
    group, name = wanted
    for entry in entry_points(group=group, name=name):
        try:
            return entry.load()()
        except Exception as error:
            why = getattr(error, "strerror", None) or type(error).__name__
            log.warning("the exporter %s cannot begin: %s", name, why)
            return None
    log.warning("there is no exporter %s: nothing is sent there", name)
    return None


def _setting(name: str) -> str:
    return os.environ.get(name, "").strip()
