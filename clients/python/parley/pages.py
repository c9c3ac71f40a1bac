"""Lists, all pages of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs

_PAGE_OF_AGENTS = 50


def each(operation: Callable[..., Any], *args: Any, **kwargs: Any) -> Iterator[Any]:
    """One item at a time, over all pages; see ``Client.each``."""
    seen = 0
    while True:
        answer = operation(*args, **kwargs)
        items = _items(answer)
        yield from items
        seen += len(items)
        if hasattr(answer, "next_cursor"):  # pages of cursors may be empty, and still not the last one
            if not answer.next_cursor:
                return
            kwargs["cursor"] = answer.next_cursor
            continue
        if not items or not _more(answer, kwargs, len(items), seen):
            return


def _more(answer: Any, kwargs: dict[str, Any], here: int, seen: int) -> bool:
    """Sets the arguments of the next page; False when there is none."""
    if hasattr(answer, "results"):  # human agents
        kwargs["page"] = kwargs.get("page", 1) + 1
        return here >= _PAGE_OF_AGENTS
    kwargs["offset"] = kwargs.get("offset", 0) + here
    if hasattr(answer, "available_more"):
        return bool(answer.available_more)
    return seen < (answer.pagination.total if hasattr(answer, "pagination") else 0)


def _items(answer: Any) -> list[Any]:
    lists = [v for f in attrs.fields(type(answer)) if isinstance(v := getattr(answer, f.name), list)]
    if len(lists) != 1:
        raise TypeError("this operation has no pages of one list")
    items: list[Any] = lists[0]
    return items
