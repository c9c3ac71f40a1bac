package voicemails_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/voicemails"
)

var (
	t0       = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	recorded = voicemails.Recorded{VoicemailID: "v1", TenantID: "acct", ProjectID: "shop", SessionID: "s1", FileID: "file-v1",
		FileName: "message.wav", ContentType: "audio/wav",
		SizeBytes: 100, DurationMs: 2500, Blob: "voicemails/acct/v1/abc", SHA256: "abc", CallerID: "+15550000001", Language: "en",
		Source: voicemails.Ingest, Provider: "local", At: t0}
	transcribed = voicemails.Transcribed{Text: "Call me back", Language: "en", Provider: "local", At: t0}
)

func record(edit func(*voicemails.Record)) voicemails.Record {
	c := voicemails.Record{VoicemailID: "v1", TenantID: "acct", ProjectID: "shop", SessionID: "s1", FileName: " message.wav ",
		ContentType: "audio/wav",
		SizeBytes:   100, DurationMs: 2500, Blob: "voicemails/acct/v1/abc", SHA256: "abc", CallerID: "+15550000001", Language: "en",
		Source: voicemails.Ingest, Provider: "local", At: t0}
	if edit != nil {
		edit(&c)
	}
	return c
}

func missed(n int) voicemails.TranscriptionAttemptFailed {
	return voicemails.TranscriptionAttemptFailed{Attempt: n, Reason: "away", RetryAt: t0.Add(2 * time.Second), At: t0}
}

var (
	due    = voicemails.TranscriptionDue{Attempt: 2, At: t0.Add(2 * time.Second)}
	gaveUp = voicemails.TranscriptionFailed{Attempts: 1, Reason: "away", At: t0}
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, voicemails.Voicemails.Category, "testdata/events", voicemails.Erased{Erasure: eventtest.Erasure}, recorded,
		voicemails.Attributed{Persons: []string{"p1"}, At: t0},
		transcribed, missed(1), due, gaveUp, asked(2))
}

type decider interface {
	Decide(voicemails.State) ([]event.Payload, error)
}

