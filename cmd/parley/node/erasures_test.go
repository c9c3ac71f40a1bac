package node_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

const erasuresPath = "/api/v1/privacy/erasures"

// erasesSoon has a node believe sooner than it should that whoever had read of a person has written: who holds it for
// longer writes of somebody whom nobody looks for any more.
func erasesSoon(c *node.Config) { c.ErasureCalm = 3 * time.Second }

// shownErasure is a job as the operations show it.
type shownErasure struct {
	Success bool `json:"success"`
	Erasure struct {
		ErasureID   string         `json:"erasureId"`
		Status      string         `json:"status"`
		Forgotten   map[string]int `json:"forgotten"`
		RequestedAt string         `json:"requestedAt"`
		EndedAt     string         `json:"endedAt"`
	} `json:"erasure"`
}

func (w *callWorld) erase(t *testing.T, identities ...fields) (e shownErasure) {
	t.Helper()
	w.ask(t, "POST", erasuresPath, fields{"identities": identities}).must(t, http.StatusAccepted).into(t, &e)
	require.True(t, e.Success)
	require.Regexp(t, "^er-"+uuidForm+"$", e.Erasure.ErasureID)
	require.Equal(t, []string{"queued", ""}, []string{e.Erasure.Status, e.Erasure.EndedAt})
	return e
}

// erased waits until a job is done, as another node shows it.
func (w *callWorld) erased(t *testing.T, on *server, id string) (e shownErasure) {
	t.Helper()
	until(t, "the end of the erasure", func() bool {
		on.do(t, "GET", erasuresPath+"/"+id, nil, "auth", w.auth).must(t, 200).into(t, &e)
		return e.Erasure.Status == "done"
	})
	require.Regexp(t, isoForm, e.Erasure.EndedAt)
	return e
}

// Given somebody who was called and is being called, was written to, is on a list and waits
// to be told of, when she is erased by one of the spellings of her number, then no table on
// any node has her any more, what runs has ended, others are as they were, and whoever reads
// the events finds her nowhere.
func TestAPersonIsErased(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, erasesSoon)
	other := w.cluster.start(t, erasesSoon)
	away := newReceiver(t, func(int, notified) int { return http.StatusServiceUnavailable })
	her := fields{"CustomerFirstName": "Annabelle", "CustomerEmail": "annabelle@example.com"}
	before := w.dialOut(t, aCall().and(fields{"metadata": her, "notifyurl": away.url + "?of=annabelle"}))
	w.ended(t, before.CallID)
	his := w.dialOut(t, aCall().and(fields{"target": "tel:+15550000002", "metadata": fields{"CustomerFirstName": "Bertrand"}}))
	w.ended(t, his.CallID)
	written, _ := w.one.text(t, "+15550000001")
	w.one.textEnded(t, written)
	w.one.apply(t, "ContactList", "vips", "VIPs", fields{"projectId": mainApp, "contacts": []any{
		fields{"phoneNumber": "+15550000001", "firstName": "Annabelle"}, fields{"phoneNumber": "+15550000002", "firstName": "Bertrand"}}})
	running := w.dialOut(t, aCall().and(fields{"metadata": her}))
	until(t, "the call to be dialled", func() bool {
		return w.call(t, running.CallID).Attempt.Number > 0 && !w.call(t, running.CallID).Attempt.Wanted()
	})
	require.Contains(t, wholeDatabase(t, w.cluster.database), "annabelle@example.com", "the search sees her")

	began := time.Now()
	asked := w.erase(t, fields{"kind": "telephone", "value": "+1 (555) 000-0001"})
	done := w.erased(t, other, asked.Erasure.ErasureID)
	t.Logf("erased after %s: %v", time.Since(began).Round(time.Millisecond), done.Erasure.Forgotten)
	delete(done.Erasure.Forgotten, "sessions") // of the call that was under way there is one if it was answered by then
	require.Equal(t, map[string]int{"calls": 2, "messages": 1, "contactlists": 1, "deliveries": 1}, done.Erasure.Forgotten)

	require.True(t, w.call(t, running.CallID).Ended(), "nobody talks to who is forgotten")
	require.Equal(t, "[erased]", w.call(t, before.CallID).Request.Target)
	require.Equal(t, "tel:+15550000002", w.call(t, his.CallID).Request.Target)
	until(t, "the job to forget whom it was about", func() bool {
		return strings.Contains(w.one.events(t, other, "stream", "erasure-"+asked.Erasure.ErasureID, "order", "desc").Events[0].Type, "erased")
	})
	gone := []string{"15550000001", "nnabelle"}
	database := wholeDatabase(t, w.cluster.database)
	for _, text := range gone {
		require.NotContains(t, database, text)
	}
	require.Contains(t, database, "15550000002")
	for _, on := range []*server{w.server, other} {
		shown := on.do(t, "GET", "/api/v1/events?limit=200&order=desc", nil, "auth", w.auth).must(t, 200).Text
		require.Contains(t, shown, "tel:+15550000002", "the token may read what is personal")
		for _, text := range gone {
			require.NotContains(t, shown, text)
		}
	}

	again := w.erased(t, w.server, w.erase(t, fields{"kind": "telephone", "value": "+15550000001"}).Erasure.ErasureID)
	require.Empty(t, again.Erasure.Forgotten, "there is nothing left of her")
	var list struct {
		Erasures   []map[string]any `json:"erasures"`
		Pagination map[string]int   `json:"pagination"`
	}
	other.do(t, "GET", erasuresPath+"?limit=1", nil, "auth", w.auth).must(t, 200).into(t, &list)
	require.Equal(t, again.Erasure.ErasureID, list.Erasures[0]["erasureId"], "the newest first")
	require.Equal(t, map[string]int{"total": 2, "limit": 1, "offset": 0}, list.Pagination)
}

