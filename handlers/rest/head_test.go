package rest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

// HEAD is answered as GET would be, with its refusals, and without a body.
func TestHEADAsksWhatGETWouldAnswer(t *testing.T) {
	w := resttest.NewWorld(t)
	for _, stream := range []struct {
		id, path string
		status   int
		format   string
	}{{"follow", "/follow", 200, "text/event-stream"}, {"talk", "/talk", 101, ""}} {
		op := rest.Operation{ID: stream.id, Method: "GET", Path: stream.path, Summary: "Go on", Requirement: access.Public, Status: stream.status}
		rest.Declare(w.Api, op, func(context.Context, *struct{}) (*resttest.Text, error) {
			t.Error("what goes on for ever was begun")
			return &resttest.Text{}, nil
		})
		if stream.format != "" {
			w.Api.Description().Paths[stream.path].Get.Responses["200"].Content = map[string]*huma.MediaType{stream.format: {}}
		}
	}
	server := httptest.NewServer(w.Api)
	defer server.Close()
	ask := func(method, path string) (*http.Response, string) {
		r, err := http.NewRequest(method, server.URL+path, http.NoBody)
		require.NoError(t, err)
		resp, err := server.Client().Do(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp, string(body)
	}
	for path, status := range map[string]int{"/greetings/ann": 200, "/greetings/broken": 500, "/greetings/%ff": 404, "/sessions": 401,
		"/nothing": 404, "/livez": 200} {
		head, nothing := ask("HEAD", path)
		get, body := ask("GET", path)
		assert.Equal(t, status, head.StatusCode, path)
		assert.Equal(t, status, get.StatusCode, path)
		assert.Empty(t, nothing, path)
		assert.NotEmpty(t, body, path)
		assert.Equal(t, get.Header.Get("Content-Type"), head.Header.Get("Content-Type"), path)
	}
	for path, allow := range map[string]string{"/calls/p-1": "POST", "/follow": "GET", "/talk": "GET"} {
		got, _ := ask("HEAD", path)
		assert.Equal(t, 405, got.StatusCode, path)
		assert.Equal(t, allow, got.Header.Get("Allow"), path)
	}
}