func TestTheLifeOfAVoicemail(t *testing.T) {
	text := voicemails.Transcribe{Round: 1, Transcript: voicemails.Transcript{Text: "Call me back", Provider: "local"}, At: t0}
	fail := func(number int, final bool) voicemails.FailTranscription {
		return voicemails.FailTranscription{Round: 1,
			Failure: attempt.Failure{Number: number, Reason: "away", Final: final, Pause: 2 * time.Second, At: t0}}
	}
	hour := t0.Add(voicemails.TranscribeFor)
	late := func(number int, before time.Duration) voicemails.FailTranscription {
		return voicemails.FailTranscription{Round: 1,
			Failure: attempt.Failure{Number: number, Reason: "away", Pause: 2 * time.Second, At: hour.Add(-before)}}
	}
	lastPause := voicemails.TranscriptionAttemptFailed{Attempt: 6, Reason: "away", RetryAt: hour, At: hour.Add(-time.Second)}
	lastGaveUp := voicemails.TranscriptionFailed{Attempts: 6, Reason: "away", At: hour}
	retry := func(after time.Duration) voicemails.RetryTranscription {
		return voicemails.RetryTranscription{At: t0.Add(after)}
	}
	for name, c := range map[string]struct {
		given []event.Payload
		when  decider
		then  []event.Payload
	}{
		"recorded":                         {nil, record(nil), []event.Payload{recorded}},
		"what is said in it":               {[]event.Payload{recorded}, text, []event.Payload{transcribed}},
		"the first transcript stays":       {[]event.Payload{recorded, transcribed}, text, nil},
		"a transcript of nothing":          {nil, text, nil},
		"a transcript after giving up":     {[]event.Payload{recorded, gaveUp}, text, nil},
		"an attempt that fails":            {[]event.Payload{recorded}, fail(1, false), []event.Payload{missed(1)}},
		"told twice":                       {[]event.Payload{recorded, missed(1)}, fail(1, false), nil},
		"hopeless":                         {[]event.Payload{recorded}, fail(1, true), []event.Payload{gaveUp}},
		"the last but one":                 {[]event.Payload{recorded, missed(4), due}, fail(5, false), []event.Payload{missed(5)}},
		"after many of them":               {[]event.Payload{recorded, missed(40), due}, fail(41, false), []event.Payload{missed(41)}},
		"one near the end of the hour":     {[]event.Payload{recorded, missed(5), due}, late(6, time.Second), []event.Payload{lastPause}},
		"the last":                         {[]event.Payload{recorded, missed(5), due}, late(6, 0), []event.Payload{lastGaveUp}},
		"a pause that lasts":               {[]event.Payload{recorded, missed(1)}, retry(time.Second), nil},
		"a pause that is over":             {[]event.Payload{recorded, missed(1)}, retry(2 * time.Second), []event.Payload{due}},
		"a timer that fires twice":         {[]event.Payload{recorded, missed(1), due}, retry(time.Minute), nil},
		"a timer of one that was read":     {[]event.Payload{recorded, missed(1), due, transcribed}, retry(time.Minute), nil},
		"a text that comes in the pause":   {[]event.Payload{recorded, missed(1)}, text, []event.Payload{transcribed}},
		"an attempt that nobody asked for": {[]event.Payload{recorded}, fail(2, false), nil},
	} {
		got, err := c.when.Decide(voicemails.Voicemails.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
	_, err := record(nil).Decide(voicemails.Voicemails.State(recorded))
	require.True(t, fault.Is(err, fault.Conflict))
}

func TestAFileWithoutANameGetsOne(t *testing.T) {
	got, err := record(func(c *voicemails.Record) { c.FileName, c.ContentType = "  ", "audio/mpeg" }).Decide(voicemails.State{})
	require.NoError(t, err)
	require.Equal(t, "voicemail-v1.mp3", got[0].(voicemails.Recorded).FileName)
}

func TestTextThatCannotBeKept(t *testing.T) {
	s := voicemails.Voicemails.State(recorded)
	got, err := voicemails.Transcribe{Round: 1, Transcript: voicemails.Transcript{Text: "a\x00b\xff", Language: "de", Provider: "p"},
		At: t0}.Decide(s)
	require.NoError(t, err)
	require.Equal(t, voicemails.Transcribed{Text: "ab", Language: "de", Provider: "p", At: t0}, got[0])
	got, err = voicemails.Transcribe{Round: 1, Transcript: voicemails.Transcript{Text: strings.Repeat("é", 200_000)}}.Decide(s)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("é", 128<<10), got[0].(voicemails.Transcribed).Text)
	got, err = voicemails.Transcribe{Round: 1, Transcript: voicemails.Transcript{Text: strings.Repeat("a", 256<<10+1)}}.Decide(s)
	require.NoError(t, err)
	require.Len(t, got[0].(voicemails.Transcribed).Text, 256<<10, "as much as is kept, and no more")
}

// What a provider says it took is kept as it is, and is never less than nothing.
func TestWhatATranscriptTook(t *testing.T) {
	for name, c := range map[string]struct {
		told voicemails.Transcript
		want voicemails.Transcribed
	}{
		"by tokens": {voicemails.Transcript{Model: "m", TokensIn: 7, TokensOut: 3}, voicemails.Transcribed{Model: "m", TokensIn: 7,
			TokensOut: 3}},
		"by time":  {voicemails.Transcript{Charged: 2500 * time.Millisecond}, voicemails.Transcribed{ChargedMs: 2500}},
		"nonsense": {voicemails.Transcript{TokensIn: -1, TokensOut: -1, Charged: -time.Second}, voicemails.Transcribed{}},
	} {
		got, err := voicemails.Transcribe{Round: 1, Transcript: c.told, At: t0}.Decide(voicemails.Voicemails.State(recorded))
		require.NoError(t, err, name)
		c.want.Language, c.want.At = "en", t0
		require.Equal(t, []event.Payload{c.want}, got, name)
	}
}

// Whoever drives the attempts speaks to a voicemail by these.
func TestHowAnAttemptIsNamedAndSpokenTo(t *testing.T) {
	first := voicemails.Voicemails.State(recorded, missed(1), due)
	second := voicemails.Voicemails.State(recorded, gaveUp, asked(2))
	require.Equal(t, []string{"2", "2/1"}, []string{voicemails.Attempts.Name(first), voicemails.Attempts.Name(second)},
		"those of the first round have no number of it, as before there were others")
	require.Equal(t, second.Attempt, voicemails.Attempts.State(second))
	got, err := voicemails.Attempts.Fail(second, attempt.Failure{Number: 1, Reason: "away", Final: true, At: later})(second)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{voicemails.TranscriptionFailed{Round: 2, Attempts: 1, Reason: "away", At: later}}, got)
	got, err = voicemails.Attempts.Wake(t0.Add(2 * time.Second))(voicemails.Voicemails.State(recorded, missed(1)))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{due}, got)
	require.Equal(t, attempt.Backoff{First: 2 * time.Second, Factor: 2, Jitter: 0.5, Ceiling: 200 * time.Second}, voicemails.Attempts.Backoff)
	for _, end := range []event.Payload{transcribed, gaveUp} {
		require.False(t, voicemails.Voicemails.State(recorded, end).Attempt.Wanted(), "%T ends the attempts", end)
	}
}

