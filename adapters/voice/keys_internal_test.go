package voice

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Given keys whose packets are lost, doubled and late, then each is told once, when its first one comes.
func TestKeysOnABadLine(t *testing.T) {
	type packet struct {
		stamp uint32
		key   byte
	}
	for name, c := range map[string]struct {
		come []packet
		want string
	}{
		"doubled":                        {[]packet{{100, 1}, {100, 1}, {900, 2}, {900, 2}}, "12"},
		"the end of one behind the next": {[]packet{{100, 1}, {900, 2}, {100, 1}, {900, 2}, {100, 1}}, "12"},
		"the same key twice":             {[]packet{{100, 5}, {100, 5}, {900, 5}}, "55"},
		"from zero":                      {[]packet{{0, 5}, {0, 5}}, "5"},
	} {
		var k KeyReader
		got := ""
		for _, p := range c.come {
			digit, _ := k.Take(p.stamp, []byte{p.key, 10, 0, 160})
			got += digit
		}
		require.Equal(t, c.want, got, name)
	}
	var k KeyReader
	for stamp := range uint32(1000) {
		_, ok := k.Take(stamp, []byte{1, 10, 0, 160})
		require.True(t, ok)
	}
	require.LessOrEqual(t, len(k.told), latestKeys)
	require.LessOrEqual(t, cap(k.told), 4*latestKeys, "what is forgotten takes no room")
}
