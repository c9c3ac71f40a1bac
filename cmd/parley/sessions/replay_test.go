package sessions

import (
	"bytes"
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

// replay runs the command against a node that answers so.
func replay(t *testing.T, status int, answer, form string, against ...string) (out, asked string, err error) {
	t.Helper()
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = r.Method + " " + r.URL.Path + " " + string(body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	defer node.Close()
	c := &ReplayCmd{ID: "s-1", Against: against, OfProject: api.OfProject{Project: "acme-bot"}, Flags: api.Flags{
		Server: api.Server{URL: node.URL}, Token: api.Token{Token: "x"}}}
	var printed bytes.Buffer
	err = c.run(t.Context(), show.To(&printed, show.Flags{Output: form}))
	return printed.String(), asked, err
}

const (
	sameAnswer = `{"success":true,"replay":{"same":true,"turns":2,"decisions":5,"passed":1,
		"versions":{"meter":"2","closer":"1"},"difference":null}}`
	other = `{"success":true,"replay":{"same":false,"turns":2,"decisions":3,"passed":0,"versions":{"meter":"3"},"difference":{"turn":2,
		"agentName":"meter","step":"ask","input":"the message \"gas\"","expected":{"type":"said","data":{"text":"Hi","agent":"meter","at":"1"}},
		"got":{"type":"said","data":{"text":"Ho","agent":"meter","at":"2"}}}}}`
	less = `{"success":true,"replay":{"same":false,"turns":1,"decisions":1,"passed":0,"versions":{"meter":"3"},"difference":{"turn":1,
		"agentName":"meter","step":"","input":"a cancel","expected":{"type":"turn-ended","data":{"action":"end"}},"got":null}}}`
)

func TestASessionIsDecidedAgain(t *testing.T) {
	out, asked, err := replay(t, 200, sameAnswer, show.Table)
	require.NoError(t, err)
	require.Equal(t, "POST /api/projects/acme-bot/sessions/s-1/replay {}", asked)
	require.Equal(t, "the same  5 decisions in 2 turns, by closer 1, meter 2; 1 more were taken as they were\n", out)
}

// --version of a replay is the one that it is decided by, and without one that of the program.
func TestAVersionMayBeCalledSo(t *testing.T) {
	for given, spelled := range map[string]string{
		"session replay s-1 --version 3":                   "session replay s-1 --against 3",
		"session replay --version=3 s-1 --version meter=2": "session replay --against=3 s-1 --against meter=2",
		"session replay s-1 --version":                     "session replay s-1 --version",
		"session replay s-1 --version -o json":             "session replay s-1 --version -o json",
		"test run --version 3":                             "test run --version 3",
		"--version":                                        "--version",
	} {
		require.Equal(t, strings.Fields(spelled), Spelled(strings.Fields(given)))
	}
}

func TestTheFirstDifferenceIsShown(t *testing.T) {
	out, asked, err := replay(t, 200, other, show.Table, "3", "closer=working-copy")
	require.Equal(t, exit.Failed, exit.Of(err))
	require.Equal(t, `POST /api/projects/acme-bot/sessions/s-1/replay {"version":"3","versions":{"closer":"working-copy"}}`, asked)
	require.Equal(t, "turn 2, meter, step ask  on the message \"gas\"\n  - said text=\"Hi\"\n  + said text=\"Ho\"\n"+
		"different  3 decisions in 2 turns, by meter 3\n", out)
	out, _, err = replay(t, 200, less, show.Table, "3")
	require.Equal(t, exit.Failed, exit.Of(err))
	require.Contains(t, out, "  - turn-ended action=\"end\"\n  + nothing more\n")
	out, _, err = replay(t, 200, other, show.JSON)
	require.Equal(t, exit.Failed, exit.Of(err))
	require.JSONEq(t, other, out)
}

func TestWhatCannotBeDecidedAgain(t *testing.T) {
	for _, against := range [][]string{{""}, {"=3"}, {"a="}, {"1", "2"}} {
		_, asked, err := replay(t, 200, sameAnswer, show.Table, against...)
		require.ErrorContains(t, err, "--against", against)
		require.Equal(t, exit.Change, exit.Of(err))
		require.Empty(t, asked)
	}
	_, _, err := replay(t, 404, `{"error":{"code":"NOT_FOUND","message":"there is no such session"}}`, show.Table)
	require.ErrorContains(t, err, "there is no such session")
	require.ErrorContains(t, err, "lists the sessions")
	require.Equal(t, exit.Change, exit.Of(err))
	_, _, err = replay(t, 403, `{"error":{"code":"FORBIDDEN","message":"no"}}`, show.Table)
	require.ErrorContains(t, err, "session:read,personal:read")
}
