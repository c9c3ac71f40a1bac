package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime/openai"
)

// Given the operations alone, then both refuse in OpenAI's form, and a completion is JSON or
// a stream.
func TestTheOperationsAreDescribedInOpenAIsForm(t *testing.T) {
	api := rest.New(rest.Config{})
	openai.Declare(api, openai.API{})
	text, err := api.OpenAPI()
	require.NoError(t, err)
	type answers map[string]struct {
		Content map[string]struct {
			Schema map[string]any `json:"schema"`
		} `json:"content"`
	}
	var document struct {
		Paths map[string]map[string]struct {
			Responses answers `json:"responses"`
		} `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(text, &document))
	for path, method := range map[string]string{"/v1/chat/completions": "post", "/v1/models": "get"} {
		got := document.Paths[path][method].Responses
		for _, status := range []string{"400", "401", "403", "404", "429", "503"} {
			require.Equal(t, "#/components/schemas/OpenAIRefusal", got[status].Content["application/json"].Schema["$ref"], path+" "+status)
		}
	}
	whole := document.Paths["/v1/chat/completions"]["post"].Responses["200"].Content
	require.Len(t, whole, 2)
	require.Equal(t, "#/components/schemas/OpenAICompletion", whole["application/json"].Schema["$ref"])
	require.Equal(t, "string", whole["text/event-stream"].Schema["type"])
}
