package node_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// tooled is a conversation with an agent whose tools are at a server of the test.
type tooled struct {
	talkWorld
	server  *httptest.Server
	mu      sync.Mutex
	asked   []*http.Request
	bodies  []map[string]any
	answers func(w http.ResponseWriter, r *http.Request)
}

const tooledAgent = `DSL: 1
AGENT: shop
TOOLS:
  find: {KIND: http, URL: "%[1]s/customers", QUERY: {name: "{{ args.name }}"}, HEADERS: {Authorization: "Bearer ${secret:TOKEN}"},
    PARAMS: {type: object, required: [name], properties: {name: {type: string}}}, TIMEOUT: 60s}
  order: {KIND: http, METHOD: POST, URL: "%[1]s/orders", BODY: {for: "{{ session.customer.id }}"}, TIMEOUT: 60s}
  pay: {KIND: callback, METHOD: POST, URL: "%[1]s/charges", BODY: {notify: "{{ callback.url }}", id: "{{ callback.id }}"}, TIMEOUT: 60s,
    SIGN_WITH: SIGN, EXPIRES: %[2]s, ON_TIMEOUT: {SAY: Too late., END: true}}
GATHER: {name: {TYPE: string, PROMPT: "Who are you?"}}
FLOW:
  START: who
  STEPS:
    who: {GATHER: [name], NEXT: find}
    find: {CALL: find, WITH: {name: gather.name}, AS: session.customer, ON_ERROR: {SAY: "Not found.", STOP: true}, NEXT: order,
      BRANCH: [{IF: 'gather.name == "payer"', GOTO: pay}]}
    order: {CALL: order, ON_ERROR: {RETRY: 2, SAY: "Perhaps ordered.", END: true}, NEXT: done}
    pay: {CALL: pay, AS: session.paid, NEXT: paid}
    paid: {SAY: "It is {{ session.paid.state }}."}
    done: {SAY: "Ordered for {{ session.customer.name }}.", END: true}
`

func newTooled(t *testing.T, expires string) *tooled {
	w := &tooled{talkWorld: newTalkWorld(t)}
	w.server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var members map[string]any
		_ = json.Unmarshal(body, &members)
		w.mu.Lock()
		w.asked, w.bodies = append(w.asked, r), append(w.bodies, members)
		answers := w.answers
		w.mu.Unlock()
		answers(out, r)
	}))
	t.Cleanup(w.server.Close)
	w.answers = func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(out, `{"id":7,"name":%q}`, r.URL.Query().Get("name"))
	}
	w.apply(t, "Agent", "a-shop", "shop", fields{"projectId": mainApp, "dslContent": fmt.Sprintf(tooledAgent, w.server.URL, expires)})
	for key, value := range map[string]string{"TOKEN": "s3cr3t-token", "SIGN": "sign-with-this"} {
		tool := map[string]string{"TOKEN": "find", "SIGN": "pay"}[key]
		w.ask(t, "POST", "/api/tool-secrets", fields{"projectId": mainApp, "toolName": tool, "secretKey": key, "value": value}).
			must(t, http.StatusCreated)
	}
	return w
}

func (w *tooled) seen() ([]*http.Request, []map[string]any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]*http.Request(nil), w.asked...), append([]map[string]any(nil), w.bodies...)
}

func (w *tooled) answering(answers func(http.ResponseWriter, *http.Request)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers = answers
}

// posts a callback, signed.
func (w *tooled) callback(t *testing.T, on *server, id, body, secret string) *answer {
	t.Helper()
	hash := hmac.New(sha256.New, []byte(secret))
	hash.Write([]byte(body))
	return on.do(t, "POST", "/api/v1/callbacks/"+id, body, "Content-Type", "application/json", "x-callback-signature",
		"sha256="+hex.EncodeToString(hash.Sum(nil)))
}
