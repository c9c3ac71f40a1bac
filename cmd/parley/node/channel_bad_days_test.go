//go:build !apache

package node_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// slowAgent asks something that takes its time, then something that answers when it likes.
const slowAgent = `DSL: 1
AGENT: slow
TOOLS:
  look: {KIND: http, URL: "%[1]s/look", TIMEOUT: 60s}
  pay: {KIND: callback, METHOD: POST, URL: "%[1]s/pay", BODY: {id: "{{ callback.id }}"}, EXPIRES: 1h}
FLOW:
  START: a
  STEPS:
    a: {CALL: look, AS: session.seen, NEXT: b}
    b: {CALL: pay, AS: session.paid, NEXT: c}
    c: {SAY: "Paid {{ session.seen.n }}.", END: true}
`

// press is that somebody took an option that the app showed.
func (s slackApp) press(t *testing.T, channel, at, token string) *answer {
	t.Helper()
	body, _ := json.Marshal(fields{"type": "block_actions", "api_app_id": "A1", "team": fields{"id": s.team}, "user": fields{"id": "U1"},
		"channel": fields{"id": channel}, "actions": []fields{{"type": "static_select", "action_id": "x", "action_ts": at,
			"selected_option": fields{"value": token, "text": fields{"text": "x"}}}}})
	return s.post(t, s.w.a, "payload="+url.QueryEscape(string(body)))
}

// Given one message that comes ten times at once, at two nodes, and once more when all is over, then it is
// answered once; what was written earlier and comes later is answered when it comes.
func TestTheSameMessageTenTimesAtOnce(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	s := w.hearing(t)
	same := s.event("D1", "1700000005.000100", "same")
	var sending sync.WaitGroup
	for n := range 10 {
		sending.Go(func() {
			on := []*server{w.a, w.b}[n%2]
			on.do(t, "POST", s.path(), same, slackHeaders("hush-signing", same)...).must(t, 200)
		})
	}
	sending.Wait()
	w.answers(t, "channel", "D1", 1)
	s.post(t, w.a, same).must(t, 200)
	s.post(t, w.b, s.event("D1", "1700000001.000100", "earlier")).must(t, 200)
	require.Equal(t, heard("same", "earlier"), lines(w.answers(t, "channel", "D1", 2), "text"))
	w.sent(t, s.id, 2)
}

// Given messages while a turn runs, and while its session waits for somebody's answer, then they wait, and
// are answered one after the other.
func TestAMessageWhileATurnRunsOrWaits(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	looks, hold := make(chan struct{}, 9), make(chan struct{})
	callbacks := make(chan string, 9)
	var seen atomic.Int32
	tools := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/look" {
			looks <- struct{}{}
			<-hold
			_, _ = fmt.Fprintf(out, `{"n":%d}`, seen.Add(1))
			return
		}
		var body struct{ ID string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		callbacks <- body.ID
		_, _ = io.WriteString(out, `{}`)
	}))
	t.Cleanup(tools.Close)
	open := sync.OnceFunc(func() { close(hold) })
	t.Cleanup(open)
	w.apply(t, "Agent", "a-slow", "slow", fields{"projectId": mainApp, "dslContent": fmt.Sprintf(slowAgent, tools.URL)})
	w.deploy(t, "dev", fields{"entryAgentName": "slow"})
	s := w.slack(t, fields{"environment": "dev"})

	s.post(t, w.a, s.event("D1", "1700000001.000100", "one")).must(t, 200)
	<-looks
	s.post(t, w.b, s.event("D1", "1700000002.000100", "two")).must(t, 200) // while a turn runs
	open()
	first := <-callbacks
	s.post(t, w.a, s.event("D1", "1700000003.000100", "three")).must(t, 200) // while it is suspended
	require.Empty(t, w.deliveries(t, s.id, ""), "nothing is said yet")
	paid := func(id string) {
		t.Helper()
		w.a.do(t, "POST", "/api/v1/callbacks/"+id, fields{}).must(t, 200)
	}
	paid(first)
	require.Equal(t, "Paid 1.", w.answers(t, "channel", "D1", 1)[0]["text"])
	paid(<-callbacks)
	paid(<-callbacks)
	require.Equal(t, []string{"Paid 1.", "Paid 2.", "Paid 3."}, lines(w.answers(t, "channel", "D1", 3), "text"))
}

