package keys

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/events"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// entry is one of a scope, as the API shows it.
func entry(scope, kind, data string) string {
	return fmt.Sprintf(`{"type":"parley.scopes.%s.v1","stream":"scope-%s","actor":"user:ada","data":%s}`, kind, scope, data)
}

func created(id, name, at string) string {
	return fmt.Sprintf(`{"keyId":%q,"name":%q,"scopeName":"main","projectId":"bot","kind":"secret","hash":"h","displayPrefix":"sk_abc",`+
		`"createdAt":"2026-11-23T10:00:0%sZ"}`, id, name, at)
}

// Given the events of all scopes on two pages, then the keys are those that were made and
// neither revoked nor removed with their scope, the oldest first.
func TestExistingKeysAreFoldedFromTheEventsOfScopes(t *testing.T) {
	pages := map[string]string{
		"": `{"events":[` + entry("a", "defined", `{}`) + `,` + entry("a", "key-created", created("ak-2", "second", "2")) + `,` +
			entry("a", "key-created", created("ak-1", "first", "1")) + `,` + entry("b", "key-created", created("ak-3", "third", "3")) +
			`],"nextCursor":"more"}`,
		"more": `{"events":[` + entry("a", "key-created", created("ak-4", "fourth", "4")) + `,` + entry("a", "key-revoked",
			`{"keyId":"ak-2"}`) + `,` + entry("b", "removed", `{"keyIds":["ak-3"]}`) + `,` + entry("b", "defined", `{}`) + `]}`,
	}
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(pages[r.URL.Query().Get("cursor")]))
	}))
	defer node.Close()
	client, err := api.New(node.URL, "t", "", events.Auditing())
	require.NoError(t, err)
	all, err := existing(t.Context(), client)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, []string{"ak-1", "ak-4"}, []string{all[0].ID, all[1].ID})
	require.Equal(t, "user:ada", all[0].CreatedBy)

	var out bytes.Buffer
	require.NoError(t, print(show.To(&out, show.Flags{Output: show.JSON}), all[:1]))
	require.NotContains(t, out.String(), "hash")
	require.JSONEq(t, `{"keyId":"ak-1","name":"first","projectId":"bot","scopeId":"","scopeName":"main","kind":"secret",
		"displayPrefix":"sk_abc",
		"createdAt":"2026-11-23T10:00:01Z","createdBy":"user:ada"}`, out.String())
	out.Reset()
	require.NoError(t, print(show.On(&out, 0, false), nil))
	require.Contains(t, out.String(), "parley keys create")
}