func TestWrongFieldsOfAVoicemail(t *testing.T) {
	for field, edits := range map[string][]func(*voicemails.Record){
		"fileName": {
			func(c *voicemails.Record) { c.FileName = strings.Repeat("é", 201) }, func(c *voicemails.Record) { c.FileName = "a/b.wav" },
			func(c *voicemails.Record) { c.FileName = `a\b` }, func(c *voicemails.Record) { c.FileName = "a\r\nb" }, func(c *voicemails.Record) {
				c.FileName = "\xff"
			},
		},
		"callerId": {func(c *voicemails.Record) { c.CallerID = strings.Repeat("1", 257) }, func(c *voicemails.Record) { c.CallerID = "\x00" }},
		"language": {func(c *voicemails.Record) { c.Language = "english!" }},
	} {
		for _, edit := range edits {
			require.Error(t, record(edit).Validate(), field)
			_, err := record(edit).Decide(voicemails.State{})
			require.Equal(t, []string{field}, faulttest.Fields(t, err))
		}
	}
	require.NoError(t, record(func(c *voicemails.Record) {
		c.FileName, c.CallerID = strings.Repeat("é", 200), strings.Repeat("1", 256)
	}).Validate())
}

// wavOf is a header for mono PCM, 8,000 samples of 16 bits a second, with a chunk of odd
// length before its data.
func wavOf(dataSize uint32, data []byte) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	b = binary.LittleEndian.AppendUint32(b, 8000)
	b = binary.LittleEndian.AppendUint32(b, 16000)
	b = append(b, "\x02\x00\x10\x00LIST\x03\x00\x00\x00abc\x00data"...)
	return append(binary.LittleEndian.AppendUint32(b, dataSize), data...)
}

func TestHowLongARecordingIs(t *testing.T) {
	require.Equal(t, int64(250), voicemails.DurationMs(wavOf(4000, make([]byte, 4000))))
	require.Equal(t, int64(250), voicemails.DurationMs(wavOf(0xFFFFFFFF, make([]byte, 4000))), "a header of a stream")
	require.Equal(t, int64(0), voicemails.DurationMs(wavOf(0, nil)))
	require.Equal(t, int64(62), voicemails.DurationMs(wavOf(1000, make([]byte, 1000))), "in whole milliseconds")
	require.Equal(t, int64(0), voicemails.DurationMs([]byte("ID3 something else")))
	whole := wavOf(4000, make([]byte, 4000))
	for n := range 80 { // cut anywhere: no panic
		voicemails.DurationMs(whole[:n])
	}
}

