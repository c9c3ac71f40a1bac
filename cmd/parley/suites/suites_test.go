package suites

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// node is one with a suite, whose run comes to these, one answer after the other.
type node struct {
	*httptest.Server
	answers []string
	asked   []string
	body    string
}

func newNode(t *testing.T, answers ...string) *node {
	t.Helper()
	n := &node{answers: answers}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/public/stream/acme-bot/conversation/testsuites", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"testSuites":[{"_id":"ts-1","name":"Echo","agentName":"echo","cases":2,"totalTestStepsCount":3}]}`)
	})
	mux.HandleFunc("POST /api/public/stream/acme-bot/conversation/testsuite/Echo/run", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		n.body = string(body)
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"_id":"ctr-1","status":"inprogress","totalTestStepsCount":3,"percentageCompleted":0,"result":{}}`)
	})
	mux.HandleFunc("GET /api/public/stream/acme-bot/conversation/testsuite/Echo/ctr-1/status", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, n.answers[0])
		if len(n.answers) > 1 {
			n.answers = n.answers[1:]
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":{"code":"NOT_FOUND","message":"there is no such test suite"}}`)
	})
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.asked = append(n.asked, r.Method+" "+r.URL.RequestURI())
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(n.Close)
	return n
}

// test runs the command against the node.
func (n *node) test(t *testing.T, suite, form string, edit ...func(*RunCmd)) (out, notes string, err error) {
	t.Helper()
	c := &RunCmd{Suite: suite, OfProject: api.OfProject{Project: "acme-bot"}, Flags: api.Flags{Server: api.Server{URL: n.URL},
		Token: api.Token{Token: "x"}}}
	for _, e := range edit {
		e(c)
	}
	var printed, told bytes.Buffer
	err = c.run(t.Context(), show.To(&printed, show.Flags{Output: form}), &told)
	return printed.String(), told.String(), err
}

// ended is a run that came to a status.
func ended(status, more string) string {
	return fmt.Sprintf(`{"_id":"ctr-1","status":%q,"totalTestStepsCount":3,"percentageCompleted":100,"result":{"version":"4","status":%q,
		"stepDetails":{"passed":2,"failed":1,"total":3},"duration":1234}%s}`, status, status, more)
}

const (
	halfWay = `{"_id":"ctr-1","status":"inprogress","totalTestStepsCount":3,"percentageCompleted":66,"result":{}}`
	differs = `,"failures":[{"case":"speaks","turn":2,"differences":[{"what":"say","expected":"Hi","got":"Ho"}]}]`
)

func TestASuiteIsRunUntilItHasEnded(t *testing.T) {
	n := newNode(t, halfWay, halfWay, ended("passed", `,"failures":[]`))
	out, notes, err := n.test(t, "Echo", show.Table, func(c *RunCmd) { c.Environment, c.Language = "dev", "de" })
	require.NoError(t, err)
	require.JSONEq(t, `{"environment":"dev","language":"de"}`, n.body)
	require.Equal(t, "run ctr-1 of Echo: 3 steps\n 66 %\n", notes, "each percentage once")
	require.Equal(t, "passed  2 of 3 steps passed, in 1.23s, version 4", strings.TrimSpace(out))
}

func TestWhatIsNotAsExpectedIsShown(t *testing.T) {
	n := newNode(t, ended("failed", differs))
	out, _, err := n.test(t, "Echo", show.Table)
	require.Equal(t, exit.Failed, exit.Of(err))
	for _, part := range []string{"speaks, turn 2\n", "  say\n", "    - Hi\n", "    + Ho\n", "failed  2 of 3 steps passed"} {
		require.Contains(t, out, part)
	}
	out, notes, err := n.test(t, "Echo", show.JSON)
	require.Equal(t, exit.Failed, exit.Of(err))
	require.JSONEq(t, ended("failed", differs), out, "as the API says it")
	require.Empty(t, notes)
}

func TestASuiteThatCannotBePlayed(t *testing.T) {
	n := newNode(t, ended("error", `,"reason":"case \"speaks\": no model","failures":[{"case":"speaks","differences":[],"error":"no model"}]`))
	out, _, err := n.test(t, "Echo", show.Table)
	require.Equal(t, exit.Change, exit.Of(err))
	require.Contains(t, out, "speaks  no model\n")
	require.Contains(t, out, `case "speaks": no model`)
	_, _, err = n.test(t, "None", show.Table)
	require.ErrorContains(t, err, "there is no such test suite")
	require.ErrorContains(t, err, "parley test without a name lists the suites")
	require.Equal(t, exit.Change, exit.Of(err))
	_, _, err = n.test(t, "Echo", show.Table, func(c *RunCmd) { c.Token.Token = "" })
	require.ErrorContains(t, err, "--scopes 'Conversation Tests Execution'")
}

func TestARunIsLeftToItself(t *testing.T) {
	n := newNode(t, halfWay)
	out, _, err := n.test(t, "Echo", show.Table, func(c *RunCmd) { c.NoWait = true })
	require.NoError(t, err)
	require.Contains(t, out, "run ctr-1 of Echo is asked for")
	require.Len(t, n.asked, 1)
	out, _, err = n.test(t, "Echo", show.JSON, func(c *RunCmd) { c.NoWait = true })
	require.NoError(t, err)
	require.Contains(t, out, `"_id":"ctr-1"`)
}

func TestSuitesAreListed(t *testing.T) {
	n := newNode(t)
	out, _, err := n.test(t, "", show.Table)
	require.NoError(t, err)
	require.Equal(t, []string{"SUITE", "AGENT", "CASES", "STEPS", "LANGUAGE", "ID", "Echo", "echo", "2", "3", "ts-1"}, strings.Fields(out))
	out, _, err = n.test(t, "", show.JSON)
	require.NoError(t, err)
	require.Contains(t, out, `"name":"Echo"`)
}
