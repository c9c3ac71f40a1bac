"""What can go wrong, as errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a request: which member, and what about it."""

    field: str
    problem: str


class ParleyError(Exception):
    """What the server refused, or could not be asked.

    ``code`` is for programs and stable, the message is for people. A server that could not be
    reached is ``UNREACHABLE`` with status 0; an answer that is not Parley's is ``HTTP_<status>``.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        details: tuple[Problem, ...] = (),
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        #: With VALIDATION_ERROR: all that is wrong, at once.
        self.details = details
        #: Where waiting helps: seconds.
        self.retry_after = retry_after
        #: X-Request-Id of the answer, which the operator of the server finds in its log.
        self.request_id = request_id


class InvalidSignature(Exception):
    """The request is not from Parley, was changed on its way, or is an old one again."""


def refusal_of(response: httpx.Response) -> ParleyError:
    """The error of an answer that is none of success and was read."""
    try:
        body: Any = response.json()
    except ValueError:
        body = None
    code, message = f"HTTP_{response.status_code}", f"the server answered {response.status_code} {response.reason_phrase}"
    details: tuple[Problem, ...] = ()
    if isinstance(body, dict) and isinstance(fault := body.get("error"), dict):
        code, message = str(fault.get("code", code)), str(fault.get("message", message))
        details = tuple(Problem(d["field"], d["problem"]) for d in fault.get("details") or ())
    elif isinstance(body, dict) and "message" in body:  # hooks have a form of their own
        code, message = str(body.get("errorCode", code)), str(body["message"])
    return ParleyError(
        code,
        message,
        status=response.status_code,
        details=details,
        retry_after=wait_of(response),
        request_id=response.headers.get("X-Request-Id"),
    )


def wait_of(response: httpx.Response) -> float | None:
    """What the server asks to wait, in seconds, if waiting helps at all."""
    asked = response.headers.get("Retry-After", "")
    return float(asked) if response.status_code in (429, 503) and asked.isdigit() else None
