package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// client calls the API of one node as a program of a customer would.
type client struct {
	url    string
	env    map[string]string // of dev.env
	notify string            // where its calls are reported to; may be empty
}

func clientOf(p *process) client { return client{url: p.url, env: environment(p.t, p.data)} }

// answer is what came back; code is that of a refusal.
type answer struct {
	status int
	code   string
	body   []byte
	header http.Header
}

func (a answer) String() string { return fmt.Sprintf("%d %s", a.status, bytes.TrimSpace(a.body)) }

func (a answer) read(t *testing.T, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(a.body, into), "%s", a)
}

var callers = &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// do sends one request; headers are names and values in turn.
func (c client) do(method, path string, body any, headers ...string) (answer, error) {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		// Not a reader that can be rewound: a request that broke is not sent again
		// behind the test's back, as Go does where there is an Idempotency-Key.
		reader = io.MultiReader(bytes.NewReader(text))
	}
	r, err := http.NewRequest(method, c.url+path, reader)
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := callers.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	if a.body, err = io.ReadAll(res.Body); err != nil {
		return answer{}, err
	}
	var refusal struct{ Error struct{ Code string } }
	_ = json.Unmarshal(a.body, &refusal)
	a.code = refusal.Error.Code
	return a, nil
}

// must is do where no answer is a failure.
func (c client) must(t *testing.T, method, path string, body any, headers ...string) answer {
	t.Helper()
	a, err := c.do(method, path, body, headers...)
	require.NoError(t, err)
	return a
}

// callBody is a call to a simulated person, who answers.
func (c client) callBody() map[string]any {
	body := map[string]any{"botId": c.env["BOT_ID"], "target": "tel:+15550000001", "caller": c.env["CALLER"]}
	if c.notify != "" {
		body["notifyurl"] = c.notify
	}
	return body
}

func (c client) dialOutPath() string {
	return "/api/1.1/public/bot/" + c.env["BOT_ID"] + "/assist/dialout"
}

// dialOut places a call under an Idempotency-Key.
func (c client) dialOut(key string) (answer, error) {
	return c.do(http.MethodPost, c.dialOutPath(), c.callBody(), "auth", c.env["PARLEY_TOKEN"], "Idempotency-Key", key)
}

// interactionRow is one row of the Interactions page.
type interactionRow struct{ ConversationID, Status, EndedAt string }

var ended = []string{"completed", "failed", "machineDetected"}

// interactions reads the whole list, page by page, or the refusal that came instead.
func (c client) interactions() ([]interactionRow, answer, error) {
	var all []interactionRow
	for {
		path := fmt.Sprintf("/api/v1/projects/%s/interactions?limit=200&offset=%d", c.env["BOT_ID"], len(all))
		a, err := c.do(http.MethodGet, path, nil, "Authorization", "Bearer "+c.env["PARLEY_TOKEN"])
		if err != nil || a.status != http.StatusOK {
			return nil, a, err
		}
		var page struct {
			Interactions []interactionRow
			Pagination   struct{ Total int }
		}
		if err := json.Unmarshal(a.body, &page); err != nil {
			return nil, a, err
		}
		all = append(all, page.Interactions...)
		if len(all) >= page.Pagination.Total || len(page.Interactions) == 0 {
			return all, a, nil
		}
	}
}

// ledger is what the callers know: under each key the call that was acknowledged,
// "" as long as no answer came.
type ledger struct {
	mu       sync.Mutex
	calls    map[string]string
	refusals map[string]int // by "status code"
	breaks   map[string]int // requests without an answer: "refused" when nobody listened, else "cut"
	wrong    []string       // acknowledgements that contradict an earlier one
}

func newLedger() *ledger {
	return &ledger{calls: map[string]string{}, refusals: map[string]int{}, breaks: map[string]int{}}
}

func (l *ledger) asked(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.calls[key]; !known {
		l.calls[key] = ""
	}
}

// heard notes an answer and says whether the key is settled.
func (l *ledger) heard(key string, a answer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.status/100 != 2 {
		l.refusals[fmt.Sprintf("%d %s", a.status, a.code)]++
		return false
	}
	var out struct{ CallID string }
	if err := json.Unmarshal(a.body, &out); err != nil || out.CallID == "" {
		l.wrong = append(l.wrong, fmt.Sprintf("key %s: %s", key, a))
		return true
	}
	switch before := l.calls[key]; {
	case before != "" && before != out.CallID:
		l.wrong = append(l.wrong, fmt.Sprintf("key %s was acknowledged as call %s, and then as %s", key, before, out.CallID))
	case before != "" && a.header.Get("Idempotency-Replayed") != "true":
		l.wrong = append(l.wrong, fmt.Sprintf("key %s was answered a second time without Idempotency-Replayed", key))
	}
	l.calls[key] = out.CallID
	return true
}

