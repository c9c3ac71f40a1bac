package siptest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/wav"
)

// second is a second of mu-law.
const second = 8000

// Spoken is a text as a callee says it, mu-law, with silence before it. voice is one of espeak-ng.
func Spoken(t testing.TB, voice, text string, before int) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "said.wav")
	run(t, Need(t, "espeak-ng", "espeak-ng"), "-v", voice, "-s", "150", "-w", file, text)
	said := run(t, Need(t, "sox", "sox"), file, "-r", "8000", "-c", "1", "-t", "ul", "-", "norm", "-9")
	return append(Silence(before), said...)
}

// Beep is a tone of so many Hz and milliseconds.
func Beep(t testing.TB, frequency, ms int) []byte {
	t.Helper()
	seconds := strconv.FormatFloat(float64(ms)/1000, 'f', 3, 64)
	return run(t, Need(t, "sox", "sox"), "-n", "-r", "8000", "-c", "1", "-t", "ul", "-", "synth", seconds,
		"sine", strconv.Itoa(frequency), "norm", "-12")
}

// Silence is that of so many milliseconds.
func Silence(ms int) []byte { return bytes.Repeat([]byte{0xff}, ms*second/1000) }

// File holds sound for a script to play, with silence behind it so that it does not stop.
func File(t testing.TB, parts ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sound.ul")
	require.NoError(t, os.WriteFile(path, append(bytes.Join(parts, nil), Silence(120_000)...), 0o600))
	return path
}

func run(t testing.TB, program string, args ...string) []byte {
	t.Helper()
	var said, complained bytes.Buffer
	c := exec.Command(program, args...)
	c.Stdout, c.Stderr = &said, &complained
	require.NoError(t, c.Run(), "%s: %s", program, complained.String())
	return said.Bytes()
}

// tone is ten minutes of a quiet tone, as a WAV file of 8 kHz: a phone that has played it to its end may hang up.
func tone() []byte {
	samples := make([]int16, 600*wav.Rate)
	for i := range samples {
		samples[i] = int16((i%20 - 10) * 200)
	}
	return wav.File(samples)
}
