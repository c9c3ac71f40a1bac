package speech_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/domain/fault"
)

func espeak(t *testing.T) *speech.Espeak {
	t.Helper()
	e, err := speech.NewEspeak(t.Context())
	require.NoError(t, err, "this test needs the program: apt-get install espeak-ng")
	return e
}

func seconds(samples []int16) float64 { return float64(len(samples)) / 8_000 }

// level is the root mean square of samples.
func level(samples []int16) float64 {
	sum := 0.0
	for _, v := range samples {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(max(len(samples), 1)))
}

func TestALocalVoiceSpeaks(t *testing.T) {
	e := espeak(t)
	short, err := e.Speak(t.Context(), "Good day.", "en-GB")
	require.NoError(t, err)
	require.Greater(t, seconds(short), 0.3)
	require.Less(t, seconds(short), 2.0)
	require.Greater(t, level(short), 500.0)
	require.Greater(t, level(short[:1_600]), 50.0, "it begins at once")
	again, err := e.Speak(t.Context(), "Good day.", "en-GB")
	require.NoError(t, err)
	require.Equal(t, short, again)
	long, err := e.Speak(t.Context(), "Good day. Your table for four persons is reserved at half past seven.", "en-GB")
	require.NoError(t, err)
	require.Greater(t, len(long), 2*len(short))
}

func TestEachLanguageHasItsVoice(t *testing.T) {
	e := espeak(t)
	for language, voice := range map[string]string{"de": " de ", "de-AT": " de ", "pt-BR": " pt-br ", "pt": " pt ",
		"en": " en-us ", "EN_gb": " en-gb ",
		"zh-CN": " cmn ", "no": " nb ", "": " en-us ", "xx": " en-us ", "fr": " fr-fr ", "es-MX": " es-419 "} {
		require.Contains(t, e.Voice(language), voice, language)
	}
	german, err := e.Speak(t.Context(), "Danke schön", "de")
	require.NoError(t, err)
	english, err := e.Speak(t.Context(), "Danke schön", "en")
	require.NoError(t, err)
	require.NotEqual(t, german, english)
}

func TestWhatHasNothingToSayIsSilent(t *testing.T) {
	for _, text := range []string{"", "  ", "…", "--", "\x00\n"} {
		samples, err := espeak(t).Speak(t.Context(), text, "en")
		require.NoError(t, err, text)
		require.Empty(t, samples, text)
	}
	samples, err := espeak(t).Speak(t.Context(), "[[hello]] \x00<speak>-v de\xff", "en")
	require.NoError(t, err)
	require.NotEmpty(t, samples, "a text is never a command")
	_, err = espeak(t).Speak(t.Context(), strings.Repeat("a", speech.LongestText+1), "en")
	require.True(t, fault.Is(err, fault.Validation), err)
	require.ErrorContains(t, err, "4000")
}

func TestWhoStopsWaitingIsToldAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := espeak(t).Speak(ctx, "Good day", "en")
	require.ErrorIs(t, err, context.Canceled)
}

// program puts a program in place of the synthesizer.
func program(t *testing.T, script string) *speech.Espeak {
	t.Helper()
	dir := t.TempDir()
	head := "#!/bin/sh\ncase $1 in --voices) printf 'Pty Language\\n 5 en-us x\\n'; exit;; --version) echo a b c 1.0; exit;; esac\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, speech.EspeakProgram), []byte(head+script), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return espeak(t)
}

func TestASynthesizerThatFails(t *testing.T) {
	const header = `printf 'RIFF\377\377\377\377WAVEfmt ' &&
printf '\020\000\000\000\001\000\001\000\042\126\000\000\104\254\000\000\002\000\020\000data\377\377\377\377'`
	for name, c := range map[string]struct{ script, says string }{
		"an hour":       {header + "\nexec cat /dev/zero", "more than 5m0s"},
		"nothing":       {"true", "no sound that can be read"},
		"only silence":  {header + "\nhead -c 100000 /dev/zero", "no sound"},
		"no sound":      {"echo hello", "no sound that can be read"},
		"a failure":     {"echo broken voice >&2; exit 3", "failed"},
		"half a header": {"printf RIFF", "no sound that can be read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := program(t, c.script).Speak(t.Context(), "Good day", "en")
			require.ErrorContains(t, err, c.says)
			require.True(t, fault.Is(err, fault.Unavailable), err)
		})
	}
	t.Run("one that never ends", func(t *testing.T) {
		e := program(t, "exec sleep 1000")
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := e.Speak(ctx, "Good day", "en")
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
	t.Run("one that is not there", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := speech.NewEspeak(t.Context())
		require.ErrorContains(t, err, "apt-get install espeak-ng")
		_, err = speech.NoSpeaker{Why: err.Error()}.Speak(t.Context(), "Good day", "en")
		require.ErrorContains(t, err, "apt-get install espeak-ng")
	})
}