func (l *ledger) broke(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	how := "cut"
	if errors.Is(err, syscall.ECONNREFUSED) {
		how = "refused"
	}
	l.breaks[how]++
}

func (l *ledger) snapshot() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.calls)
}

func (l *ledger) acknowledged() (n int) {
	for _, call := range l.snapshot() {
		if call != "" {
			n++
		}
	}
	return n
}

// settle asks again under every key, as clients do that do not know what became of
// their requests, until each has an answer.
func (l *ledger) settle(t *testing.T, c client) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(l.snapshot())) {
		var last answer
		require.Eventually(t, func() bool {
			a, err := c.dialOut(key)
			last = a
			return err == nil && l.heard(key, a)
		}, patience, 20*time.Millisecond, "key %s has no answer; the last: %s", key, &last)
	}
	require.Empty(t, l.wrong)
}

// requireSame compares the list with the ledger: every acknowledged call once, and
// nothing else.
func (l *ledger) requireSame(t *testing.T, c client) {
	t.Helper()
	rows, a, err := c.interactions()
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
	listed := map[string]int{}
	for _, row := range rows {
		listed[row.ConversationID]++
	}
	calls := map[string]int{}
	for key, call := range l.snapshot() {
		require.NotEmpty(t, call, "key %s is not settled", key)
		calls[call]++
	}
	require.Equal(t, calls, listed, "calls by how often they were acknowledged, and how often they are listed")
}

// awaitEnds waits until no call is left open.
func (l *ledger) awaitEnds(t *testing.T, c client) (statuses map[string]int) {
	t.Helper()
	require.Eventually(t, func() bool {
		rows, _, err := c.interactions()
		statuses = map[string]int{}
		open := 0
		for _, row := range rows {
			statuses[row.Status]++
			if !slices.Contains(ended, row.Status) || row.EndedAt == "" {
				open++
			}
		}
		return err == nil && open == 0 && len(rows) == len(l.snapshot())
	}, patience, 50*time.Millisecond, "every call ends; they are: %v", &statuses)
	return statuses
}

// load is callers that place calls, one after the other each, until they are stopped.
type load struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// startLoad starts callers. A caller repeats a request that was refused, under its
// key; when its connection breaks it goes to the next node, and home when there is
// none. All of nodes are asked in turn. Between two calls it takes a breath: a test is to
// see that calls go on, and those beside it need the machine too.
func startLoad(l *ledger, name string, number int, nodes ...client) *load {
	return startCallers(l, name, number, 100*time.Millisecond, nodes...)
}

// startRush is startLoad without a breath: whatever ends a node finds it in the middle of requests.
func startRush(l *ledger, name string, number int, nodes ...client) *load {
	return startCallers(l, name, number, 0, nodes...)
}

func startCallers(l *ledger, name string, number int, breath time.Duration, nodes ...client) *load {
	ctx, cancel := context.WithCancel(context.Background())
	x := &load{cancel: cancel}
	for i := range number {
		x.done.Go(func() { call(ctx, l, fmt.Sprintf("%s-%d", name, i), i, breath, nodes) })
	}
	return x
}

// stop lets the callers finish what they are at.
func (x *load) stop() {
	x.cancel()
	x.done.Wait()
}

func call(ctx context.Context, l *ledger, name string, first int, breath time.Duration, nodes []client) {
	at := first % len(nodes)
	for i := 0; ctx.Err() == nil; i++ {
		key := fmt.Sprintf("%s-%d", name, i)
		l.asked(key)
		for settled := false; !settled; {
			a, err := nodes[at].dialOut(key)
			if err != nil {
				l.broke(err)
				if len(nodes) == 1 || ctx.Err() != nil {
					return
				}
				at = (at + 1) % len(nodes)
				continue
			}
			settled = l.heard(key, a)
			if !settled && ctx.Err() != nil {
				return
			}
			if !settled {
				pause(ctx, 20*time.Millisecond) // as a polite caller does before it asks again
			}
		}
		pause(ctx, breath)
	}
}

func pause(ctx context.Context, length time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(length):
	}
}
