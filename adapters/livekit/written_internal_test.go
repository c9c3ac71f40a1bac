package livekit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/livekit/signal"
	"github.com/parley-platform/parley/adapters/voice"
)

func user(topic, payload string) signal.Data {
	return signal.Data{Identity: "ann", SID: "PA_1", User: &signal.UserData{Topic: topic, Payload: []byte(payload)}}
}

func by(who string, d signal.Data) signal.Data {
	d.Identity, d.SID = who, ""
	return d
}

func header(id string, change ...func(*signal.StreamHeader)) signal.Data {
	h := signal.StreamHeader{ID: id, Topic: topicChat, Total: -1, Text: true}
	for _, f := range change {
		f(&h)
	}
	return signal.Data{Identity: "ann", Header: &h}
}

func chunk(id string, index uint64, content string) signal.Data {
	return signal.Data{Identity: "ann", Chunk: &signal.StreamChunk{ID: id, Index: index, Content: []byte(content)}}
}

func trailer(id string, reason ...string) signal.Data {
	return signal.Data{Identity: "ann", Trailer: &signal.StreamTrailer{ID: id, Reason: strings.Join(reason, "")}}
}

// stream is a text in one part.
func stream(id, content string, change ...func(*signal.StreamHeader)) []signal.Data {
	return []signal.Data{header(id, change...), chunk(id, 0, content), trailer(id)}
}

