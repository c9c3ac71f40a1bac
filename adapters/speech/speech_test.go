package speech_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/voicemails"
)

func TestRecordingIsAWAVFile(t *testing.T) {
	for _, comment := range []string{"", "Call me back", "odd"} {
		data := speech.Recording(2, comment)
		require.Equal(t, "RIFF", string(data[:4]))
		require.Equal(t, len(data)-8, int(binary.LittleEndian.Uint32(data[4:])))
		require.Equal(t, "WAVEfmt ", string(data[8:16]))
		field := func(at int) int { return int(binary.LittleEndian.Uint16(data[at:])) }
		require.Equal(t, []int{1, 1, 8000, 2, 16}, []int{field(20), field(22), field(24), field(32), field(34)}, "PCM, mono, 8 kHz, 16 bit")
		at := bytes.Index(data, []byte("data"))
		require.Equal(t, 32_000, int(binary.LittleEndian.Uint32(data[at+4:])))
		require.Len(t, data[at+8:], 32_000)
		require.Zero(t, at%2, "chunks begin at even places")
	}
	require.Equal(t, speech.Recording(0, ""), speech.Recording(-1, ""))
}

func TestLocalTranscript(t *testing.T) {
	second := speech.Recording(1, "")
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"the comment":         {speech.Recording(1, " Call me back, ünless it is late. "), "Call me back, ünless it is late."},
		"a null character":    {speech.Recording(0, "a\x00b"), "a b"},
		"no comment":          {speech.Recording(3, ""), "[voicemail of 3 seconds, not transcribed]"},
		"cut off":             {second[:len(second)-8_000], "[voicemail of 1 seconds, not transcribed]"},
		"only a header":       {second[:12], "[voicemail, not transcribed]"},
		"another format":      {[]byte("ID3 not a wav"), "[voicemail, not transcribed]"},
		"a size out of bound": {append([]byte("RIFF\xff\xff\xff\xffWAVELIST\xff\xff\xff\xffINFOICMT\xff\xff\xff\xff"), "hi\x00"...), "hi"},
		"invalid UTF-8":       {speech.Recording(0, "a\xffb"), "a\uFFFDb"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := speech.Local{}.Transcribe(t.Context(), voicemails.Audio{Data: bytes.NewReader(c.data), Language: "en"})
			require.NoError(t, err)
			require.Equal(t, voicemails.Transcript{Text: c.want, Language: "en", Provider: "local"}, got)
		})
	}
}

func TestHeadersThatCannotBeRightAreRefused(t *testing.T) {
	for at, problem := range map[int]string{22: "0 channels", 24: "sample rate 0"} {
		audio := speech.Recording(1, "")
		copy(audio[at:], make([]byte, 2))
		copy(audio[26:], make([]byte, 2)) // the upper half of the rate, which is 0 already
		_, err := speech.Local{}.Transcribe(t.Context(), voicemails.Audio{Data: bytes.NewReader(audio)})
		require.Equal(t, fault.Validation, fault.CodeOf(err))
		require.ErrorContains(t, err, problem)
	}
}

// transcription is the body that OpenAI documents for a transcription.
const transcription = `{"text":" Imagine the wildest idea. ","usage":{"type":"tokens","input_tokens":14,
	"input_token_details":{"text_tokens":0,"audio_tokens":14},"output_tokens":45,"total_tokens":59}}`

// form is what the peer got.
type form struct {
	file, fileType, model, language, format string
	data                                    []byte
}

func hearing(t *testing.T, answer func(http.ResponseWriter)) (*speech.OpenAI, *[]form) {
	t.Helper()
	var all []form
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sk-test" || r.URL.Path != "/v1/audio/transcriptions" || r.Method != "POST" {
			reply(w, 401, `{"error":{"message":"key sk-test","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`)
			return
		}
		file, header, err := r.FormFile("file")
		if err != nil || r.FormValue("model") == "" {
			reply(w, 400, `{"error":{"message":"no file","type":"invalid_request_error","param":"file","code":null}}`)
			return
		}
		data, _ := io.ReadAll(file)
		all = append(all, form{header.Filename, header.Header.Get("Content-Type"), r.FormValue("model"), r.FormValue("language"),
			r.FormValue("response_format"), data})
		answer(w)
	}))
	t.Cleanup(s.Close)
	m, err := speech.NewOpenAI(openai.Config{APIKey: "sk-test", BaseURL: s.URL + "/v1/"}, "")
	require.NoError(t, err)
	return m, &all
}

func reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func TestOpenAITranscript(t *testing.T) {
	m, all := hearing(t, func(w http.ResponseWriter) { reply(w, 200, transcription) })
	data := speech.Recording(1, "")
	for _, c := range []struct {
		audio voicemails.Audio
		want  form
	}{
		{voicemails.Audio{Name: "x.wav", ContentType: "audio/wav", Language: "en-US"}, form{"audio.wav", "audio/wav", "whisper-1", "en", "json",
			data}},
		{voicemails.Audio{Name: "../\"a\r\nb.mp3", ContentType: "text/\r\nX: y"}, form{"audio.mp3", "application/octet-stream", "whisper-1", "",
			"json", data}},
		{voicemails.Audio{ContentType: "audio/mpeg", Language: "tlh"}, form{"audio.mp3", "audio/mpeg", "whisper-1", "", "json", data}},
		{voicemails.Audio{}, form{"audio.wav", "application/octet-stream", "whisper-1", "", "json", data}},
	} {
		c.audio.Data = bytes.NewReader(data)
		got, err := m.Transcribe(t.Context(), c.audio)
		require.NoError(t, err)
		require.Equal(t, voicemails.Transcript{Text: "Imagine the wildest idea.", Language: c.audio.Language, Provider: "openai",
			Model: speech.DefaultModel, TokensIn: 14, TokensOut: 45}, got)
		require.Equal(t, c.want, (*all)[len(*all)-1])
	}
}

// Models that are paid by the length of the audio say so, and no tokens.
func TestOpenAITranscriptThatIsChargedByTime(t *testing.T) {
	for usage, charged := range map[string]time.Duration{
		`,"usage":{"type":"duration","seconds":7.5}`:  7500 * time.Millisecond,
		`,"usage":{"type":"duration","seconds":-1}`:   0,
		`,"usage":{"type":"duration","seconds":1e99}`: 24 * time.Hour,
		``: 0,
	} {
		m, _ := hearing(t, func(w http.ResponseWriter) { reply(w, 200, `{"text":"Hello."`+usage+`}`) })
		got, err := m.Transcribe(t.Context(), voicemails.Audio{Data: strings.NewReader("x")})
		require.NoError(t, err, usage)
		require.Equal(t, voicemails.Transcript{Text: "Hello.", Provider: "openai", Model: speech.DefaultModel, Charged: charged}, got, usage)
	}
}

func TestOpenAIErrors(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		code   fault.Code
	}{
		"too many": {429, `{"error":{"message":"slow down","type":"requests","param":null,"code":"rate_limit_exceeded"}}`, fault.RateLimit},
		"internal": {500, ``, fault.Unavailable},
		"not audio": {400, `{"error":{"message":"Invalid file format.","type":"invalid_request_error","param":"file","code":null}}`,
			fault.Validation},
		"no transcript":  {200, `{}`, fault.Unavailable},
		"half an answer": {200, transcription[:20], fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			m, all := hearing(t, func(w http.ResponseWriter) { reply(w, c.status, c.body) })
			_, err := m.Transcribe(t.Context(), voicemails.Audio{Data: strings.NewReader("x")})
			require.True(t, fault.Is(err, c.code), "%v", err)
			require.Len(t, *all, 1, "asked once")
		})
	}
	t.Run("no answer", func(t *testing.T) {
		held := make(chan struct{})
		m, _ := hearing(t, func(http.ResponseWriter) { <-held })
		defer close(held)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := m.Transcribe(ctx, voicemails.Audio{Data: strings.NewReader("x")})
		require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	})
}

// Both providers refuse the same recordings.
func TestRecordingsThatAreNotTaken(t *testing.T) {
	m, all := hearing(t, func(w http.ResponseWriter) { reply(w, 200, transcription) })
	for name, transcribe := range map[string]func(context.Context, voicemails.Audio) (voicemails.Transcript, error){
		"local":  speech.Local{}.Transcribe,
		"openai": m.Transcribe} {
		for what, c := range map[string]struct {
			data io.Reader
			code fault.Code
		}{
			"nothing":     {nil, fault.Validation},
			"empty":       {strings.NewReader(""), fault.Validation},
			"too large":   {bytes.NewReader(make([]byte, speech.MaxAudio+1)), fault.Validation},
			"not to read": {iotest.ErrReader(errors.New("disk")), fault.Unavailable},
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				_, err := transcribe(t.Context(), voicemails.Audio{Data: c.data})
				require.True(t, fault.Is(err, c.code), "%v", err)
			})
		}
	}
	require.Empty(t, *all)
}
