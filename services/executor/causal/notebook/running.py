"""Running a notebook once, in a kernel of its own that ends with the call."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesh.tool import ErrorCategory, ToolContext, ToolError

if TYPE_CHECKING:
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbformat import NotebookNode

LOOKS = 0.2
"""Seconds between looks at whether the call was cancelled."""
_ASK = "import json\nprint(json.dumps(globals().get('seen', {})))"
_LAST: dict[str, Any] = {
    "cell_type": "code",
    "id": "figures",
    "metadata": {},
    "execution_count": None,
    "outputs": [],
}
Figures = dict[str, tuple[float, float, float]]


def run(book: NotebookNode, folder: Path, context: ToolContext) -> tuple[Figures, list[str]]:
    """Run all cells in `folder`, whose outputs they keep; gives what they found, and what failed.

    The kernel speaks over sockets in the folder and has none of this process's environment. Raises
    ToolError where the call is cancelled or its time runs out.
    """
    return asyncio.run(_run(book, folder, context))


async def _run(book: NotebookNode, folder: Path, context: ToolContext) -> tuple[Figures, list[str]]:
    from nbclient import NotebookClient
    from nbclient.exceptions import DeadKernelError
    from nbformat import from_dict

    book.cells.append(from_dict({**_LAST, "source": _ASK}))  # type: ignore[no-untyped-call]
    manager = _kernel(folder)
    client = NotebookClient(
        book,
        km=manager,
        timeout=None,
        allow_errors=True,
        record_timing=False,
        coalesce_streams=True,
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
        on_cell_start=_teller(book, context),
    )
    try:
        await _watched(client, _environment(folder), context)
    except DeadKernelError:
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            "The notebook's kernel ended before its last cell.",
            hint="Give it fewer rows, or more memory.",
        ) from None
    finally:
        if client.kc is not None:
            client.kc.stop_channels()
        if manager.has_kernel:
            await manager.shutdown_kernel(now=True)
        await manager._async_cleanup_resources()
    return _found(book.cells.pop()), _failures(book)


async def _watched(
    client: NotebookClient, environment: dict[str, str], context: ToolContext
) -> None:
    """Run, and stop where the call is cancelled or out of time."""
    running = asyncio.ensure_future(client.async_execute(env=environment))
    try:
        while not running.done():
            if context.cancelled.is_set():
                raise ToolError(ErrorCategory.CANCELLED, "The notebook was stopped as it ran.")
            if context.seconds_left <= 0:
                raise ToolError(
                    ErrorCategory.RESOURCE_EXHAUSTED,
                    "The notebook's time ran out as it ran.",
                    hint="Give the call more time.",
                )
            await asyncio.wait([running], timeout=min(LOOKS, max(context.seconds_left, 0.0)))
    finally:
        if not running.done():
            running.cancel()
            await asyncio.wait([running])
    await running


def _kernel(folder: Path) -> AsyncKernelManager:
    """Of this interpreter, whatever kernels the user has installed."""
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    command = [sys.executable, "-I", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager = AsyncKernelManager(
        transport="ipc", connection_file=str(folder / "k.json"), kernel_name="python3"
    )
    manager._kernel_spec = KernelSpec(argv=command, display_name="Python 3", language="python")
    return manager


def _environment(folder: Path) -> dict[str, str]:
    import matplotlib

    one = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    own = (
        "HOME",
        "IPYTHONDIR",
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR",
        "JUPYTER_RUNTIME_DIR",
        "TMPDIR",
    )
    return {
        **one,
        **{name: str(folder) for name in own},
        "PATH": os.environ.get("PATH", os.defpath),
        "MPLCONFIGDIR": matplotlib.get_cachedir(),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
    }


def _teller(book: NotebookNode, context: ToolContext) -> Callable[..., None]:
    def tell(cell: Any, cell_index: int) -> None:
        many = len(book.cells)
        context.progress(f"running cell {cell_index + 1} of {many}", cell_index / many)

    return tell


def _found(cell: Any) -> Figures:
    """What the last cell printed; nothing where that is not to be read."""
    text = "".join(each.get("text", "") for each in cell.outputs)
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return {str(name): (float(a), float(b), float(c)) for name, (a, b, c) in found.items()}


def _failures(book: NotebookNode) -> list[str]:
    """What stopped cells, in one line each, which also stands where the traceback was."""
    values = []
    for cell in book.cells:
        for each in cell.get("outputs", []):
            if each.output_type == "error":
                line = (each.evalue or each.ename).splitlines()[0][:300]
                each.evalue, each.traceback = line, [line]
                values.append(line)
    return values
