"""What is sent, and what is sent again."""

import json
import unittest

import parley

from .world import BOT, call_to, listening, setting, with_token


def answering(*answers: tuple[int, dict]):
    """A server that answers so, in this order (0 cuts the connection), and what it was asked."""
    asked: list = []

    def handle(request, _: bytes) -> None:
        status, headers = answers[min(len(asked), len(answers) - 1)]
        asked.append((request.path, dict(request.headers)))
        request.close_connection = True
        if status == 0:
            return
        code = headers.get("code", "x")
        body = {"callId": "c-1", "sid": "s-1"} if status == 200 else {"success": False, "error": {"code": code, "message": code}}
        text = json.dumps(body).encode() if code != "html" else b"<html>"
        request.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(text))}).items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(text)

    return listening(handle), asked


class Sending(unittest.TestCase):
    def test_a_write_is_sent_again_under_its_one_key(self) -> None:
        server, asked = answering((0, {}), (502, {}), (503, {"code": "NOT_EXECUTED", "Retry-After": "0"}), (200, {}))
        with server as url, parley.Client(url + "/telephony/", token="t") as client:
            self.assertEqual(client.dial_out(BOT, body=call_to()).call_id, "c-1")
        self.assertEqual([path for path, _ in asked], [f"/telephony/api/1.1/public/bot/{BOT}/assist/dialout"] * 4)
        self.assertEqual(len({headers["Idempotency-Key"] for _, headers in asked}), 1)
        self.assertRegex(asked[0][1]["User-Agent"], r"^parley-python/\d")

    def test_what_waiting_does_not_help_is_not_sent_again(self) -> None:
        for status, code, headers in [
            (400, "VALIDATION_ERROR", {}),
            (409, "CONFLICT", {}),
            (429, "LIMIT_REACHED", {}),
            (500, "INTERNAL_ERROR", {}),
            (503, "SERVICE_UNAVAILABLE", {}),
            (429, "RATE_LIMIT_EXCEEDED", {"Retry-After": "3600"}),
        ]:
            server, asked = answering((status, {"code": code} | headers))
            with self.subTest(code), server as url, parley.Client(url, token="t") as client:
                with self.assertRaises(parley.ParleyError) as refused:
                    client.dial_out(BOT, body=call_to())
                self.assertEqual((refused.exception.code, len(asked)), (code, 1))

    def test_no_server_and_no_server_of_ours(self) -> None:
        server, asked = answering((0, {}))
        with server as url, parley.Client(url, token="t", retries=1) as client, self.assertRaises(parley.ParleyError) as unreachable:
            client.list_user_roles()
        self.assertEqual((unreachable.exception.code, unreachable.exception.status, len(asked)), ("UNREACHABLE", 0, 2))
        server, _ = answering((418, {"code": "html"}))
        with server as url, parley.Client(url, token="t") as client, self.assertRaises(parley.ParleyError) as strange:
            client.list_user_roles()
        self.assertEqual((strange.exception.code, strange.exception.status), ("HTTP_418", 418))

    def test_a_token_may_be_asked_for_each_time(self) -> None:
        tokens = iter(["t1", "t2"])
        server, asked = answering((200, {}))
        with server as url, parley.Client(url, token=lambda: next(tokens)) as client:
            client.dial_out(BOT, body=call_to())
            client.dial_out(BOT, body=call_to())
        self.assertEqual([headers["Authorization"] for _, headers in asked], ["Bearer t1", "Bearer t2"])

    def test_two_credentials_are_refused_here_and_there(self) -> None:
        url, token, key = setting("PARLEY_URL"), setting("PARLEY_TOKEN"), setting("PARLEY_API_KEY")
        with self.assertRaisesRegex(ValueError, "Authorization and x-api-key"):
            parley.Client(url, token=token, api_key=key)
        with self.assertRaisesRegex(ValueError, "neither token nor api_key"):
            parley.Client(url)
        with with_token() as client, self.assertRaisesRegex(parley.ParleyError, "Authorization and x-api-key") as refused:
            client.api.get_httpx_client().get(f"/api/v1/projects/{BOT}/interactions", headers={"x-api-key": key})
        self.assertEqual(refused.exception.status, 401)

    def test_a_status_of_a_newer_server_is_no_fault(self) -> None:
        status = parley.InteractionStatus("parked")
        self.assertEqual((status, str(status)), ("parked", "parked"))
        self.assertNotIn(status, list(parley.InteractionStatus))
        with self.assertRaises(ValueError):
            parley.InteractionStatus(7)

    def test_an_address_that_is_none_is_refused_at_once(self) -> None:
        for url in ["", "parley.example", "ftp://parley.example", "https://me:secret@parley.example", "https://parley.example/?a=b"]:
            with self.subTest(url), self.assertRaises(ValueError):
                parley.Client(url, token="t")
