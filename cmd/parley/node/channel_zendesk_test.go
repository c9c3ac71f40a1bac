//go:build !apache

package node_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// helpdesk is Zendesk: it takes messages of conversations and comments of tickets.
type helpdesk struct {
	*httptest.Server
	mu   sync.Mutex
	took []string // method, path and body
}

func newHelpdesk(t *testing.T) *helpdesk {
	h := &helpdesk{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		h.mu.Lock()
		defer h.mu.Unlock()
		if password != "hush-key" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.took = append(h.took, user+" "+r.Method+" "+r.URL.Path+" "+string(body))
		_, _ = fmt.Fprintf(w, `{"messages":[{"id":"m%[1]d"}],"audit":{"id":%[1]d}}`, len(h.took))
	}))
	t.Cleanup(h.Close)
	return h
}

// told is what came, in its order, once there is so much.
func (h *helpdesk) told(t *testing.T, want int) (all []string) {
	t.Helper()
	require.Eventually(t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		all = append([]string{}, h.took...)
		return len(all) >= want
	}, patience, 20*time.Millisecond)
	require.Len(t, all, want)
	return all
}

// Given a helpdesk, then an agent answers in the conversations of its messaging, by buttons, and on
// its tickets, by numbers: each source is judged by its own secret.
func TestAnAgentAnswersInAHelpdesk(t *testing.T) {
	t.Parallel()
	desk := newHelpdesk(t)
	w := connectedWorld(t, formAgent, map[string]string{"zendesk": desk.URL})
	app, webhook := "app-"+digits(), "hook-"+digits()
	open := func(id, kind, secret, key string) {
		w.connect(t, fields{"channelType": "zendesk", "externalIdentifier": id, "credentials": fields{kind: secret, "keyId": key,
			"keySecret": "hush-key", "subdomain": "acme"}})
	}
	open(app, "webhookSecret", "hush-shown", "app_key")
	open(webhook, "signingSecret", "hush-signing", "ann@acme.example")

	const path = "/api/v1/channels/zendesk/webhook"
	say := func(id, payload string, secret string) *answer {
		body := fmt.Sprintf(`{"app":{"id":"%s"},"webhook":{"id":"w","version":"v2"},"events":[{"id":"%s","type":"conversation:message",`+
			`"payload":{"conversation":{"id":"C1"},"message":{"author":{"type":"user","userId":"U1","displayName":"Ann"},"content":{"type":"text",`+
			`"text":"Hi","payload":"%s"}}}}]}`, app, id, payload)
		return w.a.do(t, "POST", path, body, "X-API-Key", secret)
	}
	say("E1", "", "wrong").refused(t, 401, fault.Unauthorized)
	for range 2 {
		say("E1", "", "hush-shown").must(t, 200)
	}
	const button = `{"author":{"type":"business"},"content":{"actions":[` +
		`{"metadata":{"label":"Yes"},"payload":"1.0","text":"Yes","type":"postback"}],"text":"Shall we?","type":"text"}}`
	require.Equal(t, "app_key POST /sc/v2/apps/"+app+"/conversations/C1/messages "+button, desk.told(t, 1)[0])
	say("E2", "1.0", "hush-shown").must(t, 200)
	require.Contains(t, desk.told(t, 2)[1], `"actions":[{"payload":"2.0","text":"Current","type":"reply"}`)

	comment := func(id, text string, secret string, staff bool) *answer {
		body, _ := json.Marshal(fields{"type": "zen:event-type:ticket.comment_added", "id": id, "subject": "zen:ticket:123",
			"event": fields{"comment": fields{"body": text, "is_public": true, "author": fields{"id": "77", "name": "Ann", "is_staff": staff}}}})
		at := time.Now().UTC().Format(time.RFC3339)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(at + string(body)))
		return w.b.do(t, "POST", path+"/"+webhook, string(body), "X-Zendesk-Webhook-Id", webhook, "X-Zendesk-Webhook-Signature-Timestamp", at,
			"X-Zendesk-Webhook-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	comment("e1", "Hi", "hush-shown", false).refused(t, 401, fault.Unauthorized)
	w.a.do(t, "POST", path+"/"+webhook, `{}`, "X-API-Key", "").refused(t, 401, fault.Unauthorized)
	comment("e0", "Hi from staff", "hush-signing", true).must(t, 200)
	comment("e1", "Hi", "hush-signing", false).must(t, 200)
	require.Equal(t, `ann@acme.example/token PUT /api/v2/tickets/123.json {"ticket":{"comment":{"body":"Shall we?\n1. Yes","public":true}}}`,
		desk.told(t, 3)[2])
	comment("e2", "1", "hush-signing", false).must(t, 200)
	require.Contains(t, desk.told(t, 4)[3], `Which meter?\n1. Current\n2. Gas`)
	comment("e3", "2", "hush-signing", false).must(t, 200)
	require.Contains(t, desk.told(t, 5)[4], `And its PIN?\nPIN`)
	comment("e4", "1234", "hush-signing", false).must(t, 200)
	require.True(t, strings.Contains(desk.told(t, 6)[5], "Thank you for the gas, Ann."))
}
