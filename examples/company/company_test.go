package company_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/examples/company"
)

func TestWhatTheHostsAnswer(t *testing.T) {
	var told []string
	all := company.Handler(func(host, asked string) { told = append(told, host+" "+asked) })
	for _, c := range []struct {
		method, url, body string
		status            int
		answer            string
	}{
		{"GET", "https://crm.example.com/v1/customers?email=ada.park@example.com", "", 200, `{"id":"cu-1001","name":"Ada Park","plan":"gold"}`},
		{"GET", "https://crm.example.com/v1/customers?email=nobody@example.com", "", 404, "404 page not found"},
		{"POST", "https://METERS.example.com:443/readings", `{"meter":"12345678","value":1}`, 200, `{"ok":true}`},
		{"POST", "https://meters.example.com/readings", `{"meter":"00000000"}`, 200, `{"ok":false}`},
		{"POST", "https://meters.example.com/readings", `{"meter":"99999999"}`, 500, "down for maintenance"},
		{"POST", "https://meters.example.com/readings", `meter`, 400, "a reading is JSON"},
		{"POST", "https://pay.example.com/v2/charges", `{"amount":1}`, 202, ""},
		{"GET", "https://flights.example.com/offers?to=Rome", "", 200, `{"price":180}`},
		{"GET", "https://flights.example.com/offers?to=Nowhere", "", 404, "404 page not found"},
		{"GET", "https://hotels.example.com/rates?city=Rome", "", 200, `{"rate":90}`},
		{"GET", "https://weather.example.com/mcp", "", 405, ""},
		{"POST", "https://weather.example.com/mcp", "x", 400, "a message is JSON"},
		{"POST", "https://meters.example.com/readings", strings.Repeat("x", 65<<10), 400, "the request cannot be read"},
		{"GET", "https://other.example.com/", "", 421, "the company has no such host"},
	} {
		w := httptest.NewRecorder()
		all.ServeHTTP(w, httptest.NewRequest(c.method, c.url, strings.NewReader(c.body)))
		require.Equal(t, []any{c.status, c.answer}, []any{w.Code, strings.TrimSpace(w.Body.String())}, c.url)
	}
	require.Equal(t, `meters.example.com POST /readings {"meter":"12345678","value":1}`, told[2])
	require.Len(t, told, 12, "who is not known, or too large, is not told")
	for host, at := range company.At("127.0.0.1:1") {
		require.Equal(t, "127.0.0.1:1", at, host)
	}
}

// A client that nobody here wrote asks for the weather.
func TestTheWeatherIsToldByTheProtocol(t *testing.T) {
	all := company.Handler(func(string, string) {})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "weather.example.com"
		all.ServeHTTP(w, r)
	}))
	defer server.Close()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL, DisableStandaloneSSE: true}, nil)
	require.NoError(t, err)
	defer func() { _ = session.Close() }()
	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "forecast", tools.Tools[0].Name)
	said, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "forecast", Arguments: map[string]any{"city": "Graz"}})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"city": "Graz", "sky": "sunny"}, said.StructuredContent)
	_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "storm"})
	require.ErrorContains(t, err, "there is no such method or tool")
}
