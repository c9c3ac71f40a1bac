"""The tests talk to a running ``parley serve --dev``, as its dev.env says."""

import http.server
import itertools
import os
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager

import parley


def setting(name: str) -> str:
    if not (value := os.environ.get(name)):
        raise RuntimeError(f"{name} is not set: start parley serve --dev and source its dev.env")
    return value


BOT = setting("BOT_ID")
ACCOUNT = {"account_id": setting("ACCOUNT_ID"), "iid_header": BOT}
_counted = itertools.count()


def with_token() -> parley.Client:
    return parley.Client(setting("PARLEY_URL"), token=setting("PARLEY_TOKEN"))


def with_key() -> parley.Client:
    return parley.Client(setting("PARLEY_URL"), api_key=setting("PARLEY_API_KEY"))


def unique(name: str) -> str:
    """A name that no other test and no other run has."""
    return f"{name} py {time.time_ns():x} {next(_counted)}"


def call_to(target: str = "tel:+15550000001", **more) -> parley.DialOutRequest:
    """A dial-out to the number of the simulated carrier that answers."""
    return parley.DialOutRequest(bot_id=BOT, target=target, caller=setting("CALLER"), **more)


def until(ask: Callable, right: Callable):
    """Asks until the answer is the one that is waited for."""
    for _ in range(600):
        if right(answer := ask()):
            return answer
        time.sleep(0.1)
    raise AssertionError(f"it never came; the last answer was {answer}")


def ended(client: parley.Client, call_id: str) -> parley.Interaction:
    return until(lambda: client.get_dial_out(BOT, call_id), lambda call: call.status in ("completed", "failed"))


@contextmanager
def listening(handle: Callable[[http.server.BaseHTTPRequestHandler, bytes], None]):
    """A program that listens on this machine, and its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            handle(self, self.rfile.read(int(self.headers.get("Content-Length", 0))))

        do_GET = do_POST

        def log_message(self, *_) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
