package threads_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/threads"
)

// Given who writes, then they are known by their number where there is one.
func TestWhoWritesIsKnownByTheirNumber(t *testing.T) {
	for _, c := range [][4]string{{"twilio_sms", "+15550001", "phone", "+15550001"}, {"whatsapp", "16505551234", "phone", "+16505551234"},
		{"whatsapp", "US.1349", "external", "whatsapp:US.1349"}, {"messenger", "6789", "external", "messenger:6789"},
		{"slack", "U1", "external", "slack:U1"}} {
		kind, identity := threads.IdentityOf(c[0], c[1])
		require.Equal(t, []string{c[2], c[3]}, []string{kind, identity}, c)
	}
}