// Given a question that was answered, when a button of it is pressed again, or one of what was never shown,
// then nothing is taken for an answer to what is asked now.
func TestAButtonOfAnOldMessage(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	s := w.slack(t)
	s.post(t, w.a, s.event("D1", "1700000001.000100", "Hi")).must(t, 200)
	menu := w.answers(t, "channel", "D1", 2)[1]["blocks"].([]any)[1].(map[string]any)["elements"].([]any)[0].(map[string]any)
	shown := menu["options"].([]any)
	token := func(n int) string { return shown[n].(map[string]any)["value"].(string) }
	for n, never := range []string{"99.0", token(0) + "9", "electricity", "-1.-1", strings.Repeat("9", 40)} {
		s.press(t, "D1", fmt.Sprint("1700000001.", n+1), never).must(t, 200)
	}
	s.press(t, "D2", "1700000001.9", token(0)).must(t, 200) // of another conversation
	s.press(t, "D1", "1700000002.1", token(1)).must(t, 200)
	require.Equal(t, "Your PIN?", w.answers(t, "channel", "D1", 3)[2]["text"])
	s.press(t, "D1", "1700000002.1", token(1)).must(t, 200) // the same press again
	s.press(t, "D1", "1700000003.1", token(0)).must(t, 200) // the other one, too late: the PIN is asked for
	require.Equal(t, "Your PIN?", w.answers(t, "channel", "D1", 4)[3]["text"])
	s.post(t, w.a, s.event("D1", "1700000004.000100", "1234")).must(t, 200)
	require.Regexp(t, "Thank you for the (gas|electricity)", w.answers(t, "channel", "D1", 5)[4]["text"])
	w.sent(t, s.id, 5)
	require.Empty(t, w.deliveries(t, s.id, "?status=failed"))
}

// Given a credential that is revoked, then replies wait, and what the provider says is shown; with another
// one they go out, in their order.
func TestACredentialIsRevoked(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	s := w.hearing(t)
	w.says(func(string, map[string]any) (int, string) { return 200, `{"ok":false,"error":"token_revoked"}` })
	s.post(t, w.a, s.event("D1", "1700000001.000100", "one")).must(t, 200)
	s.post(t, w.a, s.event("D1", "1700000002.000100", "two")).must(t, 200)
	var waits []map[string]any
	require.Eventually(t, func() bool {
		waits = w.deliveries(t, s.id, "?status=retrying")
		return len(waits) == 1
	}, patience, 50*time.Millisecond)
	require.Equal(t, []any{"token_revoked", "Slack does not accept the credentials"}, []any{waits[0]["code"], waits[0]["reason"]})
	w.says(nil)
	require.Equal(t, heard("one", "two"), lines(w.answers(t, "channel", "D1", 2), "text"))
}

// Given a connection that leads to an environment in which nothing is deployed, then it says so, until somebody answers.
func TestNobodyAnswersByAConnection(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	s := w.slack(t, fields{"environment": "dev"})
	s.post(t, w.a, s.event("D1", "1700000001.000100", "Hi")).must(t, 200)
	wrong := w.lastError(t, s.id, func(e map[string]any) bool { return e != nil })
	require.Equal(t, []any{"answering", "NOT_FOUND", "nothing is deployed that could answer"}, []any{wrong["about"], wrong["code"],
		wrong["message"]})
	w.deploy(t, "dev")
	s.post(t, w.b, s.event("D1", "1700000002.000100", "Hi")).must(t, 200)
	w.answers(t, "channel", "D1", 2)
	w.lastError(t, s.id, none)
}

// Given a connection by which nothing is deployed, then it says so of what is deployed at the moment: no more when something is, or is
// rolled back, although nobody has written since, and again when that is retired.
func TestWhatIsWrongWithADeploymentIsSaidOfIt(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	s := w.slack(t, fields{"environment": "dev"})
	s.post(t, w.a, s.event("D1", "1700000001.000100", "Hi")).must(t, 200)
	is := func(e map[string]any) bool { return e != nil }
	wrong := w.lastError(t, s.id, is)
	at := "/api/projects/" + mainAlias + "/deployments/" + w.deploy(t, "dev")["id"].(string)
	w.lastError(t, s.id, none)
	w.ask(t, "POST", at+"/retire", nil).must(t, 200)
	require.Equal(t, wrong, w.lastError(t, s.id, is))
	w.ask(t, "POST", at+"/rollback", nil).must(t, 200)
	w.lastError(t, s.id, none)
}

// Given a connection of another tenant, then nobody here reads, changes or speaks by it, and a message that
// his provider signed is of his own.
func TestAConnectionOfAnotherTenant(t *testing.T) {
	t.Parallel()
	w := newThreadWorld(t)
	mine := w.hearing(t)
	w.ask(t, "POST", connectionsPath, connection(mine.app)).must(t, 409)
	other := w.cluster.threads(t, w.platforms)
	require.Equal(t, 404, other.ask(t, "GET", connectionsPath+"/"+mine.id+"/deliveries", nil).Status)
	require.Equal(t, 404, other.ask(t, "DELETE", connectionsPath+"/"+mine.id, nil).Status)
	hi := mine.event("D1", "1700000001.000100", "Hi")
	require.Equal(t, 401, w.a.do(t, "POST", mine.path(), hi, slackHeaders("hush-of-another", hi)...).Status)
	mine.post(t, w.a, hi).must(t, 200)
	require.Equal(t, heard("Hi"), lines(w.answers(t, "channel", "D1", 1), "text"))
}
