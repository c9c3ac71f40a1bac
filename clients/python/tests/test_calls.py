"""What a user does with calls, campaigns, files and keys."""

import asyncio
import io
import struct
import unittest
import uuid

import parley
from parley.generated.api.outbound_calls import dial_out, get_dial_out

from .world import ACCOUNT, BOT, call_to, ended, listening, setting, unique, until, with_key, with_token


class Calls(unittest.TestCase):
    def setUp(self) -> None:
        self.client = self.enterContext(with_token())

    def test_a_call_is_placed_and_seen_to_end(self) -> None:
        placed = self.client.dial_out(BOT, body=call_to(machine_detection=parley.DialOutRequestMachineDetection.DETECT))
        call = ended(self.client, placed.call_id)
        self.assertEqual((call.status, call.conversation_id), ("completed", placed.call_id))
        self.assertGreater(call.duration_ms, 0)

    def test_a_busy_callee_is_no_error(self) -> None:
        call = ended(self.client, self.client.dial_out(BOT, body=call_to("tel:+15550000005")).call_id)
        self.assertEqual((call.status, call.reason_code), ("failed", "Busy Here"))

    def test_under_one_key_a_call_is_placed_once(self) -> None:
        key = str(uuid.uuid4())
        first = self.client.dial_out(BOT, body=call_to(), idempotency_key=key)
        again = dial_out.sync_detailed(BOT, client=self.client.api, body=call_to(), idempotency_key=key)
        self.assertEqual((again.parsed, again.headers["Idempotency-Replayed"]), (first, "true"))
        with self.assertRaises(parley.ParleyError) as refused:
            self.client.dial_out(BOT, body=call_to("tel:+15550000002"), idempotency_key=key)
        self.assertEqual((refused.exception.status, refused.exception.code), (409, "CONFLICT"))

    def test_a_refusal_names_all_wrong_fields(self) -> None:
        with self.assertRaises(parley.ParleyError) as refused:
            self.client.dial_out(BOT, body=parley.DialOutRequest(bot_id=BOT, target="fax:1", caller="", timeout_in_ms=1))
        fault = refused.exception
        self.assertEqual((fault.status, fault.code), (400, "VALIDATION_ERROR"))
        self.assertEqual(sorted(d.field for d in fault.details), ["caller", "target", "timeoutInMs"])
        self.assertTrue(fault.request_id.startswith("tr-"))

    def test_what_is_known_of_a_person_comes_as_bytes(self) -> None:
        who = parley.Identity(kind=parley.IdentityKind.TELEPHONE, value="+1 555 000 0001")
        zipped = self.client.export_person(body=parley.ExportPersonRequest(identities=[who]))
        self.assertEqual(zipped.payload.read(2), b"PK")

    def test_what_is_not_there_is_not_found(self) -> None:
        with self.assertRaises(parley.ParleyError) as refused:
            self.client.get_dial_out(BOT, str(uuid.uuid4()))
        self.assertEqual((refused.exception.status, refused.exception.code), (404, "NOT_FOUND"))

    def test_lists_in_queries_are_lists(self) -> None:
        by = [parley.AnalyticsMetricsGroupByItem.CATEGORY, parley.AnalyticsMetricsGroupByItem.DAY]
        metrics = self.client.analytics_metrics(BOT, group_by=by, metrics=[parley.AnalyticsMetricsMetricsItem.COUNT])
        self.assertTrue(metrics.success)
        found = self.client.analytics_events(BOT, event_types=["call_answered", "call_completed"], limit=5)
        self.assertLessEqual({e.event_type for e in found.data.events}, {"call_answered", "call_completed"})

    def test_pages_are_walked_by_offset_and_by_cursor(self) -> None:
        placed = {self.client.dial_out(BOT, body=call_to("tel:+15550000005")).call_id for _ in range(3)}
        for call in self.client.each(self.client.list_interactions, BOT, limit=2):
            placed.discard(call.conversation_id)
            if not placed:
                break
        self.assertFalse(placed)
        seen = [event.id for event in self.client.each(self.client.list_events, category="tenants", limit=2)]
        self.assertGreater(len(seen), 4)
        self.assertEqual(len(seen), len(set(seen)))

    def test_a_file_is_asked_for_awaited_and_fetched(self) -> None:
        asked = self.client.export_search_app(BOT, body=parley.SearchExportRequest(features=[]))
        job = until(lambda: self.client.get_search_export(BOT, asked.job_id), lambda j: j.status in ("SUCCESS", "FAILED"))
        self.assertEqual(job.status, "SUCCESS", job.reason)
        self.assertEqual(self.client.download(job.file_info.external_file_url)[:2], b"PK")

    def test_a_recording_comes_back_the_same(self) -> None:
        session = ended(self.client, self.client.dial_out(BOT, body=call_to()).call_id).session_id
        head = struct.pack("<I4s4sIHHIIHH4sI", 836, b"WAVE", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8, b"data", 800)
        sound = b"RIFF" + head + bytes([128]) * 800
        added = self.client.add_voicemail(BOT, session, body=io.BytesIO(sound), file_name="hello.wav")
        self.assertEqual(added.content_type, "audio/wav")
        voicemail = self.client.get_voicemail(BOT, session_id=session, transcription=parley.GetVoicemailTranscription.FALSE)
        (found,) = [r for r in voicemail.voicemail_recording if r.voicemail_id == added.voicemail_id]
        self.assertEqual(self.client.download(found.file_url), sound)

    def test_a_campaign_is_made_started_and_followed(self) -> None:
        wanted = parley.CampaignRequest.from_dict(
            {
                "name": unique("Renewals"),
                "description": "Contracts that end",
                "campaignType": "voice",
                "format": "advanced",
                "priority": "5",
                "contactLists": ["Pilot customers"],
                "experienceFlowName": "Acme support line",
                "dialingStrategy": {
                    "callerId": {"phoneNumber": "+15550100100"},
                    "callingHours": {
                        "frequency": "DAILY",
                        "timezone": "America/New_York",
                        "days": [{"start": "12:00 AM", "end": "11:59 PM"}],
                    },
                },
            }
        )
        campaign = self.client.create_campaign(BOT, body=wanted, **ACCOUNT).data
        started = self.client.trigger_campaign(
            BOT,
            campaign.field_id,
            account_id=ACCOUNT["account_id"],
            iid=BOT,
            campaign_type=parley.TriggerCampaignCampaignType.VOICE,
            trigger=parley.TriggerCampaignTrigger.PLAY,
            body=parley.TriggerCampaignRequest(),
        )
        run = until(
            lambda: self.client.get_campaign_run(BOT, campaign.field_id, started.campaign_instance_id, **ACCOUNT).data,
            lambda r: r.total_contacts > 0,
        )
        self.assertEqual(run.campaign_id, campaign.field_id)

    def test_the_same_calls_for_asyncio(self) -> None:
        async def call() -> str:
            placed = await dial_out.asyncio(BOT, client=self.client.api, body=call_to())
            call = await get_dial_out.asyncio(BOT, placed.call_id, client=self.client.api)
            with self.assertRaises(parley.ParleyError):
                await get_dial_out.asyncio(BOT, "nobody", client=self.client.api)
            await self.client.api.get_async_httpx_client().aclose()
            return call.status

        self.assertIn(asyncio.run(call()), ("dialing", "ringing", "inProgress", "completed"))

    def test_notifications_are_signed_and_others_refused(self) -> None:
        told, secret = [], setting("PARLEY_WEBHOOK_SECRET")

        def receive(request, body: bytes) -> None:
            told.append((body, request.headers["SAVG-Signature"]))
            request.send_response(204)
            request.end_headers()

        with listening(receive) as url:
            placed = self.client.dial_out(BOT, body=call_to(notifyurl=f"{url}/notifications"))
            until(lambda: told, lambda t: t and b'"completed"' in t[-1][0])
        read = [parley.read_notification(body, signature, secret) for body, signature in told]
        self.assertEqual({n["conversationId"] for n in read}, {placed.call_id})
        self.assertGreater(parley.CallCompletedNotification.from_dict(read[-1]).connect_duration_in_ms, 0)
        body, signature = told[-1]
        for wrong in [(body + b" ", signature, secret), (body, "", secret), (body, "t=1,v1=\u00e9", secret), (body, signature, "another")]:
            with self.assertRaises(parley.InvalidSignature):
                parley.read_notification(*wrong)
        with self.assertRaises(parley.InvalidSignature):
            parley.read_notification(body, signature, secret, now=9e9)


class Keys(unittest.TestCase):
    def test_an_api_key_makes_another_one(self) -> None:
        with with_key() as client:
            self.assertTrue(client.get_scope(BOT, setting("SCOPE_ID")).success)
            made = client.create_api_key(BOT, body=parley.CreateKeyRequest(api_key_name=unique("key"), scope_name="main")).api_key
            with parley.Client(setting("PARLEY_URL"), api_key=made.apikey) as other:
                other.list_interactions(BOT, limit=1)
                client.revoke_api_key(BOT, made.key_id)
                with self.assertRaises(parley.ParleyError) as refused:
                    other.list_interactions(BOT, limit=1)
            self.assertEqual(refused.exception.status, 401)