func TestWhichAudioIsTaken(t *testing.T) {
	beginnings := map[string]string{"audio/wav": string(wavOf(4, make([]byte, 4))), "audio/mpeg": "ID3\x04", "audio/ogg": "OggS\x00",
		"audio/flac": "fLaC\x00", "audio/mp4": "\x00\x00\x00\x18ftypM4A ", "audio/webm": "\x1a\x45\xdf\xa3"}
	require.Len(t, beginnings, len(voicemails.ContentTypes()))
	for media, begins := range beginnings {
		got, _, problem := voicemails.CheckAudio(media, []byte(begins))
		require.Empty(t, problem, media)
		require.Equal(t, media, got)
		_, field, problem := voicemails.CheckAudio(media, []byte("<html>"))
		require.Equal(t, "body", field, problem)
		got, _, problem = voicemails.CheckAudio(voicemails.AnyBytes, []byte(begins))
		require.Empty(t, problem, "told by its beginning")
		require.Equal(t, media, got)
	}
	for alias, media := range map[string]string{"audio/x-wav": "audio/wav", "Audio/WAV; codecs=1": "audio/wav", "audio/mp3": "audio/mpeg"} {
		got, _, problem := voicemails.CheckAudio(alias, []byte(beginnings[media]))
		require.Empty(t, problem, alias)
		require.Equal(t, media, got)
	}
	for _, c := range []struct {
		media, begins string
		is            bool
	}{
		{"audio/mpeg", "\xff\xfb\x90", true}, {"audio/mpeg", "\xff\xe0\x00", true}, {"audio/mpeg", "\xff\xfb", false},
		{"audio/mpeg", "\xff\x1b\x90", false}, {"audio/mpeg", "\xfe\xfb\x90", false},
		{"audio/mp4", "\x00\x00\x00\x18ftypM4A", false}, {"audio/mp4", "\x00\x00\x00\x18moovM4A ", false},
		{"audio/wav", "RIFX\x00\x00\x00\x00WAVE", false}, {"audio/wav", "RIFF\x00\x00\x00\x00AVI ", false},
	} {
		_, field, problem := voicemails.MediaOf(c.media, []byte(c.begins))
		require.Equal(t, c.is, problem == "", "%s %q: %s %s", c.media, c.begins, field, problem)
	}
	for _, wrong := range []string{"", "text/html", "video/mp4", "audio", "audio/wav, audio/wav", "audio/x-unknown"} {
		_, field, _ := voicemails.CheckAudio(wrong, wavOf(0, nil))
		require.Equal(t, "Content-Type", field, wrong)
	}
	_, field, problem := voicemails.CheckAudio("audio/wav", nil)
	require.Equal(t, "body", field)
	require.Contains(t, problem, "is required")
	for _, nothing := range []string{"", "<html>"} {
		_, field, _ = voicemails.CheckAudio(voicemails.AnyBytes, []byte(nothing))
		require.Equal(t, "body", field)
	}
	_, field, _ = voicemails.CheckAudio(voicemails.AnyBytes, append(wavOf(4, make([]byte, 4))[:20], 0))
	require.Equal(t, "body", field, "a header that cannot be right is refused whatever it was sent as")
}

// A header that cannot be right is refused, and named; what streams leave open is not.
func TestHeadersOfWAVFilesAreRight(t *testing.T) {
	good := wavOf(4000, make([]byte, 4000))
	size := func(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }
	with := func(at int, bytes ...byte) []byte {
		out := slices.Clone(good)
		copy(out[at:], bytes)
		return out
	}
	for _, c := range []struct {
		name    string
		audio   []byte
		problem string
	}{
		{"as it should be", good, ""},
		{"a stream", wavOf(0xFFFFFFFF, make([]byte, 4000)), ""},
		{"a stream that left zeros", wavOf(0, make([]byte, 4000)), ""},
		{"sizes that are filled in", with(4, 0xD0, 0x0F, 0, 0), ""},
		{"more behind the sound", append(slices.Clone(good), "ID3 tag"...), ""},
		{"a size that is the file's own", with(4, size(len(good)-8)...), ""},
		{"a byte more", with(4, size(len(good)-7)...), "says 4057 bytes, and there are 4056"},
		{"12 bits in frames of 2 bytes", with(34, 12, 0), ""},
		{"another frame than its samples", with(34, 8, 0), "contradicts itself"},
		{"what is no PCM is not counted", with(20, 7, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 0, 0), ""},
		{"nothing but the head of a chunk", append([]byte("RIFF\x00\x00\x00\x00WAVE"), "fmt \x10\x00\x00"...), `without a chunk "fmt "`},
		{"0 channels", with(22, 0, 0), "0 channels"},
		{"rate 0", with(24, 0, 0, 0, 0), "sample rate 0"},
		{"0 bytes per second", with(28, 0, 0, 0, 0), "0 bytes per second"},
		{"0 bits", with(34, 0, 0), "0 bits"},
		{"contradiction", with(28, 1, 0, 0, 0), "contradicts itself"},
		{"less sound than it says", good[:len(good)-1], "says 4000 bytes of sound, and there are 3999"},
		{"a longer file than there is", with(4, 0xFF, 0xFF, 0, 0), "wrong length"},
		{"no format", []byte("RIFF1234WAVE"), `without a chunk "fmt "`},
		{"no sound", good[:36], `without a chunk "data"`},
	} {
		_, field, problem := voicemails.CheckAudio("audio/wav", c.audio)
		require.Equal(t, c.problem != "", problem != "", "%s: %s", c.name, problem)
		require.Contains(t, problem, c.problem, c.name)
		if problem != "" {
			require.Equal(t, "body", field)
		}
		_, _, problem = voicemails.MediaOf("audio/wav", c.audio)
		require.Empty(t, problem, "what cannot be had again is taken as it is")
	}
}
