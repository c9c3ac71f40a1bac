package attachments_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	"github.com/parley-platform/parley/handlers/rest/runtime/attachments"
	models "github.com/parley-platform/parley/projections/runtime"
)

const (
	path = "/api/projects/p-1/sessions/s-1/attachments"
	form = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nAbout Ann\r\n--x--\r\n"
)

// shelf keeps files, and has something happen once before the next of them is there.
type shelf struct {
	files map[string]string
	first func()
}

func (s *shelf) Put(_ context.Context, prefix, _ string, content []byte) (string, error) {
	if first := s.first; first != nil {
		s.first = nil
		first()
	}
	name := prefix + "/sum"
	s.files[name] = string(content)
	return name, nil
}

func (s *shelf) Delete(_ context.Context, name string) error {
	delete(s.files, name)
	return nil
}

// chats knows one session.
type chats struct{ *models.Sessions }

func (chats) Get(context.Context, string, string) (models.Session, bool, error) {
	return models.Session{SessionID: "s-1", ProjectID: "p-1"}, true, nil
}

// Given a request that is repeated while its first try is on the way, when the customer is erased in between, then neither has brought
// the file back; without an erasure it is there once.
func TestARepeatBesideAnErasureBringsNoFileBack(t *testing.T) {
	for name, erased := range map[string]bool{"erased": true, "not erased": false} {
		t.Run(name, func(t *testing.T) {
			w := resttest.NewStored(t, nil)
			kept := &shelf{files: map[string]string{}}
			attachments.Declare(w.Api, attachments.API{Chat: runtime.ChatAPI{Commands: w.Commands, Sessions: chats{}}, Files: kept})
			resttest.Given(w, sessions.Sessions, "session-s-1", sessions.Opened{SessionID: "s-1", TenantID: "acme", ProjectID: "p-1",
				Begun: &sessions.Begun{Manifest: map[string]sessions.Pinned{"a": {}}}, At: w.Now})
			add := func() *resttest.Reply {
				return w.Ask("POST", path, form, "Content-Type", "multipart/form-data; boundary=x", "Idempotency-Key", "k")
			}
			kept.first = func() {
				require.Equal(t, 201, add().Status)
				require.Len(t, kept.files, 1)
				if erased {
					resttest.Given(w, sessions.Sessions, "session-s-1", sessions.SessionEnded{At: w.Now}, sessions.Erased{
						Erasure: event.Erasure{ErasureID: "er-1"}})
					clear(kept.files)
				}
			}
			got := add()
			require.Equal(t, []any{201, "true"}, []any{got.Status, got.Header.Get("Idempotency-Replayed")}, got.Text)
			require.Equal(t, erased, len(kept.files) == 0, "%v", kept.files)
		})
	}
}
