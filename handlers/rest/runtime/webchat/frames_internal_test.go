package webchat

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

// Given a turn that failed, then whoever hears how it ended is told why; of any other nothing is said of it.
func TestATurnThatFailedSaysWhy(t *testing.T) {
	for failed, want := range map[string]string{"STEP_LIMIT": `{"type":"continue","error":"STEP_LIMIT"}`, "": `{"type":"continue"}`} {
		f, told := shown(eventstore.Recorded{Record: &eventstore.Record{},
			Payload: sessions.TurnEnded{Action: sessions.Continue, Failed: failed}})
		require.True(t, told)
		data, err := json.Marshal(f.Action)
		require.NoError(t, err)
		require.JSONEq(t, want, string(data))
	}
}
