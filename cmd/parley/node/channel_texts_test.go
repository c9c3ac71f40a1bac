package node_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// Given a number at Twilio, then a list is numbered and a number is an answer, a text goes out
// once, and what Twilio says of it later is shown.
func TestAnAgentAnswersTexts(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	ours, theirs := "+1555"+digits(), "+1555"+digits()
	account := "AC" + strings.ReplaceAll(uuid.NewString(), "-", "")
	c := w.connect(t, fields{"channelType": "sms", "externalIdentifier": ours, "credentials": fields{"accountSid": account,
		"authToken": "hush-token"}})
	post := func(form url.Values) *answer {
		form.Set("AccountSid", account)
		path := "/api/v1/channels/twilio_sms/webhook/" + ours
		signed := w.a.URL() + path
		for _, name := range slices.Sorted(maps.Keys(form)) {
			signed += name + form.Get(name)
		}
		mac := hmac.New(sha1.New, []byte("hush-token"))
		mac.Write([]byte(signed))
		return w.a.do(t, "POST", path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "X-Twilio-Signature",
			base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	says := func(id, text string) {
		got := post(url.Values{"MessageSid": {id}, "From": {theirs}, "To": {ours}, "Body": {text}}).must(t, 200)
		require.Equal(t, "<Response/>", got.Text)
	}
	says("SM1", "Hi")
	all := w.answers(t, "To", theirs, 2)
	require.Equal(t, []string{"Good day.", "Which meter?\n1. Current\n2. Gas"}, lines(all, "Body"))
	require.Equal(t, []any{ours, "/2010-04-01/Accounts/" + account + "/Messages.json"}, []any{all[0]["From"], all[0]["path"]})
	require.Regexp(t, `^http://.*/api/v1/channels/twilio_sms/webhook/\`+ours+"$", all[0]["StatusCallback"], "what becomes of it is told there")
	says("SM2", "2")
	says("SM2", "2")
	require.Equal(t, "Your PIN?", w.answers(t, "To", theirs, 3)[2]["Body"])

	sent := w.sent(t, c["id"].(string), 3)
	id := sent[0]["providerMessageId"].(string)
	require.Nil(t, sent[0]["state"])
	post(url.Values{"MessageSid": {id}, "MessageStatus": {"delivered"}, "From": {ours}, "To": {theirs}}).must(t, 200)
	post(url.Values{"MessageSid": {"SMnobodys"}, "MessageStatus": {"delivered"}, "From": {ours}, "To": {theirs}}).must(t, 200)
	require.Equal(t, "delivered", w.deliveries(t, c["id"].(string), "")[0]["state"])

	for query, total := range map[string]int{"sms": 1, "twilio_sms": 1, "voice_gateway": 0} {
		var page struct{ Total int }
		w.ask(t, "GET", sessionsPath+"?channel="+query, nil).must(t, 200).into(t, &page)
		require.Equal(t, total, page.Total, query)
	}
	says("SM4", "STOP") // until she says START, nothing goes out to her
	says("SM5", "Are you there?")
	var kept []map[string]any
	require.Eventually(t, func() bool {
		kept = w.deliveries(t, c["id"].(string), "?status=failed")
		return len(kept) == 2
	}, patience, 20*time.Millisecond)
	require.Equal(t, []any{"OPTED_OUT", "the recipient has opted out", 0.}, []any{kept[0]["code"], kept[0]["reason"], kept[0]["attempts"]})
	require.NotEqual(t, sent[0]["sessionId"], kept[0]["sessionId"], "her session has ended")
	for session, want := range map[any][]any{sent[0]["sessionId"]: {"sent", "sent", "sent"}, kept[0]["sessionId"]: {"failed", "failed"}} {
		var traces struct{ Events []map[string]any }
		w.ask(t, "GET", sessionsPath+"/"+session.(string)+"/traces?eventType=delivery", nil).must(t, 200).into(t, &traces)
		var got []any
		for _, e := range traces.Events {
			got = append(got, e["data"].(map[string]any)["status"])
			require.Equal(t, session, e["spanId"])
		}
		require.Equal(t, want, got)
		w.ask(t, "GET", sessionsPath+"/"+session.(string)+"/traces", nil).must(t, 200).into(t, &traces)
		require.Greater(t, len(traces.Events), len(want), "among what else happened")
		exported := w.ask(t, "GET", sessionsPath+"/export?sessionId="+session.(string), nil).must(t, 200).Text
		require.Equal(t, len(want), strings.Count(exported, ",delivery,"), "they are in the file as well")
	}
	says("SM6", "Start")
	says("SM7", "2")
	require.Equal(t, "Your PIN?", w.answers(t, "To", theirs, 4)[3]["Body"])

	w.says(func(string, map[string]any) (int, string) { return 500, "" }) // it may have it: nobody asks again
	says("SM3", "1234")
	require.Eventually(t, func() bool {
		sending := w.deliveries(t, c["id"].(string), "?status=sending")
		return len(sending) == 1 && sending[0]["attempts"] == 1.
	}, patience, 20*time.Millisecond)
}
