package telegram_test

import (
	"net/http"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
)

// drafts: Telegram shows a text for half a minute, by a number that is never 0.
var drafts = &channelstest.Drafts{To: "9", Nowhere: "-1002003004:7",
	Taken: channelstest.Reply{Status: 200, Body: `{"ok":true,"result":true}`},
	Problem: func(_ string, r *http.Request, body []byte) string {
		switch {
		case r.Method != http.MethodPost || r.URL.Path != "/bot77001:hush-hush/sendMessageDraft":
			return r.Method + " " + r.URL.Path
		case string(body) != `{"chat_id":9,"draft_id":2094189896,"text":"Fish \u0026 \u003cchips\u003e? 😀"}`:
			return string(body)
		}
		return ""
	}}
