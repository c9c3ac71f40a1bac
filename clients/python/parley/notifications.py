"""Notifications that Parley posts to a notifyurl or a callbackUrl."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from typing import Any

from .errors import InvalidSignature


def read_notification(
    body: bytes, signature: str | None, secret: str, *, tolerance: float = 300, now: float | None = None
) -> dict[str, Any]:
    """Reads a notification, if the header SAVG-Signature says that it is from who knows the secret.

    ``body`` is the request's body as it came: parsed and written again it is another one. ``tolerance``
    is how many seconds old it may be, or ahead. Each kind has a model, as
    ``parley.CallCompletedNotification.from_dict(notification)``.
    """
    parts = [part.strip().partition("=") for part in (signature or "").split(",")]
    at = next((value for name, _, value in parts if name == "t"), "")
    sums = [value for name, _, value in parts if name == "v1"]
    if not (at.isascii() and at.isdigit()) or not sums:
        raise InvalidSignature("SAVG-Signature is missing, or not t=<seconds>,v1=<hex>")
    if (age := abs((time.time() if now is None else now) - int(at))) > tolerance:
        raise InvalidSignature(f"SAVG-Signature is {age:.0f} seconds off")
    wanted = hmac.new(secret.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()
    # Two sums, while a secret is replaced. All are compared, so that the time tells nothing.
    if not any([hmac.compare_digest(wanted.encode(), one.encode()) for one in sums]):
        raise InvalidSignature("SAVG-Signature is none of this body under this secret")
    read: dict[str, Any] = json.loads(body)
    return read
