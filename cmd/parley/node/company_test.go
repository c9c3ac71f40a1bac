//go:build !apache

package node_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/cmd/parley/workspace"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/examples"
	"github.com/parley-platform/parley/examples/company"
)

// companyWorld is the example workspace on a node of its own, as serve --dev has it.
type companyWorld struct {
	*server
	workspace.Workspace

	mu    sync.Mutex
	asked []string // the hosts of the company
}

func newCompany(t *testing.T, change ...func(*node.Config)) *companyWorld {
	t.Helper()
	w := &companyWorld{}
	hosts := httptest.NewServer(company.Handler(func(host, asked string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked = append(w.asked, host+" "+asked)
	}))
	t.Cleanup(hosts.Close)
	played := func(c *node.Config) { c.Hosts = company.At(strings.TrimPrefix(hosts.URL, "http://")) }
	w.server = newCluster(t).start(t, append([]func(*node.Config){played}, change...)...)
	var err error
	w.Workspace, err = workspace.Prepare(t.Context(), w.Node, t.TempDir())
	require.NoError(t, err)
	return w
}

func (w *companyWorld) ask(t *testing.T, method, path string, body any) *answer {
	t.Helper()
	return w.do(t, method, path, body, "auth", w.Token)
}

// heard is what the hosts of the company were asked since the last look, those of one.
func (w *companyWorld) heard(host string) (out []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, asked := range w.asked {
		if rest, is := strings.CutPrefix(asked, host+" "); is {
			out = append(out, rest)
		}
	}
	w.asked = nil
	return out
}

// exchange is what is said or chosen in a conversation, and what comes back: what is said is whole, or
// what it has where it ends with "...". Empty is not looked at.
type exchange struct {
	says, chooses string // a choice is an id, or id=value
	answer        string
	action        string // continue, unless said
	agent, step   string
}

// talk goes through a conversation with an agent of the deployment, and gives the last answer.
func (w *companyWorld) talk(t *testing.T, agent string, test fields, turns ...exchange) (last chatAnswer, traces []string) {
	t.Helper()
	body := fields{"projectId": w.Project, "agentId": agent}
	if test != nil {
		body = body.and(fields{"testContext": test})
	}
	for i, turn := range turns {
		body["message"] = turn.says
		delete(body, "action")
		if turn.chooses != "" {
			id, value, valued := strings.Cut(turn.chooses, "=")
			if body["action"] = (fields{"id": id}); valued {
				body["action"] = fields{"id": id, "value": value}
			}
			body["message"] = "(chosen)"
		}
		last = chatAnswer{}
		w.ask(t, "POST", "/api/v1/chat/agent", body).must(t, http.StatusOK).into(t, &last)
		about := []any{"turn %d: %s%s\n%v", i + 1, turn.says, turn.chooses, last.traces()}
		if part, within := strings.CutSuffix(turn.answer, "..."); within {
			part = strings.TrimPrefix(part, "...")
			require.Contains(t, last.Response, part, about...)
		} else {
			require.Equal(t, turn.answer, last.Response, about...)
		}
		want := turn.action
		if want == "" {
			want = "continue"
		}
		require.Equal(t, want, last.Action.Type, about...)
		if turn.agent != "" {
			require.Equal(t, turn.agent, last.State.AgentName, about...)
		}
		if turn.step != "" {
			require.Equal(t, turn.step, last.State.Step, about...)
		}
		traces = append(traces, last.traces()...)
		if body = body.and(fields{"sessionId": last.SessionID, "agentId": nil, "testContext": nil}); test["toolMocks"] != nil {
			body["testContext"] = fields{"toolMocks": test["toolMocks"]}
		}
	}
	return last, traces
}

// The agents of the example company, walked from end to end as serve --dev has them, without a key.
func TestTheAgentsOfTheExampleCompany(t *testing.T) {
	t.Parallel()
	w := newCompany(t)
	t.Run("the support line leads to whom it is about", w.supportLine)
	t.Run("the widget of the shop talks with it", w.widget)
	t.Run("every branch of the scripted agent", w.meterReading)
	t.Run("triage by a model", w.triage)
	t.Run("a trip", w.trip)
	t.Run("a payment that comes too late", w.tooLate)
	t.Run("their tests", w.tests)
	t.Run("what is seen of it", w.seen)
}

