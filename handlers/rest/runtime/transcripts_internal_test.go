package runtime

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/runtime"
)

// oneSession is a read model of one session of the project main.
type oneSession struct {
	sessionReader
	id string
}

func (s oneSession) Get(_ context.Context, _, id string) (models.Session, bool, error) {
	return models.Session{SessionID: s.id, ProjectID: "p-1"}, id == s.id, nil
}

// Given a session with ten messages of one file each, then a page of two has the addresses of its own
// files, and no other is signed.
func TestATranscriptSignsWhatItShows(t *testing.T) {
	w := resttest.NewStored(t, nil, access.PermSessionRead)
	past := []event.Payload{sessions.Opened{SessionID: "s-1", TenantID: "acme", ProjectID: "p-1", AgentName: "host",
		Begun: &sessions.Begun{Manifest: map[string]sessions.Pinned{"host": {Hash: "h"}}}, At: w.Now}}
	for n := range 10 {
		file := fmt.Sprintf("f-%d", n)
		past = append(past, sessions.Attached{AttachmentID: file, FileName: file + ".png", ContentType: "image/png", At: w.Now},
			sessions.MessageReceived{MessageID: fmt.Sprintf("m-%d", n), InTurn: sessions.InTurn{Turn: n + 1, At: w.Now},
				Attachments: []string{file}})
	}
	resttest.Given(w, sessions.Sessions, sessions.Sessions.Stream("s-1"), past...)
	var signed []string
	links := rest.FileLinks{Base: func() string { return "https://parley.example" }, Now: func() time.Time { return w.Now },
		MAC: func(_ string, parts ...string) []byte { signed = append(signed, parts[0]); return []byte("mac") }}
	DeclareTranscripts(w.Api, ChatAPI{Commands: w.Commands, Sessions: oneSession{id: "s-1"}, Files: links})

	w.Refused(w.Ask("GET", "/api/v1/sessions/s-2/transcripts?limit=0", ""), 404)
	w.Refused(w.Ask("GET", "/api/v1/sessions/s-1/transcripts?limit=0", ""), 400, "limit")
	got := w.Ask("GET", "/api/v1/sessions/s-1/transcripts?limit=2&offset=3", "")
	require.Equal(t, 200, got.Status, got.Text)
	require.Equal(t, []string{sessions.FileID("s-1", "f-3"), sessions.FileID("s-1", "f-4")}, signed)
	for _, file := range signed {
		require.Equal(t, 1, strings.Count(got.Text, "https://parley.example/api/v1/files/"+file+"?"), got.Text)
	}
}
