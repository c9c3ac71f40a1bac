package suites

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
)

// recorded runs the command against a node that answers so.
func recorded(t *testing.T, status int, answer, to string) (out, notes string, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/api/projects/acme-bot/sessions/s-1/testcase?name=as+it+was", r.URL.RequestURI())
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	c := &RecordCmd{Session: "s-1", Suite: "Acme Gas", Case: "as it was", To: to, OfProject: api.OfProject{Project: "acme-bot"},
		Flags: api.Flags{Server: api.Server{URL: server.URL}, Token: api.Token{Token: "h.eyJhY2NvdW50SWQiOiJhY21lIn0.s"}}}
	var printed, told bytes.Buffer
	err = c.run(t.Context(), &printed, &told)
	return printed.String(), told.String(), err
}

const (
	savedCase = `{"success":true,"suite":{"projectId":"bot","agentName":"meter","cases":[{"name":"as it was","context":{"toolMocks":[
		{"tool":"save","result":{"amount":1.5,"ok":true},"times":1}]},
		"turns":[{"user":"yes","expect":{"say":"Hi.\nWho?","action":"continue"}}]}]},
		"notes":["turn 2 is left out"],"played":{"passed":true}}`
	asYAML = `kind: TestSuite
metadata:
  id: ts-acme-gas
  name: Acme Gas
  tenant: acme
spec:
  projectId: bot
  agentName: meter
  cases:
    - name: as it was
      context:
        toolMocks:
          - tool: save
            result:
              amount: 1.5
              ok: true
            times: 1
      turns:
        - user: "yes"
          expect:
            say: |-
              Hi.
              Who?
            action: continue
`
)

func TestASessionIsWrittenAsASuite(t *testing.T) {
	out, notes, err := recorded(t, 200, savedCase, "")
	require.NoError(t, err)
	require.Equal(t, asYAML, out)
	require.Equal(t, "parley: turn 2 is left out\n", notes)
	asJSON, err := manifest("Acme Gas", "acme", []byte(`{"projectId":"bot"}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"TestSuite","metadata":{"id":"ts-acme-gas","name":"Acme Gas","tenant":"acme"},"spec":{"projectId":"bot"}}`,
		string(asJSON))

	file := filepath.Join(t.TempDir(), "suite.yaml")
	out, _, err = recorded(t, 200, savedCase, file)
	require.NoError(t, err)
	require.Empty(t, out)
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, asYAML, string(written))
	_, _, err = recorded(t, 200, savedCase, file)
	require.ErrorContains(t, err, "is there already")
	require.Equal(t, exit.Change, exit.Of(err))
}

func TestASessionThatIsNoCase(t *testing.T) {
	out, notes, err := recorded(t, 200, `{"suite":{},"played":{"passed":false,"wrong":"turn 1, say: expected \"a\", got \"b\""}}`, "")
	require.Equal(t, exit.Failed, exit.Of(err))
	require.NotEmpty(t, out)
	require.Contains(t, notes, "does not come to the same: turn 1, say")
	_, _, err = recorded(t, 409, `{"error":{"code":"CONFLICT","message":"a model was asked"}}`, "")
	require.ErrorContains(t, err, "a model was asked")
	require.Equal(t, exit.Change, exit.Of(err))
}
