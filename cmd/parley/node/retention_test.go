package node_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

const retentionPath = "/api/v1/privacy/retention"

// kept is what a project says, as the operations show it.
type kept struct {
	Success   bool `json:"success"`
	Retention struct {
		ProjectID string         `json:"projectId"`
		Days      map[string]int `json:"days"`
		SetAt     string         `json:"setAt"`
		NextAt    string         `json:"nextAt"`
		LookedAt  string         `json:"lookedAt"`
		ErasureID string         `json:"erasureId"`
	} `json:"retention"`
}

// Given calls of long ago and of today, when the project says that it keeps calls for 90
// days, then those of long ago have nobody in them any more on any node, and all else is as
// it was. When it then says so of conversations alone, nothing more is forgotten.
func TestAProjectKeepsCallsForSoLong(t *testing.T) {
	t.Parallel()
	soon := func(c *node.Config) { c.RetentionGrace = time.Millisecond }
	w := newCallWorld(t, soon, nobodyDials)
	day := func(n int) time.Time { return time.Now().AddDate(0, 0, n) }
	long := w.completed(t, w.answered(t, w.past(t, w.one, mainApp, day(-92)), day(-92)), calls.ByGateway, day(-91))
	recent := w.completed(t, w.answered(t, w.past(t, w.one, mainApp, day(-92)), day(-92)), calls.ByGateway, day(-89))
	running := w.answered(t, w.past(t, w.one, mainApp, day(-92)), day(-92))
	other := w.cluster.start(t, soon) // behind them, so that its dialer takes none

	var k kept
	w.do(t, "GET", retentionPath+"/"+mainApp, nil, "auth", w.auth).must(t, 200).into(t, &k)
	require.Empty(t, k.Retention.Days)
	w.ask(t, "PUT", retentionPath+"/"+mainApp, fields{"days": fields{"calls": 90}}).must(t, http.StatusOK).into(t, &k)
	require.True(t, k.Success)
	require.Equal(t, map[string]int{"calls": 90}, k.Retention.Days)
	require.Equal(t, mainApp, k.Retention.ProjectID)
	require.Regexp(t, isoForm, k.Retention.SetAt)
	until(t, "the first look, and its job", func() bool {
		other.do(t, "GET", retentionPath+"/"+mainApp, nil, "auth", w.auth).must(t, 200).into(t, &k)
		return k.Retention.ErasureID != "" && other.do(t, "GET", erasuresPath+"/"+k.Retention.ErasureID, nil, "auth", w.auth).Status == 200
	})
	looked, err := time.Parse(time.RFC3339, k.Retention.LookedAt)
	require.NoError(t, err)
	next, err := time.Parse(time.RFC3339, k.Retention.NextAt)
	require.NoError(t, err)
	require.Equal(t, 24*time.Hour, next.Sub(looked))
	done := w.erased(t, other, k.Retention.ErasureID)
	require.Equal(t, 1, done.Erasure.Forgotten["calls"])
	require.Equal(t, "[erased]", w.call(t, long.id).Request.Target)
	for _, c := range []*pastCall{recent, running} {
		require.Equal(t, human, w.call(t, c.id).Request.Target)
	}
	var list struct {
		Retention []json.RawMessage `json:"retention"`
	}
	w.do(t, "GET", retentionPath, nil, "auth", w.auth).must(t, 200).into(t, &list)
	require.Len(t, list.Retention, 1)
	said := w.one.events(t, other, "stream", "retention-"+w.one.id+"."+mainApp)
	require.Equal(t, "parley.retentions.set.v1", said.Events[0].Type, "who said it, and when, is in the audit")

	w.ask(t, "PUT", retentionPath+"/"+mainApp, fields{"days": fields{}}).must(t, 200)
	var forEver kept
	w.do(t, "GET", retentionPath+"/"+mainApp, nil, "auth", w.auth).must(t, 200).into(t, &forEver)
	require.Empty(t, forEver.Retention.Days)
	require.Empty(t, forEver.Retention.NextAt, "nothing is looked for any more")
	require.Empty(t, w.cluster.check(t, w.server))
}

func TestRetentionThatIsRefused(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w, foreign := c.tenant(t, ""), c.tenant(t, "")
	path := retentionPath + "/" + mainApp
	for field, days := range map[string]any{
		"days": nil, "days.calls": fields{"calls": 0}, "days.messages": fields{"messages": 36501}, "days.shoes": fields{"shoes": 1},
		"days.recordings": fields{"recordings": 1.5}, "days.conversations": fields{"conversations": "ten"},
	} {
		body := fields{}
		if days != nil {
			body["days"] = days
		}
		c.a.do(t, "PUT", path, body, "auth", w.token(t)).refused(t, 400, fault.Validation, field)
	}
	lesser := w.token(t, func(g *tokens.Grant) {
		g.Permissions = []access.Permission{access.PermPrivacyErase, access.PermPrivacyExport}
	})
	c.a.do(t, "PUT", path, fields{"days": fields{"calls": 1}}, "auth", lesser).refused(t, 403, fault.Forbidden)
	c.a.do(t, "GET", path, nil, "auth", lesser).refused(t, 403, fault.Forbidden)
	c.a.do(t, "GET", retentionPath, nil, "auth", lesser).refused(t, 403, fault.Forbidden)
	c.a.do(t, "PUT", retentionPath+"/no-such", fields{"days": fields{}}, "auth", w.token(t)).refused(t, 404, fault.NotFound)

	c.a.do(t, "PUT", path, fields{"days": fields{"calls": 9}}, "auth", w.token(t), "Idempotency-Key", "k").must(t, 200)
	c.b.do(t, "PUT", path, fields{"days": fields{"calls": 9}}, "auth", w.token(t), "Idempotency-Key", "k").must(t, 200)
	var theirs kept
	c.b.do(t, "GET", path, nil, "auth", foreign.token(t)).must(t, 200).into(t, &theirs)
	require.Empty(t, theirs.Retention.Days, "another account's project of the same name says nothing")
}