// What of data is a text of somebody's, and what of it is heard.
func TestDataThatIsAText(t *testing.T) {
	chat := func(change func(*signal.Chat)) signal.Data {
		c := signal.Chat{ID: "c-1", Text: "Hi"}
		change(&c)
		return signal.Data{Identity: "ann", Chat: &c}
	}
	as := func(d signal.Data, id string, sequence uint32) signal.Data {
		u := *d.User
		u.ID, d.User, d.Sequence = id, &u, sequence
		return d
	}
	const old = `{"id":"m-1","timestamp":1764072000123,"message":"Hi","ignoreLegacy":true}`
	type comes = []signal.Data
	twice := func(d signal.Data) comes { return comes{d, d} }
	both := slices.Concat[comes]
	hi := []string{"Hi"}
	for name, c := range map[string]struct {
		comes comes
		want  []string
	}{
		"as it is":                  {comes{user(topicChat, "Hi")}, hi},
		"by older clients":          {comes{user(topicOldChat, old)}, hi},
		"as a message":              {comes{chat(func(*signal.Chat) {})}, hi},
		"as a stream":               {comes{header("s"), chunk("s", 0, "H"), chunk("s", 1, "i"), trailer("s")}, hi},
		"as a stream in one packet": {comes{header("s", func(h *signal.StreamHeader) { h.Inline = []byte("Hi") })}, hi},
		"as a stream and once more": {both(stream("m-1", "Hi"), comes{user(topicOldChat, old)}), hi},
		"older, and then a stream":  {both(comes{user(topicOldChat, old)}, stream("m-1", "Hi")), hi},

		"a message twice":            {twice(chat(func(*signal.Chat) {})), hi},
		"an id twice":                {twice(as(user(topicChat, "Hi"), "u", 0)), hi},
		"a packet twice":             {twice(as(user(topicChat, "Hi"), "", 7)), hi},
		"a stream twice":             {both(comes{header("s")}, stream("s", "Hi"), stream("s", "Hi")), hi},
		"what nobody can know again": {twice(user(topicChat, "Hi")), []string{"Hi", "Hi"}},
		"one id of two":              {comes{user(topicOldChat, old), by("ben", user(topicOldChat, old))}, []string{"Hi", "Hi"}},

		"out of order": {comes{header("s"), chunk("s", 2, "c"), trailer("s"), chunk("s", 0, "a"), chunk("s", 0, "x"), chunk("s", 1, "b")},
			[]string{"abc"}},
		"its end is missing yet": {comes{header("s", func(h *signal.StreamHeader) { h.Total = 2 }), chunk("s", 0, "H"), trailer("s"),
			chunk("s", 1, "i")}, hi},
		"two at a time": {comes{header("s"), by("ben", header("s")), chunk("s", 0, "a"), by("ben", chunk("s", 0, "b")), trailer("s"),
			by("ben", trailer("s"))}, []string{"a", "b"}},

		"a letter in two parts":    {comes{header("s"), chunk("s", 0, "\xc3"), chunk("s", 1, "\xa4"), trailer("s")}, []string{"ä"}},
		"broken letters":           {comes{user(topicChat, " a\xff\x00b\n")}, []string{"a\uFFFDb"}},
		"empty":                    {comes{user(topicChat, ""), user(topicChat, " \x00\n"), user(topicOldChat, "{}")}, nil},
		"an empty stream":          {stream("s", ""), nil},
		"of a topic of programs":   {comes{user("parley.text", old), user("", "Hi")}, nil},
		"a file":                   {stream("s", "Hi", func(h *signal.StreamHeader) { h.Topic = "files" }), nil},
		"no JSON":                  {comes{user(topicOldChat, "Hi"), user(topicOldChat, "[]"), user(topicOldChat, `{"message":7}`)}, nil},
		"a message that changed":   {comes{chat(func(c *signal.Chat) { c.Changed = true })}, nil},
		"a stream that changed":    {stream("s", "Hi", func(h *signal.StreamHeader) { h.Text = false }), nil},
		"what a machine has heard": {comes{chat(func(c *signal.Chat) { c.Generated = true })}, nil},
		"what it hears":            {stream("s", "Hi", func(h *signal.StreamHeader) { h.Generated = true }), nil},
		"broken off":               {comes{header("s"), chunk("s", 0, "Hi"), trailer("s", "aborted"), trailer("s")}, nil},
		"of what was begun before": {comes{chunk("s", 1, "Hi"), trailer("s")}, nil},
		"a part is missing":        {comes{header("s"), chunk("s", 1, "Hi"), trailer("s")}, nil},
		"a part far out":           {comes{header("s"), chunk("s", 1<<63, "Hi"), chunk("s", 0, "Hi"), trailer("s")}, nil},
		"without an id":            {stream("", "Hi"), nil},
		"a key of a telephone's":   {comes{{Identity: "ann", Key: "1"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var w writing
			var heard []string
			for _, d := range c.comes {
				if text := w.take(d); text != "" {
					heard = append(heard, text)
				}
			}
			require.Equal(t, c.want, heard)
		})
	}
}

// A key that comes again, in the same packet, was pressed once.
func TestKeysThatComeAgain(t *testing.T) {
	var w writing
	press := func(sid string, sequence uint32) string {
		return w.pressed(signal.Data{Identity: sid, SID: sid, Sequence: sequence, Key: "5"})
	}
	require.Equal(t, []string{"5", "", "5", "5", "5", "5"}, []string{press("PA_1", 1), press("PA_1", 1), press("PA_1", 2), press("PA_2", 1),
		press("PA_3", 0), press("PA_3", 0)})
}

// A text that is longer than anybody's is cut, and texts that do not end make room for others: first one's own.
func TestTextsWithoutAnEnd(t *testing.T) {
	var w writing
	w.take(header("s"))
	for i := range uint64(100) {
		require.Empty(t, w.take(chunk("s", i, strings.Repeat("a", 10_000))))
	}
	require.Len(t, w.take(trailer("s")), mostText)

	w.take(by("ben", header("b")))
	for i := range mostOfOne + 1 {
		w.take(header(fmt.Sprint(i)))
	}
	require.Len(t, w.streams, 1+mostOfOne)
	w.take(chunk("0", 0, "Hi"))
	require.Empty(t, w.take(trailer("0")), "it made room")
	w.take(by("ben", chunk("b", 0, "Hi")))
	require.Equal(t, "Hi", w.take(by("ben", trailer("b"))))
	for i := range mostStreams {
		w.take(by(fmt.Sprint("p-", i), header("s")))
	}
	require.Len(t, w.streams, mostStreams)
	for i := range 2 * mostTold {
		w.take(signal.Data{Identity: "ann", Chat: &signal.Chat{ID: fmt.Sprint(i), Text: "Hi"}})
	}
	require.Len(t, w.told, mostTold)
}

// Given data of those who are not known to be there yet, when the server tells of them, then what people wrote is heard, in its
// order; what agents wrote is not, nor what nobody in the room did.
func TestDataOfWhoeverJustCame(t *testing.T) {
	heard := func(s *session) (all []string) {
		for {
			select {
			case f := <-s.leg.line.Facts():
				all = append(all, f.Text)
			default:
				return all
			}
		}
	}
	s := &session{leg: &Leg{line: voice.NewLine(voice.Options{})}, news: make(chan struct{}, 1)}
	s.wrote([]byte("\x12\x7f"))                                          // torn
	s.wrote([]byte("\x12\x0d\x12\x02Hi\x22\x07lk.chat"))                 // of the server
	s.wrote([]byte("\x12\x0d\x12\x02Hi\x22\x07lk.chat\x22\x03ann"))      // of ann, by her name
	s.wrote([]byte("\x12\x0d\x12\x02Ho\x22\x07lk.chat\x8a\x01\x04PA_1")) // by her sid
	s.wrote([]byte("\x12\x0d\x12\x02Hu\x22\x07lk.chat\x8a\x01\x04PA_2")) // of an agent
	s.wrote([]byte("\x12\x0d\x12\x02He\x22\x07lk.chat\x22\x06nobody"))   // of whom nobody knows
	require.Empty(t, heard(s))
	s.people([]signal.Participant{{SID: "PA_1", Identity: "ann"}, {SID: "PA_2", Identity: "bot", Kind: signal.Agent}})
	require.Equal(t, []string{"Hi", "Ho"}, heard(s))
	require.Len(t, s.early, 1)
	for range 2 * mostEarly {
		s.wrote([]byte("\x12\x0d\x12\x02He\x22\x07lk.chat\x22\x06nobody"))
	}
	require.Len(t, s.early, mostEarly)
	s.leg.line.Close()
	s.write(user(topicChat, "behind the end"))
	_, open := <-s.leg.line.Facts()
	require.False(t, open)
}
