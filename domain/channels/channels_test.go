package channels

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/api-rules.md "Call details": voice is Voice, rtm is Web/Mobile Client, others go
// by slug.
func TestAChannelGoesByItsSlugAndByItsName(t *testing.T) {
	for name, want := range map[string]string{"voice": Voice, "Voice": Voice, "VOICE": Voice,
		"rtm": Client, "RTM": Client, "Web/Mobile Client": Client, "web/mobile client": Client,
		"whatsapp": "whatsapp", "WhatsApp": "whatsapp", "sms": "sms", "web_chat": "web_chat",
		"sip": "audiocodes", "voice_gateway": "jambonz", "rtc": "livekit"} {
		kind, ok := Named(name)
		require.True(t, ok, name)
		require.Equal(t, want, kind, name)
	}
	for _, name := range []string{"", "fax", " voice", "Web", "web", "voice;sms"} {
		_, ok := Named(name)
		require.False(t, ok, name)
	}
	for _, kind := range Kinds() {
		again, ok := Named(Name(kind))
		require.True(t, ok)
		require.Equal(t, kind, again, "what call details show is taken back")
	}
}

func TestTheRecordsOfAChannel(t *testing.T) {
	for name, want := range map[string][]string{"Voice": {"voice"},
		"Web/Mobile Client": {"rtm", "web", "web_debug", "mobile", "sdk"}, "mobile": {"mobile"}, "fax": {"fax"}, "": {""},
		"sms": {"sms", "twilio_sms"}, "twilio_sms": {"twilio_sms"}, "sip": {"audiocodes"}, "web": {"web"}, "rtc": {"livekit"},
		"voice_vxml": {"voice_vxml", "vxml"}, "voice_livekit": {"voice_livekit", "livekit"}} {
		require.Equal(t, want, Spelled(name), name)
	}
}

// Given labels, then an emoji is one character of a button, and two where all is counted so.
func TestLabelsAreCountedInCharacters(t *testing.T) {
	for unit, want := range map[Unit]bool{Characters: true, Bytes: true, UTF16: false} {
		l := Limits{Unit: unit, Choices: 1, Label: 1, Options: 1, Option: 1}
		require.Equal(t, want, l.Native([]string{"😀"}), unit)
		require.Equal(t, want, l.Selects([]string{"😀"}), unit)
		require.False(t, l.Native([]string{""}), "a button without words")
		require.False(t, l.Native([]string{"a", "b"}), "one too many")
	}
}
