package main

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels"
)

// Given a development server, then each kind of channel has its provider on this host, unless it is
// said where that is; what it takes is shown, and its address stays over a restart.
func TestDevelopmentAsksNoProvider(t *testing.T) {
	var out strings.Builder
	d := newDeveloper(&out)
	remembered := filepath.Join(t.TempDir(), "dev-recorder")
	address, at, err := d.record(remembered, map[string]string{"telegram": "https://api.telegram.example", "slack": ""})
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(address, "http://127.0.0.1:"), "loopback only: %s", address)
	require.Len(t, at, len(channels.Kinds()))
	require.Equal(t, "https://api.telegram.example", at["telegram"])
	for kind, where := range at {
		if kind == "email" { // it goes by SMTP, where a connection has a host
			require.Empty(t, where)
		} else if kind != "telegram" {
			require.Equal(t, address+"/"+kind, where)
		}
	}
	r, err := http.NewRequest(http.MethodPost, at["slack"]+"/api/chat.postMessage", strings.NewReader(`{"channel":"D1","text":"Hi"}`))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer xoxb-1")
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	res, err = http.Get(address + "/messages?to=D1")
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	var shown struct{ Messages []struct{ Text string } }
	require.NoError(t, json.Unmarshal(data, &shown))
	require.Equal(t, "Hi", shown.Messages[0].Text)
	d.mu.Lock()
	defer d.mu.Unlock()
	require.Contains(t, out.String(), "slack took for D1: Hi")

	again, err := listenAgain(remembered) // as the address is taken now
	require.NoError(t, err)
	require.NotEqual(t, address, "http://"+again.Addr().String())
	where := again.Addr().String()
	require.NoError(t, again.Close())
	again, err = listenAgain(remembered)
	require.NoError(t, err)
	require.Equal(t, where, again.Addr().String())
	require.NoError(t, again.Close())
}