// widget is what the page of the shop does with its public key.
func (w *companyWorld) widget(t *testing.T) {
	const page = "http://localhost:3000"
	var begun struct{ Token, SessionID string }
	w.do(t, "POST", "/api/v1/sdk/init", fields{"projectId": w.Project}, "X-Public-Key", examples.PublicKey, "Origin", page).
		must(t, http.StatusOK).into(t, &begun)
	var said chatAnswer
	w.do(t, "POST", "/api/v1/chat/agent", fields{"projectId": w.Project, "sessionId": begun.SessionID, "message": "Hello"},
		"X-SDK-Token", begun.Token, "Origin", page).must(t, http.StatusOK).into(t, &said)
	require.NotEmpty(t, said.Response)
}

func (w *companyWorld) supportLine(t *testing.T) {
	hello := exchange{says: "Hello", answer: "Hello, this is Acme support. How can I help you today?\n" +
		"Is it about a meter, a trip, billing or something technical, or do you want a person?", agent: "acme-support"}
	for _, c := range [][]exchange{
		{hello, {says: "My meter", answer: "Which meter is it?", agent: "Meter_Reading", step: "which"}},
		{hello, {says: "A trip, please", answer: "Where to?", agent: "Trip_Planner", step: "ask"}},
		{hello, {says: "billing", answer: "...Find out what the customer needs...", agent: "Support_Triage"}},
		{hello, {says: "It is technical", answer: "...You said: It is technical...", agent: "Tech_Agent"}},
		{hello, {says: "A person", answer: "A colleague takes over.", action: "escalated"}},
		{hello, {says: "Bananas", answer: strings.SplitN(hello.answer, "\n", 2)[1]}, {says: "Apples", answer: "...Is it about..."},
			{says: "Pears", answer: "...Is it about..."}, {says: "Plums", answer: "A colleague takes over.", action: "escalated"}},
		{{says: "I want to book a trip", answer: "Hello, this is Acme support. How can I help you today?\nWhere to?", agent: "Trip_Planner"}},
	} {
		w.talk(t, examples.EntryAgent, nil, c...)
	}
}

func (w *companyWorld) meterReading(t *testing.T) {
	const (
		which, number, digits = "Which meter is it?", "What is your 8-digit meter number?", "It has 8 digits, as on the label."
		reading, person       = "Type the gas reading.", "A colleague takes over."
	)
	hello := exchange{says: "Hello", answer: "This line takes meter readings.\n" + which, step: "which"}
	gas, known := exchange{chooses: "kind=gas", answer: number, step: "number"}, exchange{says: "12345678", answer: reading, step: "reading"}
	for name, c := range map[string]struct {
		turns  []exchange
		posted []string
	}{
		"it is saved": {[]exchange{hello, gas, known, {chooses: "value=4711", answer: "Saved: 4711. Thank you.", action: "end"}},
			[]string{`POST /readings {"meter":"12345678","value":4711}`}},
		"all of it in words": {[]exchange{hello, {says: "Gas", answer: number}, known,
			{says: "0", answer: "Saved: 0. Thank you.", action: "end"}},
			[]string{`POST /readings {"meter":"12345678","value":0}`}},
		"a kind that there is not": {[]exchange{hello, {says: "coal", answer: which}, {chooses: "kind=coal", answer: which}, gas}, nil},
		"never a kind": {[]exchange{hello, {says: "a", answer: which}, {says: "b", answer: which}, {says: "c", answer: which},
			{says: "d", action: "continue"}}, nil},
		"never a number": {[]exchange{hello, gas, {says: "1234567", answer: digits}, {says: "twelve", answer: digits},
			{says: "123456789", answer: digits}, {says: "1", answer: person, action: "escalated", step: "person"}}, nil},
		"a number at the third try": {[]exchange{hello, gas, {says: "x", answer: digits}, {says: "y", answer: digits}, known}, nil},
		"a reading that cannot be": {[]exchange{hello, gas, known, {says: "-1", answer: reading}, {says: "1000000", answer: reading},
			{says: "4.5", answer: reading}, {says: "999999", answer: "Saved: 999999. Thank you.", action: "end"}},
			[]string{`POST /readings {"meter":"12345678","value":999999}`}},
		"one that is not taken": {[]exchange{hello, gas, {says: "00000000", answer: reading},
			{says: "1", answer: person, action: "escalated", step: "person"}}, []string{`POST /readings {"meter":"00000000","value":1}`}},
		"a system that is down, twice": {[]exchange{hello, gas, {says: "99999999", answer: reading},
			{says: "1", answer: person, action: "escalated", step: "person"}},
			[]string{`POST /readings {"meter":"99999999","value":1}`, `POST /readings {"meter":"99999999","value":1}`}},
	} {
		t.Run(name, func(t *testing.T) {
			w.heard("meters.example.com")
			_, traces := w.talk(t, "Meter_Reading", nil, c.turns...)
			require.Equal(t, c.posted, w.heard("meters.example.com"))
			require.NotContains(t, traces, "llm_call")
			require.NotContains(t, traces, "memory")
		})
	}
}

