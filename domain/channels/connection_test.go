package channels

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASecretIsShownNowhere(t *testing.T) {
	c := Connection{ID: "c-1", Credentials: Credentials{"token": "hush"}}
	shown := []any{c, &c, c.Credentials, c.Credentials["token"], []Secret{"hush"}, fmt.Errorf("using %v", c)}
	var out strings.Builder
	for _, v := range shown {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
			_, _ = fmt.Fprintf(&out, verb, v)
		}
		data, err := json.Marshal(v)
		require.NoError(t, err)
		out.Write(data)
	}
	var lines bytes.Buffer
	slog.New(slog.NewTextHandler(&lines, nil)).Info("x", "connection", c, "secret", c.Credentials["token"])
	slog.New(slog.NewJSONHandler(&lines, nil)).Info("x", "connection", c, "secret", c.Credentials["token"])
	for _, text := range []string{out.String(), lines.String()} {
		require.Contains(t, text, "[secret]")
		require.NotContains(t, text, "hush")
		require.NotContains(t, text, "68757368", "nor its bytes")
	}
	require.Equal(t, "hush", c.Credentials.Reveal("token"))
	require.Empty(t, c.Credentials.Reveal("another"))
}

func TestLimitsCountAsTheProviderDoes(t *testing.T) {
	for text, want := range map[string]map[Unit]int{"": {Characters: 0, UTF16: 0, Bytes: 0}, "abc": {Characters: 3, UTF16: 3, Bytes: 3},
		"é": {Characters: 1, UTF16: 1, Bytes: 2}, "😀": {Characters: 1, UTF16: 2, Bytes: 4}} {
		for unit, n := range want {
			require.Empty(t, Limits{Text: n, Unit: unit}.Problem(text), "%q in %s", text, unit)
			if n > 0 {
				require.Equal(t, fmt.Sprintf("must be at most %d %s, not %d", n-1, unit, n), Limits{Text: n - 1, Unit: unit}.Problem(text))
			}
		}
	}
}
