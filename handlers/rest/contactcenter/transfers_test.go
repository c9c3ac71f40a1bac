package contactcenter_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	api "github.com/parley-platform/parley/handlers/rest/contactcenter"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

const assigning = "/agentassist/api/v1/public/p-1/assign-conversation"

// newRequests has the operation as far as it looks at requests: whom there is to transfer
// to is asked only of those that say what they want.
func newRequests(t *testing.T) *resttest.Stored {
	t.Helper()
	w := resttest.NewStored(t, []access.ClientScope{access.ScopeRouting}, access.PermSessionRead)
	api.DeclareTransfers(w.Api, api.Transfers{Commands: w.Commands, CheckURL: func(raw string) error {
		if strings.Contains(raw, "//10.") {
			return errors.New("leads to a private address")
		}
		return nil
	}})
	return w
}

// Members stand in the query or in the body; a transfer goes to exactly one agent or queue.
func TestWhatIsWrongWithATransfer(t *testing.T) {
	const who = `"callbackUrl":"https://crm.example/t","orgId":"acme-org","botSessionId":"s-1"`
	w := newRequests(t)
	skills := func(n int) string { return `["` + strings.Repeat(`s","`, n-1) + `s"]` }
	for _, c := range []struct {
		query, body string
		fields      []string
	}{
		{"", `{}`, []string{"aId", "botSessionId", "callbackUrl", "orgId"}},
		{"", ``, []string{"aId", "botSessionId", "callbackUrl", "orgId"}},
		{"?orgId=acme-org&botSessionId=s-1", `{}`, []string{"aId", "callbackUrl"}},
		{"", `{` + who + `}`, []string{"aId"}},
		{"", `{` + who + `,"aId":"a-1","queueId":"q-1"}`, []string{"aId"}},
		{"", `{` + who + `,"aId":"a-1","transferredType":"QUEUE"}`, []string{"aId"}},
		{"?queueId=q-1&transferredType=QUEUE", `{` + who + `,"aId":"a-1"}`, []string{"aId"}},
		{"", `{` + who + `,"queueId":"q-1"}`, []string{"transferredType"}},
		{"", `{` + who + `,"transferredType":"QUEUE"}`, []string{"queueId"}},
		{"", `{` + who + `,"queueId":"q-1","transferredType":"AGENT"}`, []string{"transferredType"}},
		{"", `{` + who + `,"aId":"a-1","skills":["s-1"]}`, []string{"skills"}},
		{"?queueId=q-1&transferredType=QUEUE", `{` + who + `,"skills":["a b"]}`, []string{"skills"}},
		{"?queueId=q-1&transferredType=QUEUE", `{` + who + `,"skills":` + skills(21) + `}`, []string{"skills"}},
		{"?orgId=other&botSessionId=s-2&callbackUrl=https%3A%2F%2Fother.example&aId=a-2", `{` + who + `,"aId":"a-1"}`,
			[]string{"aId", "botSessionId", "callbackUrl", "orgId"}},
		{"?queueId=q-2&transferredType=QUEUE", `{` + who + `,"queueId":"q-1"}`, []string{"queueId"}},
		{"", `{` + strings.Replace(who, "crm.example", "10.0.0.1", 1) + `,"aId":"a-1"}`, []string{"callbackUrl"}},
		{"", `{` + strings.Replace(who, "https://crm.example/t", "https://a/"+strings.Repeat("p", 2039), 1) + `,"aId":"a-1"}`,
			[]string{"callbackUrl"}},
		{"", `{` + strings.Replace(who, "s-1", "a b", 1) + `,"aId":"a-1"}`, []string{"botSessionId"}},
		{"?aId=a%20b", `{` + who + `}`, []string{"aId"}},
	} {
		w.Refused(w.Ask("POST", assigning+c.query, c.body), 400, c.fields...)
	}
	got := w.Ask("POST", assigning+"?orgId=other", `{`+who+`,"aId":"a-1"}`)
	require.Contains(t, got.Text, "is in the query and in the body with two values")
	require.Contains(t, w.Ask("POST", assigning, `{"aId":"a-1"}`).Text, "is required, in the query or in the body")
}

func TestWhatATransferIsRefusedFirst(t *testing.T) {
	w := newRequests(t)
	for _, c := range []struct {
		path    string
		headers []string
		status  int
	}{
		{assigning, []string{"accountId", "globex"}, 404}, {strings.Replace(assigning, "p-1", "p-2", 1), nil, 404},
		{strings.Replace(assigning, "p-1", "unknown", 1), []string{"accountId", "acme"}, 404},
	} {
		w.Refused(w.Ask("POST", c.path, `{}`, c.headers...), c.status)
	}
	w.Refused(w.Call("POST", assigning, `{}`), 401)
	w.Token = w.Grant("acme", []access.ClientScope{access.ScopeAssistAnalytics})
	w.Refused(w.Ask("POST", strings.Replace(assigning, "p-1", "unknown", 1), `{}`), 403)
	w.Refused(w.Ask("GET", "/api/v1/projects/p-1/transfers", ""), 403)
	w.Token = w.Grant("acme", nil, access.PermSessionRead)
	for query, field := range map[string]string{"limit=201": "limit", "limit=0": "limit", "offset=-1": "offset",
		"sessionId=a%20b":                  "sessionId",
		fmt.Sprintf("sessionId=%0129d", 0): "sessionId"} {
		w.Refused(w.Ask("GET", "/api/v1/projects/p-1/transfers?"+query, ""), 400, field)
	}
	w.Refused(w.Ask("GET", "/api/v1/projects/p-2/transfers", ""), 404)
}