func TestErasuresThatAreRefused(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w, foreign := c.tenant(t, ""), c.tenant(t, "")
	body := func(kind, value string) fields { return fields{"identities": []fields{{"kind": kind, "value": value}}} }
	for field, in := range map[string]fields{
		"identities": {}, "identities ": {"identities": []fields{}}, "identities[0].kind": body("shoe", "42"),
		"identities[0].value": body("telephone", "Ann"), "identities[0].value ": body("email", ""),
	} {
		c.a.do(t, "POST", erasuresPath, in, "auth", w.token(t)).refused(t, 400, fault.Validation, strings.TrimSpace(field))
	}
	lesser := w.token(t, func(g *tokens.Grant) {
		g.Permissions = []access.Permission{access.PermAuditRead, access.PermPersonalRead}
	})
	for _, token := range []string{lesser} {
		c.a.do(t, "POST", erasuresPath, body("telephone", "+15550001"), "auth", token).refused(t, 403, fault.Forbidden)
		c.a.do(t, "GET", erasuresPath, nil, "auth", token).refused(t, 403, fault.Forbidden)
	}
	c.a.do(t, "GET", erasuresPath+"/er-1", nil, "auth", w.token(t)).refused(t, 404, fault.NotFound)

	var made, repeated shownErasure
	c.a.do(t, "POST", erasuresPath, body("external", "C-1"), "auth", w.token(t), "Idempotency-Key", "k").must(t, 202).into(t, &made)
	c.b.do(t, "POST", erasuresPath, body("external", "C-1"), "auth", w.token(t), "Idempotency-Key", "k").must(t, 202).into(t, &repeated)
	require.Equal(t, made, repeated, "a repeat is the same job")
	c.b.do(t, "GET", erasuresPath+"/"+made.Erasure.ErasureID, nil, "auth", foreign.token(t)).refused(t, 404, fault.NotFound)
}

// Given a request with an Idempotency-Key, then nobody who reads the log can try on it what
// the request said: the hash of it that stands there has a key.
func TestWhatARequestSaidCannotBeTriedOnTheLog(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, nobodyDials)
	body := `{"dslContent":"guess me"}`
	path := "/api/projects/" + mainApp + "/agents/greeter/dsl"
	w.ask(t, "PUT", path, body, "Idempotency-Key", "once").must(t, 200)
	guess := sha256.Sum256([]byte("\x00" + body)) // of the query, which is empty, and the body in canonical form
	log := everyRecord(t, w.cluster.brokers)
	require.Contains(t, log, "ce_requesthash=")
	require.NotContains(t, log, hex.EncodeToString(guess[:16]))
	require.Equal(t, "true", w.ask(t, "PUT", path, body, "Idempotency-Key", "once").must(t, 200).Header.Get("Idempotency-Replayed"))
}
