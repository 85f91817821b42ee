"""A real Qdrant server for tests, in a container, of the version of the client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version

IMAGE = f"qdrant/qdrant:v{version('qdrant-client')}"


class QdrantAbsent(RuntimeError):
    """There is no Qdrant to run here; the text says what is missing."""


@contextmanager
def qdrant_server() -> Iterator[str]:
    """The URL of a server that is empty, and gone afterwards. Raises QdrantAbsent."""
    try:
        import docker  # type: ignore[import-untyped]
        from testcontainers.core.container import DockerContainer
        from testcontainers.core.wait_strategies import HttpWaitStrategy
    except ImportError as error:
        raise QdrantAbsent("testcontainers is not installed") from error
    try:
        docker.from_env().ping()
    except docker.errors.DockerException as error:
        raise QdrantAbsent("Docker is not usable here") from error
    server = DockerContainer(IMAGE).with_exposed_ports(6333)
    server.waiting_for(HttpWaitStrategy(6333, "/readyz"))
    try:
        server.start()
    except docker.errors.APIError as error:
        raise QdrantAbsent(f"{IMAGE} cannot be had") from error
    try:
        yield f"http://{server.get_container_host_ip()}:{server.get_exposed_port(6333)}"
    finally:
        server.stop()
