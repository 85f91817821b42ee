"""Files on their way into a session, and how much of a large one has gone."""

from __future__ import annotations

from pathlib import Path

from assay.gateway.v1 import file_service_pb2 as files_pb
from clients.python.cli.screen import Screen
from clients.python.client import AssayClient

_LARGE_BYTES = 4 << 20
"""Of a file from so many bytes on, it is shown how much of it has gone."""


async def uploaded(
    screen: Screen, client: AssayClient, session_id: str, paths: list[Path], description: str
) -> list[files_pb.PreviewFileResponse]:
    """Store files in a session, each with what was said of it; what the mesh found in them."""
    stored = []
    for path in paths:
        size = path.stat().st_size
        with _Progress(screen, path.name, size) as progress:
            file = await client.sessions.upload(session_id, path, progress.sent)
        if description:
            file = await client.sessions.describe(file.file_id, description)
        preview = await client.sessions.preview(file.file_id)
        preview.file.CopyFrom(file)
        stored.append(preview)
    return stored


class _Progress:
    """How much of a large file has gone, on a line that changes in place on terminals."""

    def __init__(self, screen: Screen, name: str, size: int) -> None:
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

        self._shown = screen.live and size >= _LARGE_BYTES
        self._bar = Progress(
            TextColumn("uploading   {task.description}", markup=False),
            BarColumn(),
            DownloadColumn(),
            console=screen.err,
            transient=True,
            disable=not self._shown,
        )
        self._task = self._bar.add_task(name, total=size)

    def __enter__(self) -> _Progress:
        self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.stop()

    def sent(self, sent: int) -> None:
        """So many bytes have gone."""
        self._bar.update(self._task, completed=sent)
