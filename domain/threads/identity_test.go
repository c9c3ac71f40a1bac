package threads_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/privacy"
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

// Given who writes, then digits alone are a number where calls come from, and by WhatsApp, which shows it; elsewhere they
// are an id, and may be somebody else's number.
func TestWhatIsKnownOfWhoWrites(t *testing.T) {
	is := func(kind privacy.Kind, value string) privacy.Identity {
		return privacy.Identity{Kind: kind, Value: value}
	}
	external, telephone := privacy.External, privacy.Telephone
	for _, c := range []struct {
		kind, from string
		known      []privacy.Identity
	}{
		{"telegram", "4639899306", []privacy.Identity{is(external, "4639899306"), is(external, "telegram:4639899306")}},
		{"http_async", "47-1234-5678", []privacy.Identity{is(external, "47-1234-5678"), is(external, "http_async:47-1234-5678")}},
		{"http_async", "+47 1234 5678", []privacy.Identity{is(telephone, "+4712345678"), is(external, "+47 1234 5678"),
			is(external, "http_async:+47 1234 5678")}},
		{"whatsapp", "16505551234", []privacy.Identity{is(external, "16505551234"), is(telephone, "+16505551234"), is(external, "+16505551234")}},
		{"jambonz", "15083084809", []privacy.Identity{is(telephone, "+15083084809"), is(external, "15083084809"),
			is(external, "jambonz:15083084809")}},
		{"jambonz", "sip:Ann@Example.com", []privacy.Identity{is(privacy.SIP, "Ann@example.com"), is(external, "sip:Ann@Example.com"),
			is(external, "jambonz:sip:Ann@Example.com")}},
		{"slack", "U1", []privacy.Identity{is(external, "U1"), is(external, "slack:U1")}},
		{"email", "a@example.com", []privacy.Identity{is(privacy.Email, "a@example.com"), is(external, "a@example.com")}},
		{"twilio_sms", "+15550001", []privacy.Identity{is(telephone, "+15550001"), is(external, "+15550001")}},
	} {
		require.Equal(t, c.known, threads.Known(c.kind, c.from), c)
	}
}