// tone is raw PCM of a sine.
func tone(hz, rate, n int) []byte {
	var out []byte
	for i := range n {
		v := int16(8_000 * math.Sin(2*math.Pi*float64(hz)*float64(i)/float64(rate)))
		out = append(out, byte(v), byte(uint16(v)>>8))
	}
	return out
}

func TestOpenAISpeaks(t *testing.T) {
	var asked []openai.SpeechRequest
	answer := func(w http.ResponseWriter) { _, _ = w.Write(tone(1_000, 24_000, 24_000)) }
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/audio/speech" || r.Header.Get("Authorization") != "Bearer sk-test" {
			http.Error(w, "no", http.StatusNotFound)
			return
		}
		var of openai.SpeechRequest
		if json.NewDecoder(r.Body).Decode(&of) == nil {
			asked = append(asked, of)
		}
		answer(w)
	}))
	t.Cleanup(peer.Close)
	o, err := speech.NewOpenAISpeaker(openai.Config{APIKey: "sk-test", BaseURL: peer.URL + "/v1"}, "", "")
	require.NoError(t, err)
	samples, err := o.Speak(t.Context(), " Good day ", "en")
	require.NoError(t, err)
	require.Equal(t, []openai.SpeechRequest{{Model: "gpt-4o-mini-tts", Voice: "alloy", Input: "Good day", Format: "pcm"}}, asked)
	require.InDelta(t, 8_000, len(samples), 20, "a second of 24 kHz is one of 8 kHz")
	require.InDelta(t, 8_000/math.Sqrt2, level(samples[1_000:7_000]), 200)
	require.Equal(t, "openai gpt-4o-mini-tts alloy", o.Voice("de"))
	answer = func(w http.ResponseWriter) { _, _ = w.Write(tone(5_500, 24_000, 24_000)) }
	samples, err = o.Speak(t.Context(), "Good day", "en")
	require.NoError(t, err)
	require.Less(t, level(samples[1_000:7_000]), 30.0, "what a telephone cannot carry does not come back as another tone")

	for name, c := range map[string]struct {
		answer func(http.ResponseWriter)
		says   string
	}{
		"an hour": {func(w http.ResponseWriter) {
			for range 400 {
				if _, err := w.Write(tone(500, 24_000, 24_000)); err != nil {
					return
				}
			}
		}, "more than 5m0s"},
		"nothing":       {func(http.ResponseWriter) {}, "no sound"},
		"half a sample": {func(w http.ResponseWriter) { _, _ = w.Write([]byte{1, 2, 3}) }, "middle of a sample"},
		"no key": {func(w http.ResponseWriter) {
			http.Error(w, `{"error":{"code":"invalid_api_key"}}`, http.StatusUnauthorized)
		},
			"does not accept the server's key"},
		"it breaks off": {func(w http.ResponseWriter) { w.Header().Set("Content-Length", "99"); _, _ = w.Write([]byte{1}) }, "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			answer = c.answer
			_, err := o.Speak(t.Context(), "Good day", "en")
			require.ErrorContains(t, err, c.says)
		})
	}
}

// shelf is a blob storage in memory.
type shelf struct {
	mu    sync.Mutex
	files map[string]string
	down  error
	wrote chan string
}

func (s *shelf) Open(_ context.Context, name string) (io.ReadSeekCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if content, ok := s.files[name]; ok && s.down == nil {
		return struct {
			io.ReadSeeker
			io.Closer
		}{strings.NewReader(content), io.NopCloser(nil)}, nil
	}
	return nil, errors.Join(errors.New("there is none"), s.down)
}

func (s *shelf) Replace(_ context.Context, name, _ string, content []byte) error {
	s.mu.Lock()
	down := s.down
	if down == nil {
		s.files[name] = string(content)
	}
	s.mu.Unlock()
	s.wrote <- name
	return down
}

// set changes what there is, or is not.
func (s *shelf) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *shelf) Delete(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, name)
	return s.down
}
