"""Work that is sure to be asked for, done on other processors before it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, Self, TypeVar

Result = TypeVar("Result")
_THREADS = 2


class Ahead(Generic[Result]):
    """Does tasks in their order beside its caller, who takes over what was not begun when it asks.

    Tasks should spend their time in code that lets other threads run, as hashing does, and ask
    `stopped` now and then whether anybody still waits for them.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, "ahead")
        self._tasks: dict[str, tuple[Callable[[], Result], Future[Result]]] = {}
        self.stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Drop what was not begun, and wait for the rest."""
        self.stopped = True
        self._pool.shutdown(cancel_futures=True)

    def begin(self, tasks: Iterable[tuple[str, Callable[[], Result]]]) -> None:
        """Line named tasks up."""
        for name, task in tasks:
            self._tasks[name] = (task, self._pool.submit(task))

    def take(self, name: str) -> Result:
        """What a task gives. Raises KeyError for one that was not lined up, and what it raises."""
        task, future = self._tasks[name]
        return task() if future.cancel() else future.result()
