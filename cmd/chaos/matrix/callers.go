package matrix

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/sessions"
)

// queue has one person, who takes as many chats as the matrix has.
const (
	queue  = "matrix-people"
	person = "a-matrix"
	number = "15550199"         // whose line the agent of calls has
	callee = "tel:+15550000011" // of the simulated carrier: says the lines that the dial-out brings
)

var connections = &http.Client{Timeout: 3 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}

// answer is what came back.
type answer struct {
	status  int
	request string // its id
	body    []byte
}

// ask makes one request; an error says that there was no answer.
func (r *Run) ask(ctx context.Context, method, url string, body any, headers ...string) (a answer, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return a, err
	}
	// Not a reader that can be rewound: nothing is sent again behind our back.
	req, err := http.NewRequestWithContext(ctx, method, url, io.MultiReader(bytes.NewReader(text)))
	if err != nil {
		return a, err
	}
	req.ContentLength = int64(len(text))
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := connections.Do(req)
	if err != nil {
		return a, err
	}
	defer func() { _ = res.Body.Close() }()
	a.status, a.request = res.StatusCode, res.Header.Get("X-Request-Id")
	a.body, err = io.ReadAll(res.Body)
	return a, err
}

// insist asks until there is an answer that stands: by turns at the nodes that are alive, as a
// careful caller does, under one key.
func (r *Run) insist(ctx context.Context, key, method, path string, body any) (a answer, err error) {
	for n := 0; ; n++ {
		nodes := r.nodes()
		asking, stop := r.impatient(ctx)
		a, err = r.ask(asking, method, nodes[n%len(nodes)]+path, body, "auth", r.env["PARLEY_TOKEN"], "accountId", r.env["ACCOUNT_ID"],
			"Idempotency-Key", key)
		stop()
		if err == nil && a.status != http.StatusServiceUnavailable && a.status != http.StatusTooManyRequests {
			return a, nil
		}
		select {
		case <-ctx.Done():
			return a, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// impatient is a context in which whoever waits for the node that is struck gives up then: one that
// is stopped says nothing, and closes nothing.
func (r *Run) impatient(ctx context.Context) (asking context.Context, stop func()) {
	asking, cancel := context.WithCancel(ctx)
	if r.struck.Err() != nil {
		return asking, cancel
	}
	let := context.AfterFunc(r.struck, cancel)
	return asking, func() { let(); cancel() }
}

// must is insist for what has to be taken.
func (r *Run) must(ctx context.Context, key, method, path string, body, into any) error {
	a, err := r.insist(ctx, key, method, path, body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if a.status/100 != 2 {
		return fmt.Errorf("%s %s: %d %s", method, path, a.status, a.body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(a.body, into)
}

// furnish makes the agents, and somebody whom they may escalate to.
func (r *Run) furnish(ctx context.Context) error {
	bot := r.env["BOT_ID"]
	var manifests []any
	manifest := func(kind, id, name string, spec map[string]any) {
		manifests = append(manifests, map[string]any{"kind": kind, "metadata": map[string]any{"id": id, "name": name,
			"tenant": r.env["ACCOUNT_ID"]}, "spec": spec})
	}
	for _, s := range scenarios {
		for _, source := range s.Agents {
			source = strings.ReplaceAll(source, "%[1]s", r.tools.url)
			name := agentOf(source)
			manifest("Agent", name, name, map[string]any{"projectId": bot, "dslContent": source})
		}
	}
	manifest("HumanAgent", person, "Matrix", map[string]any{"userId": "u-matrix", "roleId": "r-acme-agent", "iId": bot,
		"agentGroupId": "g-acme-support",
		"emailId":      "matrix@acme.example", "firstName": "Matrix", "lastName": "Person", "customId": "ACME/0099", "role": "Agent",
		"canSupportChat": true, "maxDigitalChatSupport": 100})
	manifest("Queue", "q-matrix", queue, map[string]any{"agents": []any{map[string]any{"userId": "u-matrix"}}, "waitTimeoutSeconds": 120,
		"onTimeout": "fail"})
	manifest("ExperienceFlow", "cf-matrix", "Matrix", map[string]any{"projectId": bot, "number": number,
		"agentName": "m-call", "language": "en"})
	if err := r.must(ctx, "matrix-apply", http.MethodPost, "/api/v1/admin/apply", map[string]any{"manifests": manifests}, nil); err != nil {
		return err
	}
	if err := r.connect(ctx); err != nil {
		return err
	}
	return r.must(ctx, "matrix-there", http.MethodPut, "/agentassist/api/v1/public/"+bot+"/agents/"+person+"/presence",
		map[string]any{"onlineStatusType": "AVAILABLE"}, nil)
}

func agentOf(source string) string {
	_, rest, _ := strings.Cut(source, "AGENT: ")
	name, _, _ := strings.Cut(rest, "\n")
	return name
}

// start has a turn begin: its caller waits for the answer by itself.
func (r *Run) start(ctx context.Context, t *turn) error {
	r.tools.knows(t)
	if t.Channel != "" {
		r.write(ctx, t)
		return nil
	}
	if t.Text == "" {
		return r.call(ctx, t)
	}
	var out struct{ Session struct{ ID string } }
	if err := r.must(ctx, t.name+"-session", http.MethodPost, "/api/projects/"+r.env["BOT_ID"]+"/sessions",
		map[string]any{"agentId": agentOf(t.Agents[0])}, &out); err != nil {
		return err
	}
	t.session = out.Session.ID
	for i, text := range t.Before {
		key := fmt.Sprintf("%s-before-%d", t.name, i)
		if err := r.must(ctx, key, http.MethodPost, "/api/v1/chat/agent", r.message(t, text), nil); err != nil {
			return err
		}
	}
	r.points.watch(t, sessions.Sessions.Stream(t.session))
	go func() {
		defer close(t.done)
		a, err := r.insist(ctx, t.name, http.MethodPost, "/api/v1/chat/agent", r.message(t, t.Text))
		if err != nil {
			return // the time is up, which is told of its session
		}
		t.status = a.status
		t.action, t.replied = replyOf(a.body)
	}()
	return nil
}

func (r *Run) message(t *turn, text string) map[string]any {
	return map[string]any{"projectId": r.env["BOT_ID"], "sessionId": t.session, "message": strings.ReplaceAll(text, "{case}", t.name)}
}

func replyOf(body []byte) (action, said string) {
	var out struct {
		Response string
		Action   struct{ Type string }
	}
	if json.Unmarshal(body, &out) != nil {
		return "", string(body)
	}
	return out.Action.Type, out.Response
}

// call places one. Its steps are counted from when it is answered: what is before that is the
// affair of rounds.
func (r *Run) call(ctx context.Context, t *turn) error {
	a, err := r.insist(ctx, t.name, http.MethodPost, "/api/1.1/public/bot/"+r.env["BOT_ID"]+"/assist/dialout", map[string]any{
		"botId": r.env["BOT_ID"], "target": callee, "caller": number, "metadata": map[string]any{"says": []string{"Hello?", "gas", "4711"}}})
	if err != nil {
		return err
	}
	var placed struct{ CallID string }
	if err := json.Unmarshal(a.body, &placed); err != nil || placed.CallID == "" {
		return fmt.Errorf("a call was not placed: %d %s", a.status, a.body)
	}
	t.call, t.status = placed.CallID, a.status
	r.points.watch(t, a.request)
	close(t.done)
	return nil
}

// reply answers a callback, at whichever node is alive, until somebody has taken it.
func (r *Run) reply(ctx context.Context, id string) {
	for n := 0; ctx.Err() == nil; n++ {
		nodes := r.nodes()
		asking, stop := r.impatient(ctx)
		a, err := r.ask(asking, http.MethodPost, nodes[n%len(nodes)]+"/api/v1/callbacks/"+id, map[string]any{"state": "done"})
		stop()
		switch {
		case err != nil || a.status == http.StatusServiceUnavailable || a.status == http.StatusTooManyRequests:
			time.Sleep(100 * time.Millisecond)
			continue
		case a.status != http.StatusOK && a.status != http.StatusGone:
			r.Add("callback", "an answer was answered with %d %s", a.status, a.body)
		}
		return
	}
}

// afterwards says something more in sessions that are asked whether all of it is there.
func (r *Run) afterwards(ctx context.Context, only ...*turn) {
	if len(only) == 0 {
		only = r.turns
	}
	for _, t := range only {
		if t.After == "" {
			continue
		}
		if t.Channel != "" {
			r.writesAfter(ctx, t)
			continue
		}
		a, err := r.insist(ctx, t.name+"-after", http.MethodPost, "/api/v1/chat/agent", r.message(t, t.After))
		if err != nil {
			r.Add("answer", "%s: what was said afterwards has no answer: %v", t.name, err)
			continue
		}
		_, t.later = replyOf(a.body)
	}
}
