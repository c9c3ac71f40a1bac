package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/calls"
)

// receiver is a customer's server for notifications. It lives on when nodes die.
type receiver struct {
	url    string
	secret string

	mu       sync.Mutex
	statuses map[string][]calls.Status // by call, in the order of their coming
	wrong    []string
	repeated int
}

func receive(t *testing.T, secret string) *receiver {
	t.Helper()
	r := &receiver{secret: secret, statuses: map[string][]calls.Status{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL + "/notifications"
	return r
}

// ServeHTTP verifies and notes. Repeats are what "at least once" allows; another
// order is not.
func (r *receiver) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the node died while it sent
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var n calls.Notice
	if err := webhook.Verify(req.Header.Get("SAVG-Signature"), body, time.Now(), 5*time.Minute, []byte(r.secret)); err != nil {
		r.wrong = append(r.wrong, err.Error())
	} else if err := json.Unmarshal(body, &n); err != nil {
		r.wrong = append(r.wrong, err.Error())
	}
	before := r.statuses[n.ConversationID]
	if len(before) > 0 && before[len(before)-1] == n.Status {
		r.repeated++
		return
	}
	if len(before) > 0 && final(before[len(before)-1]) {
		r.wrong = append(r.wrong, fmt.Sprintf("call %s: %s after %v", n.ConversationID, n.Status, before))
	}
	r.statuses[n.ConversationID] = append(before, n.Status)
}

func final(s calls.Status) bool { return s == calls.StatusCompleted || s == calls.StatusFailed }

// awaitAll waits until the last notification of each call in the ledger has come.
func (r *receiver) awaitAll(t *testing.T, l *ledger) (repeated int) {
	t.Helper()
	var missing []string
	require.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		missing = nil
		for _, call := range l.snapshot() {
			if s := r.statuses[call]; len(s) == 0 || !final(s[len(s)-1]) {
				missing = append(missing, fmt.Sprint(call, s))
			}
		}
		return len(missing) == 0
	}, patience, 50*time.Millisecond, "calls whose last notification has not come: %v", &missing)
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Empty(t, r.wrong, "notifications")
	return r.repeated
}
