"""What a Python program does that was written for the last released version, with what is generated of its
document. It is run against today's server; see calls.ts."""

import os
import time

import parley

bot, account = os.environ["BOT_ID"], os.environ["ACCOUNT_ID"]

with parley.Client(os.environ["PARLEY_URL"], token=os.environ["PARLEY_TOKEN"]) as client:
    body = parley.DialOutRequest(bot_id=bot, target="tel:+15550000001", caller=os.environ["CALLER"])
    placed = client.dial_out(bot, body=body)
    while (call := client.get_dial_out(bot, placed.call_id)).status not in ("completed", "failed"):
        time.sleep(0.2)
    assert call.status == "completed", call
    try:
        client.dial_out(bot, body=parley.DialOutRequest(bot_id=bot, target="fax", caller="1"))
        raise AssertionError("it was taken")
    except parley.ParleyError as fault:
        assert [d.field for d in fault.details] == ["target"], fault.details
    assert client.list_interactions(bot, limit=2).pagination.limit == 2
    client.analytics_metrics(bot, group_by=[parley.AnalyticsMetricsGroupByItem.CATEGORY, parley.AnalyticsMetricsGroupByItem.DAY])
    assert client.list_events(stream=f"call-{placed.call_id}").events
    client.list_campaigns(bot, account_id=account, iid_header=bot)
    client.get_campaign(bot, os.environ["SMS_CAMPAIGN_ID"], account_id=account, iid_header=bot)
    client.get_voicemail(bot, session_id=call.session_id, transcription=parley.GetVoicemailTranscription.FALSE)
    client.get_human_agent(bot, os.environ["AGENT_ID"], account_id=account)
    client.export_search_app(bot, body=parley.SearchExportRequest(features=[]))
    client.list_user_roles(limit=1)
with parley.Client(os.environ["PARLEY_URL"], api_key=os.environ["PARLEY_API_KEY"]) as client:
    assert client.get_scope(bot, os.environ["SCOPE_ID"]).success
print("all answers were right")
