"""Following the events of the account."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from .errors import ParleyError
from .generated.models import AuditEvent

_PATH = "/api/v1/events/stream"
# Heartbeats of the server come every 15 seconds; without a sign for three of them the connection is dead.
_SILENCE = 45.0
_LONGEST_PAUSE = 30.0


@dataclass(frozen=True)
class Followed:
    """An event, and the place to go on behind it."""

    id: str
    event: AuditEvent


def follow(http: httpx.Client, filters: dict[str, str | None], after: str | None) -> Iterator[Followed]:
    """Reconnects by itself and goes on behind what was seen; ends with a refusal that no repeat mends."""
    params = {name: value for name, value in filters.items() if value is not None}
    last, retry, failed = after or "", 2.0, 0
    while True:
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last} if last else {})
        try:
            with http.stream("GET", _PATH, params=params, headers=headers, timeout=httpx.Timeout(30, read=_SILENCE)) as response:
                for frame in _frames(response):
                    failed = 0
                    last = frame.get("id", last)
                    retry = float(frame["retry"]) / 1000 if "retry" in frame else retry
                    if "data" in frame:
                        yield Followed(last, AuditEvent.from_dict(json.loads(frame["data"])))
        except httpx.TransportError:
            pass  # cut: go on behind what was seen
        except ParleyError as fault:
            if not (fault.status in (0, 429) or fault.status >= 500):
                raise
        time.sleep(min(retry * 2**failed, _LONGEST_PAUSE))
        failed += 1


def _frames(response: httpx.Response) -> Iterator[dict[str, str]]:
    """What stands between empty lines."""
    frame: dict[str, str] = {}
    for line in response.iter_lines():
        if line == "":
            yield frame
            frame = {}
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        frame[name] = f"{frame[name]}\n{value}" if name == "data" and name in frame else value
