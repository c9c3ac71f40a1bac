package node_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
)

// listener is OpenAI as far as transcripts go: it refuses the first recording for good,
// and then hears something else each time, once it is let.
type listener struct {
	*httptest.Server
	asked atomic.Int64
	hold  chan struct{} // one is taken for each answer
}

func newListener(t *testing.T) *listener {
	t.Helper()
	l := &listener{hold: make(chan struct{}, 16)}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-l.hold:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "application/json")
		n := l.asked.Add(1)
		if n == 1 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, `{"error":{"message":"no speech","type":"invalid_request_error","code":"bad"}}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"text":"Heard %d."}`, n)
	}))
	t.Cleanup(l.Close)
	return l
}

// Given a recording that the provider refused for good, its transcript is asked for
// again, and once for a repeat of the request; a newer one takes its place.
func TestATranscriptCanBeAskedForAgain(t *testing.T) {
	t.Parallel()
	peer := newListener(t)
	c := newCluster(t)
	c.a = c.start(t, func(c *node.Config) {
		c.Providers = slices.Providers{STT: openai.Provider, OpenAI: openai.Config{APIKey: "sk-test", BaseURL: peer.URL + "/v1"}}
	})
	c.b = c.a
	owner := newTenant(t, c.a, "one")
	w := voicemailWorld{tenant: owner, session: "s-1", auth: owner.token(t)}
	w.open(t, w.session)
	var added struct{ VoicemailID string }
	c.a.do(t, "POST", w.ingest(w.session, ""), speech.Recording(1, ""), "auth", w.auth, "Content-Type", "audio/wav").
		must(t, 201).into(t, &added)
	path := func(id string) string { return "/api/v1/projects/" + mainApp + "/voicemails/" + id + "/transcript" }
	ask := func(headers ...string) *answer {
		return c.a.do(t, "POST", path(added.VoicemailID), nil, append([]string{"auth", w.auth}, headers...)...)
	}
	becomes := func(status, text string) {
		t.Helper()
		until(t, "the transcript to be "+status, func() bool {
			return w.voicemail(t, c.a, w.session, "true").Recording[0]["transcriptionStatus"] == status
		})
		var texts []any
		for _, m := range w.voicemail(t, c.a, w.session, "true").Transcriptions {
			texts = append(texts, m["components"].([]any)[0].(map[string]any)["data"].(map[string]any)["text"])
		}
		if text == "" {
			require.Empty(t, texts)
			return
		}
		require.Equal(t, []any{text}, texts)
	}

	ask().refused(t, 409, fault.Conflict)
	peer.hold <- struct{}{}
	becomes("failed", "")

	var got map[string]any
	ask("Idempotency-Key", "k1").must(t, 200).into(t, &got)
	require.NotEmpty(t, got["askedAt"])
	require.Equal(t, map[string]any{"success": true, "voicemailId": added.VoicemailID, "transcriptionStatus": "pending",
		"askedAt": got["askedAt"]}, got)
	becomes("pending", "")
	ask("Idempotency-Key", "k2").refused(t, 409, fault.Conflict)
	peer.hold <- struct{}{}
	becomes("done", "Heard 2.")
	repeat := ask("Idempotency-Key", "k1").must(t, 200)
	require.Equal(t, "true", repeat.Header.Get("Idempotency-Replayed"))
	becomes("done", "Heard 2.")

	for round := 3; round <= voicemails.MaxRounds; round++ {
		ask().must(t, 200)
		becomes("pending", "")
		peer.hold <- struct{}{}
		becomes("done", fmt.Sprintf("Heard %d.", round))
	}
	ask().refused(t, 429, fault.LimitReached)
	require.EqualValues(t, voicemails.MaxRounds, peer.asked.Load())
	l, err := eventstore.Read(t.Context(), owner.on.Store(), voicemails.Voicemails, voicemails.Voicemails.Stream(added.VoicemailID))
	require.NoError(t, err)
	require.Equal(t, voicemails.MaxRounds, l.State.Round)

	for _, unknown := range []string{uuid.NewString(), "x", "%00"} {
		c.a.do(t, "POST", path(unknown), nil, "auth", w.auth).refused(t, 404, fault.NotFound)
	}
	other := newTenant(t, c.a, "two")
	c.a.do(t, "POST", path(added.VoicemailID), nil, "auth", other.token(t)).refused(t, 404, fault.NotFound)
	c.a.do(t, "POST", path(added.VoicemailID), nil).refused(t, 401, fault.Unauthorized)
}
