"""A call of a browser ends when its sign-in does, and only then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from gateway.web.staying import ending_with_sign_in
from mesh.errors import SERVICE_UNAVAILABLE, SIGN_IN_ENDED, AssayError, Reason


class Running:
    """A call that goes on until it is cancelled or done."""

    def __init__(self) -> None:
        self.waited: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def cancel(self) -> bool:
        return self.waited.cancel()


class SignIn:
    """Is good until it was asked about so often, and then not for `reason`."""

    def __init__(self, reason: Reason, most: int = 2) -> None:
        self.asked, self._most, self._reason = 0, most, reason
        self.enough = asyncio.Event()

    async def __call__(self) -> None:
        self.asked += 1
        if self.asked > self._most:
            self.enough.set()
            raise AssayError(self._reason, "not any more")


async def waited(call: Running, identify: SignIn) -> str:
    async with ending_with_sign_in(call, identify, 0.001):
        return await call.waited


async def test_it_ends_with_the_refusal_and_is_asked_about_no_more() -> None:
    call, sign_in = Running(), SignIn(SIGN_IN_ENDED)
    with pytest.raises(AssayError) as refused:
        await asyncio.wait_for(waited(call, sign_in), 20)
    assert refused.value.reason is SIGN_IN_ENDED and call.waited.cancelled()
    assert sign_in.asked == 3


async def test_it_goes_on_while_it_cannot_be_found_out() -> None:
    call, sign_in = Running(), SignIn(SERVICE_UNAVAILABLE)
    waiting = asyncio.create_task(waited(call, sign_in))
    await asyncio.wait_for(sign_in.enough.wait(), 20)
    call.waited.set_result("answered")
    assert await waiting == "answered"


@pytest.mark.parametrize(
    "stop", [lambda waiting, call: waiting.cancel, lambda _, call: call.cancel]
)
async def test_whoever_stops_it_is_not_told_of_a_sign_in(
    stop: Callable[[asyncio.Task[str], Running], Callable[[], object]],
) -> None:
    call = Running()
    waiting = asyncio.create_task(waited(call, SignIn(SIGN_IN_ENDED, 10**9)))
    await asyncio.sleep(0)
    stop(waiting, call)()
    with pytest.raises(asyncio.CancelledError):
        await waiting
