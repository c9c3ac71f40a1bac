package node_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// voicemailWorld is a tenant with one session, and one who may read its voicemail.
type voicemailWorld struct {
	*tenant
	session string
	auth    string
}

// open opens a session of the main bot.
func (w voicemailWorld) open(t *testing.T, id string) {
	t.Helper()
	open := sessions.Open{ID: id, TenantID: w.id, ProjectID: mainApp, Channel: "voice", At: time.Now()}
	_, err := eventstore.Execute(context.Background(), w.on.Store(), sessions.Sessions, sessions.Sessions.Stream(id),
		eventstore.Command{Tenant: w.id, Actor: "user:test"}, open.Decide)
	require.NoError(t, err)
}

func (w voicemailWorld) ingest(session, query string) string {
	return "/api/v1/projects/" + mainApp + "/sessions/" + session + "/voicemails" + query
}

// voicemailResult is what get-voicemail answers.
type voicemailResult struct {
	Status         string
	Spelt          []map[string]any `json:"voicemail recording"`
	Recording      []map[string]any `json:"voicemail_recording"`
	Transcriptions []map[string]any
}

func (w voicemailWorld) voicemail(t *testing.T, on *server, session, transcription string) (r voicemailResult) {
	t.Helper()
	on.do(t, "GET", "/api/public/bot/"+mainApp+"/voicemail?sessionId="+session+"&transcription="+transcription, nil, "auth", w.auth).must(t,
		200).into(t, &r)
	require.Equal(t, "success", r.Status)
	require.Equal(t, r.Recording, r.Spelt, "both spellings")
	return r
}

// opened waits for the session of a call.
func (w *tenant) opened(t *testing.T, session string) {
	t.Helper()
	w.stands(t, "the session of the call", session, func(s sessions.State) bool { return s.Status != "" })
}

// peoples waits until people have the session, which is a moment after one of them is called.
func (w *tenant) peoples(t *testing.T, session string) {
	t.Helper()
	w.stands(t, "people to have the session", session, func(s sessions.State) bool { return s.Talk.People != nil })
}

func (w *tenant) stands(t *testing.T, what, session string, so func(sessions.State) bool) {
	t.Helper()
	until(t, what, func() bool {
		s, err := eventstore.Read(t.Context(), w.on.Store(), sessions.Sessions, sessions.Sessions.Stream(session))
		return err == nil && so(s.State)
	})
}

// waitsInVain has a call's session wait for a person in a queue that takes voicemail, for as long as it may.
func (w *tenant) waitsInVain(t *testing.T, session, person string) {
	t.Helper()
	w.opened(t, session)
	w.apply(t, "Queue", "q-1", "Support", nil)
	transfer, past := uuid.NewString(), time.Now().Add(-time.Hour)
	request := transfers.Request{TransferID: transfer, TenantID: w.id, ProjectID: mainApp, SessionID: session,
		ConversationID: "c-" + transfer, CustomerID: person,
		Queue: transfers.Queue{ID: "q-1", Wait: time.Minute, Voicemail: true}, At: past}
	for _, decide := range []func(transfers.State) ([]event.Payload, error){request.Decide, transfers.Wait{At: past}.Decide,
		transfers.TimeOut{At: past.Add(time.Minute)}.Decide} {
		_, err := eventstore.Execute(context.Background(), w.on.Store(), transfers.Transfers, transfers.Stream(transfer),
			eventstore.Command{Tenant: w.id, Actor: "user:test"}, decide)
		require.NoError(t, err)
	}
}

// voicemailOf is the message that was left in a session: where its file is, and the file, in which somebody speaks.
func (w *tenant) voicemailOf(t *testing.T, session string) (url string, file []byte) {
	t.Helper()
	mail := voicemailWorld{tenant: w, session: session, auth: w.token(t, func(g *tokens.Grant) {
		g.Scopes, g.Permissions = []access.ClientScope{access.ScopeAssistVoicemail}, nil
	})}
	var got voicemailResult
	until(t, "the voicemail", func() bool {
		got = mail.voicemail(t, w.on, session, "false")
		return len(got.Recording) == 1
	})
	url = got.Recording[0]["fileUrl"].(string)
	a := download(t, url).must(t, 200)
	require.Equal(t, "audio/wav", a.Header.Get("Content-Type"))
	require.Greater(t, voicemails.DurationMs([]byte(a.Text)), int64(1_000))
	return url, []byte(a.Text)
}
