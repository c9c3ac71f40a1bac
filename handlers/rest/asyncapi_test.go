package rest_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/rest/resttest"
)

// The document of the events is fetched alone, without a token, by clients that take it
// packed and by those that do not.
func TestTheEventsAreDescribedToWhoeverAsks(t *testing.T) {
	w := resttest.NewWorld(t)
	for accept, packed := range map[string]bool{"": false, "identity": false, "gzip": true, "GZIP": true, "br, gzip;q=0.5": true,
		"gzip;q=0": false} {
		got := w.Call(http.MethodGet, "/asyncapi.json", "", "Accept-Encoding", accept)
		require.Equal(t, 200, got.Status, accept)
		require.Equal(t, "application/json", got.Header.Get("Content-Type"))
		require.Equal(t, "Accept-Encoding", got.Header.Get("Vary"))
		require.Equal(t, packed, got.Header.Get("Content-Encoding") == "gzip", accept)
		body := []byte(got.Text)
		if packed {
			r, err := gzip.NewReader(bytes.NewReader(body))
			require.NoError(t, err)
			body, err = io.ReadAll(r)
			require.NoError(t, err)
		}
		var doc struct {
			AsyncAPI   string
			Components struct{ Schemas map[string]any }
		}
		require.NoError(t, json.Unmarshal(body, &doc))
		require.Equal(t, "3.0.0", doc.AsyncAPI)
		require.Contains(t, doc.Components.Schemas, "CallsRequestedV1", "it needs no other file")
	}
}
