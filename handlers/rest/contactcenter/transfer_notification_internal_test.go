package contactcenter

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/transfers"
)

// What is told of the callback is what is sent: every member of it and no other.
func TestTheCallbackIsAsTheDocumentTells(t *testing.T) {
	for _, notice := range []transfers.Notice{
		{SessionID: "s-1", HumanAgentID: "a-1", Status: transfers.StatusTransferred, RequestCompletedAt: 1},
		{SessionID: "s-1", QueueID: "q-1", Status: transfers.StatusFailed, Reason: "AGENT_OFFLINE", RequestCompletedAt: 2},
	} {
		sent, err := json.Marshal(notice)
		require.NoError(t, err)
		var told transferNotification
		d := json.NewDecoder(bytes.NewReader(sent))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&told))
		again, err := json.Marshal(told)
		require.NoError(t, err)
		require.JSONEq(t, string(sent), string(again))
	}
}
