"""The client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from .events import Followed, follow
from .generated import AuthenticatedClient
from .operations import VERSION, Operations
from .pages import each
from .sending import AsyncSender, Credential, Patience, Sender, arefuse, refuse


class Client(Operations):
    """A client of the server at ``url``, with a token or an API key.

    Its methods are the operations of the API; they give the answer or raise ``ParleyError``. A token
    or key may be a function, which is asked before each request. ``timeout`` and ``longest_wait`` are
    seconds. ``api`` is what the generated functions take, those for asyncio too:
    ``await parley.generated.api.outbound_calls.dial_out.asyncio(bot_id, client=client.api, body=...)``.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | Callable[[], str] | None = None,
        api_key: str | Callable[[], str] | None = None,
        timeout: float = 30,
        retries: int = 3,
        longest_wait: float = 30,
        verify: Any = True,
    ) -> None:
        base, patience = _base(url), Patience(retries, longest_wait)
        header, prefix, value = _credential(token, api_key)
        settings: dict[str, Any] = {
            "base_url": base,
            "auth": Credential(header, prefix, value),
            "timeout": timeout,
            "headers": {"User-Agent": f"parley-python/{VERSION}"},
        }
        sender = Sender(patience, httpx.HTTPTransport(verify=verify))
        self._http = httpx.Client(**settings, transport=sender, event_hooks={"response": [refuse]})
        self._public = httpx.Client(timeout=timeout, transport=sender, event_hooks={"response": [refuse]})
        asynchronous = httpx.AsyncClient(
            **settings,
            transport=AsyncSender(patience, httpx.AsyncHTTPTransport(verify=verify)),
            event_hooks={"response": [arefuse]},
        )
        known = value if isinstance(value, str) else ""  # what with_headers of it goes by
        api = AuthenticatedClient(base_url=base, token=known, prefix=prefix.strip(), auth_header_name=header)
        self.api = api.set_httpx_client(self._http).set_async_httpx_client(asynchronous)

    def each(self, operation: Callable[..., Any], *args: Any, **kwargs: Any) -> Iterator[Any]:
        """Walks all pages of a list, one item at a time::

            for call in client.each(client.list_interactions, bot, status=parley.ListInteractionsStatus.FAILED): ...

        It goes on at ``next_cursor`` where the list has cursors, else by ``offset``, or by ``page`` for the
        list that has those. What is added or removed meanwhile can move what is behind an offset; cursors
        do not mind.
        """
        return each(operation, *args, **kwargs)

    def events(
        self,
        *,
        after: str | None = None,
        stream: str | None = None,
        type: str | None = None,  # as the API calls it
        category: str | None = None,
        since: str | None = None,
        correlation: str | None = None,
    ) -> Iterator[Followed]:
        """Follows the events of the account; only tokens may.

        ``after`` is the ``id`` of what was seen last: it goes on behind it, else from now on, or from
        ``since``. It reconnects by itself: cuts, restarts and other nodes lose nothing and repeat nothing.
        """
        filters = {"stream": stream, "type": type, "category": category, "since": since, "correlation": correlation}
        return follow(self._http, filters, after)

    def download(self, url: str) -> bytes:
        """Fetches a signed address, as ``file_url`` of a voicemail."""
        return self._public.get(url, headers={"Accept": "application/octet-stream"}).content

    def close(self) -> None:
        """Gives the connections back; ``with`` does it."""
        self._http.close()
        self._public.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _base(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"url must begin with http:// or https:// and have a host: {url}")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("url has a user, a query or a fragment; it is host and path only")
    return url.rstrip("/")


def _credential(token: str | Callable[[], str] | None, api_key: str | Callable[[], str] | None) -> tuple[str, str, str | Callable[[], str]]:
    """Header, prefix and value. Who has configured both would act as one of them by accident; the server refuses it too."""
    if token and api_key:
        raise ValueError("both token and api_key are set, which would send two credentials (Authorization and x-api-key): leave one out")
    if token:
        return "Authorization", "Bearer ", token
    if api_key:
        return "x-api-key", "", api_key
    raise ValueError("neither token nor api_key is set")