func (w *companyWorld) triage(t *testing.T) {
	const email = `remember {"email":"ada.park@example.com"}`
	asks, bill := "...Find out what the customer needs...", "...Your last bill was paid, and nothing is due. Does that answer it?..."
	billing := exchange{says: `remember {"topic":"billing"}`, answer: "......"}
	for name, turns := range map[string][]exchange{
		"billing, and back": {{says: "Hello", answer: "...Hello, how can I help?..."}, billing,
			{says: email, answer: bill, agent: "Billing_Agent"},
			{says: "yes", answer: "Glad that is sorted. Goodbye.", action: "end", agent: "Support_Triage"}},
		"billing, not settled": {{says: "Hello", answer: asks}, billing, {says: email, answer: bill}, {says: "no", answer: "......",
			agent: "Support_Triage"}},
		"technical, and to a person": {{says: "Hello", answer: asks}, {says: `remember {"topic":"technical"}`,
			answer: "......", agent: "Tech_Agent"}, {says: "It is dark", answer: "...You said: It is dark..."},
			{says: "escalate_to_support_l1 {}", action: "escalated", agent: "Tech_Agent"}},
		"a customer who is looked for": {{says: "Hello", answer: asks}, {says: `find_customer {"email":"ada.park@example.com"}`,
			answer: "...Which e-mail address is on the account?..."}, {says: email, answer: "......"},
			{says: `find_customer {"email":"ada.park@example.com"}`, answer: "...cu-1001..."}},
		"six turns and no more": {{says: "1", answer: asks}, {says: "2", answer: asks}, {says: "3", answer: asks}, {says: "4", answer: asks},
			{says: "5", answer: asks}, {says: "6", answer: asks}, {says: "7", action: "escalated"}},
	} {
		t.Run(name, func(t *testing.T) { w.talk(t, "Support_Triage", nil, turns...) })
	}
	caller := func(attributes fields) fields {
		return fields{"callerContext": fields{"userId": "u-1", "customAttributes": attributes}}
	}
	w.talk(t, "Support_Triage", caller(fields{"name": "Ann"}), exchange{says: "Hi", answer: "...Hello Ann, how can I help?..."})
	last, _ := w.talk(t, "Support_Triage", caller(fields{"wants_human": true}), exchange{says: "Hi", action: "escalated", answer: "......"})
	require.Equal(t, "Support_Triage", last.State.AgentName)
	last, _ = w.talk(t, "Support_Triage", nil, exchange{says: "My card is 4111111111111111", answer: "......"})
	said := w.ask(t, "GET", "/api/v1/sessions/"+last.SessionID+"/transcripts", nil).must(t, http.StatusOK).Text
	require.NotContains(t, said, "4111111111111111")
	require.Contains(t, said, "My card is")
}

// Given a server without any model, then what is scripted is talked with, also where agents that a model leads are deployed beside it;
// whoever leads to one of these cannot be begun with.
func TestScriptedAgentsNeedNoModel(t *testing.T) {
	t.Parallel()
	w := newCompany(t, func(c *node.Config) { c.Providers = slices.Providers{LLM: "none"} })
	w.talk(t, "Meter_Reading", nil, exchange{says: "Hello", answer: "This line takes meter readings.\nWhich meter is it?"},
		exchange{says: "gas", answer: "What is your 8-digit meter number?"}, exchange{says: "12345678", answer: "Type the gas reading."},
		exchange{says: "17", answer: "Saved: 17. Thank you.", action: "end"})
	refused := w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": w.Project, "message": "Hello"})
	refused.refused(t, http.StatusServiceUnavailable, fault.Unavailable)
	require.Contains(t, refused.Text, "the agent Support_Triage needs a model")
}
