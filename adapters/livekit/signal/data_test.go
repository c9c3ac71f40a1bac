package signal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/livekit/signal"
)

// What people write in a room is read, in each of the ways in which clients of LiveKit send it; what is no text is nothing.
func TestWhatPeopleSend(t *testing.T) {
	all := written(t)
	by := func(d signal.Data) signal.Data {
		d.Identity, d.SID, d.Sequence = "s_ann", "PA_2", 7
		return d
	}
	header := func(change func(*signal.StreamHeader)) signal.Data {
		h := signal.StreamHeader{ID: "ST_1", Topic: "lk.chat", Total: -1, Text: true}
		change(&h)
		return by(signal.Data{Header: &h})
	}
	for name, want := range map[string]signal.Data{
		"user": by(signal.Data{User: &signal.UserData{Topic: "lk.chat", ID: "U_1", Payload: []byte("Hello")}}),
		"user-old": {Identity: "s_ann", SID: "PA_2",
			User: &signal.UserData{Topic: "lk-chat-topic", Payload: []byte("{}")}},
		"of-the-server":    {User: &signal.UserData{Topic: "parley.text", Payload: []byte("{}")}},
		"chat":             by(signal.Data{Chat: &signal.Chat{ID: "C_1", Text: "Hello"}}),
		"chat-edited":      by(signal.Data{Chat: &signal.Chat{ID: "C_1", Text: "Hi", Changed: true}}),
		"chat-deleted":     by(signal.Data{Chat: &signal.Chat{ID: "C_1", Changed: true}}),
		"chat-generated":   by(signal.Data{Chat: &signal.Chat{ID: "C_1", Text: "Hello", Generated: true}}),
		"header":           header(func(h *signal.StreamHeader) { h.Total = 5 }),
		"header-update":    header(func(h *signal.StreamHeader) { h.Text = false }),
		"header-generated": header(func(h *signal.StreamHeader) { h.Generated = true }),
		"header-file":      header(func(h *signal.StreamHeader) { h.Text = false }),
		"header-encrypted": header(func(h *signal.StreamHeader) { h.Text = false }),
		"chunk":            by(signal.Data{Chunk: &signal.StreamChunk{ID: "ST_1", Index: 3, Content: []byte("Hel")}}),
		"trailer":          by(signal.Data{Trailer: &signal.StreamTrailer{ID: "ST_1", Reason: "aborted"}}),
		"digit":            by(signal.Data{Key: "1"}),
		"encrypted":        by(signal.Data{}),
	} {
		got, err := signal.ReadData(all["data-"+name])
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
	// A text that is sent with its header has member 11, and one that is compressed 12: newer servers than the library's.
	got, err := signal.ReadData([]byte("\x6a\x0c\x0a\x01s\x1a\x01t\x4a\x00\x5a\x02Hi"))
	require.NoError(t, err)
	require.Equal(t, &signal.StreamHeader{ID: "s", Topic: "t", Total: -1, Text: true, Inline: []byte("Hi")}, got.Header)
	got, err = signal.ReadData([]byte("\x6a\x0e\x0a\x01s\x1a\x01t\x4a\x00\x5a\x02Hi\x60\x01"))
	require.NoError(t, err)
	require.False(t, got.Header.Text)
	for packet, key := range map[string]string{"\x32\x02\x18\x0b": "#", "\x32\x03\x22\x01*": "*", "\x32\x02\x18\x10": ""} {
		got, err := signal.ReadData([]byte(packet))
		require.NoError(t, err)
		require.Equal(t, key, got.Key)
	}
}

func TestDataThatIsTorn(t *testing.T) {
	for name, whole := range written(t) {
		if !strings.HasPrefix(name, "data-") {
			continue
		}
		for i := range whole {
			_, _ = signal.ReadData(whole[:i])
		}
		_, err := signal.ReadData(append(whole[:len(whole):len(whole)], 0x6a, 0x7f, 1))
		require.ErrorContains(t, err, "torn", name)
	}
	for _, inner := range []string{"\x12", "\x4a", "\x6a", "\x72", "\x7a", "\x6a\x04\x4a"} {
		_, err := signal.ReadData([]byte(inner + "\x02\x0a\x05"))
		require.ErrorContains(t, err, "torn", inner)
	}
}

func FuzzReadData(f *testing.F) {
	for name, data := range written(f) {
		if strings.HasPrefix(name, "data-") {
			f.Add(data)
		}
	}
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = signal.ReadData(data) })
}
