"""How requests are sent, and sent again.

Every write has an Idempotency-Key, so that a repeat changes nothing twice. A request is sent again
when no answer came, when a gateway says that none came to it, and when the server says how long to
wait. Other refusals are answers.
"""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import Callable, Generator
from dataclasses import dataclass

import httpx

from .errors import ParleyError, refusal_of, wait_of

_GATEWAY_FAULTS = (502, 504)
_READS = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True)
class Patience:
    """How often it is tried again, and how long is waited for it."""

    retries: int = 3
    #: Seconds. A server that asks for a longer wait is not asked again.
    longest_wait: float = 30.0

    def pause(self, attempt: int, response: httpx.Response | None) -> float | None:
        """Seconds until the next try; None when there is none. Pauses grow, with jitter."""
        if attempt >= self.retries:
            return None
        grown: float = min(0.2 * 2**attempt * random.uniform(0.5, 1), self.longest_wait)
        if response is None or response.status_code in _GATEWAY_FAULTS:
            return grown
        asked = wait_of(response)
        return None if asked is None or asked > self.longest_wait else max(grown, asked)


class Credential(httpx.Auth):
    """Sets the one header of the credential; a function is asked before each request."""

    def __init__(self, header: str, prefix: str, value: str | Callable[[], str]) -> None:
        self._header, self._prefix, self._value = header, prefix, value

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        value = self._value() if callable(self._value) else self._value
        request.headers[self._header] = self._prefix + value
        yield request


class Sender(httpx.BaseTransport):
    """Sends with patience."""

    def __init__(self, patience: Patience, inner: httpx.BaseTransport) -> None:
        self._patience, self._inner = patience, inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        _keyed(request)
        attempt = 0
        while True:
            response, fault = None, None
            try:
                response = self._inner.handle_request(request)
            except httpx.TransportError as cause:
                fault = cause
            pause = self._patience.pause(attempt, response) if fault or response and response.status_code >= 400 else None
            if pause is None:
                return _ended(request, response, fault)
            if response is not None:
                response.close()
            time.sleep(pause)
            attempt += 1

    def close(self) -> None:
        self._inner.close()


class AsyncSender(httpx.AsyncBaseTransport):
    """The same for asyncio."""

    def __init__(self, patience: Patience, inner: httpx.AsyncBaseTransport) -> None:
        self._patience, self._inner = patience, inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        _keyed(request)
        attempt = 0
        while True:
            response, fault = None, None
            try:
                response = await self._inner.handle_async_request(request)
            except httpx.TransportError as cause:
                fault = cause
            pause = self._patience.pause(attempt, response) if fault or response and response.status_code >= 400 else None
            if pause is None:
                return _ended(request, response, fault)
            if response is not None:
                await response.aclose()
            await asyncio.sleep(pause)
            attempt += 1

    async def aclose(self) -> None:
        await self._inner.aclose()


def _keyed(request: httpx.Request) -> None:
    if request.method not in _READS:
        request.headers.setdefault("Idempotency-Key", str(uuid.uuid4()))


def _ended(request: httpx.Request, response: httpx.Response | None, fault: Exception | None) -> httpx.Response:
    if response is not None:
        return response
    origin = f"{request.url.scheme}://{request.url.netloc.decode()}"
    raise ParleyError("UNREACHABLE", f"{origin} did not answer: {fault or type(fault).__name__}") from fault


def refuse(response: httpx.Response) -> None:
    """Raises what an answer refuses."""
    if response.status_code >= 400:
        response.read()
        raise refusal_of(response)


async def arefuse(response: httpx.Response) -> None:
    """The same for asyncio."""
    if response.status_code >= 400:
        await response.aread()
        raise refusal_of(response)
