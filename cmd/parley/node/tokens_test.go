//go:build !apache

package node_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/cmd/parley/slices"
)

// newOpenAI is OpenAI as far as summaries and transcripts go; it says what they used.
func newOpenAI(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/v1/chat/completions":
			_, _ = io.WriteString(w, `{"id":"c1","object":"chat.completion","created":1,"model":"model-of-texts","choices":[{"index":0,`+
				`"message":{"role":"assistant","content":"Ann asked for her parcel."},"finish_reason":"stop"}],`+
				`"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29}}`)
		case "/v1/audio/transcriptions":
			_, _ = io.WriteString(w, `{"text":"Call me.","usage":{"type":"tokens","input_tokens":14,"output_tokens":45,"total_tokens":59}}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// Given a summary and a transcript that OpenAI made, then cost-breakdown shows the
// tokens that it counted, by model, and no price: nobody knows one.
func TestTheTokensOfAProviderAreInTheCosts(t *testing.T) {
	t.Parallel()
	peer := newOpenAI(t)
	c := newCluster(t)
	c.a = c.start(t, func(c *node.Config) {
		c.Providers = slices.Providers{LLM: openai.Provider, STT: openai.Provider, STTModel: "model-of-speech",
			OpenAI: openai.Config{APIKey: "sk-test", BaseURL: peer.URL + "/v1"}}
	})
	c.b = c.a
	w := newTenant(t, c.a, "one")
	d := &desk{tenant: w, c: c, token: w.token(t)}
	voice := voicemailWorld{tenant: w, session: "s-1", auth: d.token}
	voice.open(t, voice.session)

	d.events(t, "s1", enters("NA", "a1")).ok(t)
	d.hook(t, c.a, "s1", says("USER", "My parcel has not come.")).ok(t)
	d.events(t, "s1", leaves("NA", "a1"), triggers()).ok(t)
	c.a.do(t, "POST", voice.ingest(voice.session, ""), speech.Recording(1, ""), "auth", d.token, "Content-Type", "audio/wav").must(t, 201)
	until(t, "the summary", func() bool { return d.shown(t, "s1", "").Conversation.Summary["status"] == "done" })
	voice.transcribed(t, c.a, voice.session)

	a := newAnalyst(t, c.a, w)
	a.current(t)
	var got struct {
		Data struct {
			SumTokens int             `json:"sum_tokens"`
			SumCost   json.RawMessage `json:"sum_cost"`
			ByModel   []struct {
				Model     string   `json:"model"`
				TokensIn  int      `json:"tokens_in"`
				TokensOut int      `json:"tokens_out"`
				SumTokens int      `json:"sum_tokens"`
				SumCost   *float64 `json:"sum_cost"`
			} `json:"by_model"`
			ByDay []struct {
				SumTokens int `json:"sum_tokens"`
			} `json:"by_day"`
		} `json:"data"`
	}
	a.get(t, "/analytics/cost-breakdown").must(t, 200).into(t, &got)
	used := map[string][]int{}
	for _, m := range got.Data.ByModel {
		used[m.Model] = []int{m.TokensIn, m.TokensOut, m.SumTokens}
		require.Nil(t, m.SumCost, m.Model)
	}
	require.Equal(t, map[string][]int{"model-of-texts": {19, 10, 29}, "model-of-speech": {14, 45, 59}}, used)
	require.Equal(t, 88, got.Data.SumTokens)
	require.Equal(t, "null", string(got.Data.SumCost))
	require.Equal(t, 88, got.Data.ByDay[0].SumTokens)

	metrics := a.get(t, "/analytics/metrics?metrics=sum_tokens,sum_cost&groupBy=category").must(t, 200)
	require.Contains(t, metrics.Text, `"sum_cost":null,"sum_tokens":29,"unpriced":1`, "what nobody knows the price of did not cost 0")
	require.Contains(t, metrics.Text, `"sum_cost":0,"sum_tokens":0,"unpriced":0`, "what used no tokens did")
}
