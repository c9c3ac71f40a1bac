//go:build !apache

package node_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Given a tool with CONFIRM, then the user is asked with two buttons, and it is called behind his yes,
// once.
func TestAUserConfirmsATool(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	var paid atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		paid.Add(1)
		out.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(out, `{}`)
	}))
	defer server.Close()
	w.apply(t, "Agent", "a-payer", "payer", fields{"projectId": mainApp, "dslContent": fmt.Sprintf(`DSL: 1
AGENT: payer
TOOLS: {pay: {KIND: http, METHOD: POST, URL: "%s/", CONFIRM: write, TIMEOUT: 60s, DESCRIPTION: Pay the bill.}}
FLOW: {START: a, STEPS: {a: {CALL: pay, ON_ERROR: {SAY: Not paid., END: true}, NEXT: b}, b: {SAY: Paid., END: true}}}
`, server.URL)})
	session := w.begin(t, "payer")
	out := w.say(t, session, "Hello")
	require.Equal(t, "May I do this: Pay the bill?", out.Response)
	require.Equal(t, "continue", out.Action.Type)
	require.Len(t, out.Actions, 2)
	require.Zero(t, paid.Load())
	require.Equal(t, "Paid.", w.say(t, session, "Yes").Response)
	require.EqualValues(t, 1, paid.Load())

	session = w.begin(t, "payer")
	w.say(t, session, "Hello")
	require.Equal(t, "Not paid.", w.say(t, session, "No").Response)
	require.EqualValues(t, 1, paid.Load())
}
