"""The stream of events."""

import datetime
import unittest

import httpx

import parley

from .world import BOT, call_to, ended, listening, setting, with_key, with_token


def long_ago() -> str:
    return (datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)).isoformat().replace("+00:00", "Z")


class Events(unittest.TestCase):
    def setUp(self) -> None:
        self.client = self.enterContext(with_token())
        self.call = self.client.dial_out(BOT, body=call_to()).call_id

    def test_events_are_followed_and_gone_on_with(self) -> None:
        found = []
        for followed in self.client.events(stream=f"call-{self.call}", since=long_ago()):
            found.append(followed)
            if followed.event.type_.startswith("parley.calls.completed"):
                break
        self.assertEqual([f.event.version for f in found], list(range(1, len(found) + 1)))
        rest = self.client.events(stream=f"call-{self.call}", after=found[1].id)
        self.assertEqual([next(rest).event.id for _ in found[2:]], [f.event.id for f in found[2:]])

    def test_a_cut_loses_nothing_and_repeats_nothing(self) -> None:
        ended(self.client, self.call)
        connections = []

        def cut(request, _: bytes) -> None:  # behind the first event of each connection
            connections.append(request.headers.get("Last-Event-ID"))
            headers = {n: v for n, v in request.headers.items() if n.lower() not in ("host", "connection")}
            request.send_response(200)
            request.send_header("Content-Type", "text/event-stream")
            request.end_headers()
            request.close_connection = True
            with httpx.stream("GET", setting("PARLEY_URL") + request.path, headers=headers, timeout=60) as answer:
                for line in answer.iter_lines():
                    request.wfile.write((("retry: 1" if line.startswith("retry") else line) + "\n").encode())
                    if line.startswith("data"):
                        request.wfile.write(b"\n")
                        return

        with listening(cut) as url, parley.Client(url, token=setting("PARLEY_TOKEN")) as client:
            events = client.events(stream=f"call-{self.call}", since=long_ago())
            self.assertEqual([next(events).event.version for _ in range(3)], [1, 2, 3])
            events.close()
        self.assertGreaterEqual(len(connections), 3)

    def test_a_wrong_position_and_a_wrong_credential_end_it(self) -> None:
        with self.assertRaises(parley.ParleyError) as refused:
            next(self.client.events(after="made-up"))
        self.assertEqual(refused.exception.status, 400)
        with with_key() as client, self.assertRaises(parley.ParleyError) as refused:
            next(client.events())
        self.assertIn(refused.exception.status, (401, 403))
