package node_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
)

// Who prefers it is answered when the request is on the log, and finds what came of it at
// the Location with the same credential.
func TestRequestsThatAreAnsweredFromTheLog(t *testing.T) {
	t.Parallel()
	c := shared(t)
	acme := c.tenant(t, "")
	auth := []string{"auth", acme.token(t)}
	dialout := "/api/1.1/public/bot/" + mainApp + "/assist/dialout"
	call := `{"botId":"` + mainApp + `","target":"tel:+15550000005","caller":"15550100"}`
	early := func(t *testing.T, got *answer) string {
		t.Helper()
		got.must(t, http.StatusAccepted)
		require.Equal(t, "respond-async", got.Header.Get("Preference-Applied"))
		return got.Header.Get("Location")
	}
	readable := func(t *testing.T, at string) (body map[string]any) {
		t.Helper()
		require.Eventually(t, func() bool {
			got, err := c.b.try("GET", at, nil, auth...)
			return err == nil && got.Status == 200 && json.Unmarshal([]byte(got.Text), &body) == nil
		}, patience, 5*time.Millisecond, at)
		return body
	}

	t.Run("a call, and the same again", func(t *testing.T) {
		headers := append(auth, "Prefer", "wait=1, Respond-Async; x=y", "Idempotency-Key", "async-1")
		var first, again map[string]any
		got := c.a.do(t, "POST", dialout, call, headers...)
		at := early(t, got)
		got.into(t, &first)
		require.Equal(t, dialout+"/"+first["callId"].(string), at)
		require.Equal(t, first["callId"], readable(t, at)["conversationId"])

		got = c.b.do(t, "POST", dialout, call, headers...)
		got.must(t, 200).into(t, &again)
		require.Equal(t, "true", got.Header.Get("Idempotency-Replayed"))
		require.Empty(t, got.Header.Get("Preference-Applied"), "it is visible already")
		require.Equal(t, first, again)
		other := `{"botId":"` + mainApp + `","target":"tel:+15550000006","caller":"15550100"}`
		c.a.do(t, "POST", dialout, other, headers...).refused(t, 409, fault.Conflict)
	})
	t.Run("an export", func(t *testing.T) {
		path := "/api/public/bot/" + mainApp + "/search/app-export"
		at := early(t, c.a.do(t, "POST", path, `{"features":[]}`, append(auth, "Prefer", "respond-async")...))
		require.NotEmpty(t, readable(t, at)["status"])
	})
	t.Run("refusals are as ever", func(t *testing.T) {
		c.a.do(t, "POST", dialout, `{"botId":"x"}`, append(auth, "Prefer", "respond-async")...).must(t, 400)
		c.a.do(t, "POST", dialout, call, "Prefer", "respond-async").must(t, 401)
	})
	t.Run("a call that is not there, and one of another tenant", func(t *testing.T) {
		c.a.do(t, "GET", dialout+"/none", nil, auth...).refused(t, 404, fault.NotFound)
		var placed map[string]any
		c.a.do(t, "POST", dialout, call, auth...).must(t, 200).into(t, &placed)
		c.a.do(t, "GET", dialout+"/"+placed["callId"].(string), nil, auth...).must(t, 200)
		globex := c.tenant(t, "")
		c.a.do(t, "GET", dialout+"/"+placed["callId"].(string), nil, "auth", globex.token(t)).refused(t, 404, fault.NotFound)
	})
}

// Only operations whose commit is the first of a stream that the request derives offer
// it, and they say so in the document.
func TestWhichOperationsAreAnsweredFromTheLog(t *testing.T) {
	t.Parallel()
	api := slices.Declare(rest.New(rest.Config{}), slices.Declared())
	data, err := api.OpenAPI()
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct{ Name, In string }
			Responses   map[string]struct{ Headers map[string]any }
		}
	}
	require.NoError(t, json.Unmarshal(data, &document))
	offered := map[string]bool{}
	for _, methods := range document.Paths {
		for _, op := range methods {
			for _, p := range op.Parameters {
				if p.Name == "Prefer" {
					offered[op.OperationID] = true
					require.Contains(t, op.Responses["202"].Headers, "Location", op.OperationID)
				}
			}
		}
	}
	require.Equal(t, map[string]bool{
		"dial-out": true, "erase-person": true, "export-search-app": true, "deploy-workflow": true, "deploy-tool": true,
	}, offered)
}
