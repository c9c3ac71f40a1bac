package mcptool

import (
	"strconv"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// Given an account that begins many sessions, then its own make room, and not the one in which somebody else has waited for longer.
func TestWhoseSessionMakesRoom(t *testing.T) {
	k, begun := kept{all: map[key]*held{}}, time.Unix(0, 0)
	add := func(account, url string, session *mcp.ClientSession) key {
		of := keyOf(Call{Account: account, Owner: account, URL: url})
		begun = begun.Add(time.Second)
		k.all[of] = &held{account: account, session: session, used: begun}
		return of
	}
	add("quiet", "a", &mcp.ClientSession{})
	add("busy", "begins", nil)
	first := add("busy", "0", &mcp.ClientSession{})
	for i := range 3 {
		add("busy", strconv.Itoa(i+1), &mcp.ClientSession{})
	}
	of, h := k.spare()
	require.Equal(t, first, of)
	require.Equal(t, "busy", h.account)
	_, none := (&kept{}).spare()
	require.Nil(t, none)
}
