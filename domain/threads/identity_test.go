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
		{"slack", "U1", "external", "slack:U1"}, {"slack", "+1", "external", "slack:+1"}, {"vxml", "+15550001", "phone", "+15550001"},
		{"jambonz", "+15550001", "phone", "+15550001"}, {"audiocodes", "+15550001", "phone", "+15550001"},
		{"voice_pipeline", "+15550001", "phone", "+15550001"}, {"vxml", "c-1", "external", "vxml:c-1"},
		{"email", "a@example.com", "email", "a@example.com"}, {"slack", "", "", ""}} {
		kind, identity := threads.IdentityOf(c[0], c[1])
		require.Equal(t, []string{c[2], c[3]}, []string{kind, identity}, c)
	}
}

// Given who writes, then they are named where the kind says who they are, also where a chat is called as they are.
func TestWhoIsNamed(t *testing.T) {
	for _, c := range []struct {
		kind, from, thread string
		named              bool
	}{{"telegram", "9", "9", true}, {"telegram", "9", "-100:7", true}, {"http_async", "ann", "ann", true},
		{"http_async", "", "order-1", false}, {"genesys", "c-1", "c-1", false},
		{"vxml", "c-1", "c-1", false}, {"vxml", "+15550001", "c-1", true}} {
		require.Equal(t, c.named, threads.Received{Kind: c.kind, From: c.from, Thread: c.thread}.Named(), c)
	}
}
