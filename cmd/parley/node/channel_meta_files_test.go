//go:build !apache

package node_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Given WhatsApp, Messenger and LINE, when somebody sends a picture, then it is got in the way of each,
// and is an attachment of the session before the agent answers.
func TestPicturesOfMessengersBecomeAttachments(t *testing.T) {
	t.Parallel()
	w := newLookingWorld(t)
	p := w.phone(t, "hush-app", fields{"agentName": "looker"})
	page, official := "88"+digits(), "U"+digits()
	social := w.connect(t, fields{"channelType": "messenger", "externalIdentifier": page, "agentName": "looker",
		"credentials": fields{"appSecret": "hush-app", "verifyToken": "hush-word", "pageAccessToken": "hush"}})
	regional := w.connect(t, fields{"channelType": "line", "externalIdentifier": official, "agentName": "looker",
		"credentials": fields{"channelSecret": "hush-line", "channelAccessToken": "hush"}})
	w.says(func(path string, _ map[string]any) (int, string) {
		switch path {
		case "/v25.0/M1":
			return 200, `{"messaging_product":"whatsapp","url":"` + w.URL + `/f/dot.png","mime_type":"image/png","id":"M1"}`
		case "/v25.0/M2":
			return 401, `{"error":{"code":190}}`
		case "/f/dot.png", "/v2/bot/message/3258/content":
			return 200, pngBytes
		}
		return 0, ""
	})
	person := fields{"from": "16505551234", "from_user_id": "US.1349"}
	picture := func(id string) fields {
		return person.and(fields{"id": "wamid." + id, "type": "image", "image": fields{"id": id, "mime_type": "image/png", "caption": "look"}})
	}
	p.post(t, w.a, p.change(fields{"messages": []fields{picture("M1"), picture("M2")}})).must(t, 200)
	post := func(kind string, body any, headers func(secret, body string) []string, secret string) {
		data, err := json.Marshal(body)
		require.NoError(t, err)
		w.b.do(t, "POST", "/api/v1/channels/"+kind+"/webhook", string(data), headers(secret, string(data))...).must(t, 200)
	}
	post("messenger", fields{"object": "page", "entry": []fields{{"id": page, "messaging": []fields{{"sender": fields{"id": "PSID"},
		"recipient": fields{"id": page}, "message": fields{"mid": "m_1", "attachments": []fields{{"type": "image",
			"payload": fields{"url": w.URL + "/f/dot.png"}}}}}}}}}, signedByMeta, "hush-app")
	post("line", fields{"destination": official, "events": []fields{{"type": "message", "webhookEventId": "01",
		"source": fields{"userId": "U4af"}, "message": fields{"id": "3258", "type": "image"}}}}, signedByLINE, "hush-line")

	told := p.answers(t, 2)
	require.Nil(t, toldOf(t, at(told[0], "text", "body"))[0]["problem"])
	require.Equal(t, "Meta does not accept the credentials for the file", toldOf(t, at(told[1], "text", "body"))[0]["problem"])
	for _, c := range []any{p.id, social["id"], regional["id"]} {
		want := 1
		if c == p.id {
			want = 2
		}
		session := w.sent(t, c.(string), want)[0]["sessionId"].(string)
		all := w.attachments(t, session)
		require.Len(t, all, 1)
		require.Equal(t, []any{"image/png", 12.}, []any{at(all[0], "mimeType"), at(all[0], "sizeBytes")})
	}
}
