package speech

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/embedded/child"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/wav"
)

// EspeakProgram is looked for on the PATH.
const EspeakProgram = "espeak-ng"

// EspeakWanted says how a machine gets it.
const EspeakWanted = "the program " + EspeakProgram + " is not on the PATH: apt-get install espeak-ng, or name another --speech-provider"

const (
	wordsPerMinute = "165" // a little slower than the program's own: it is heard by telephone
	askVoices      = 5 * time.Second
	mostStdout     = 4 * mostSamples * sampleBytes // its own rate is 22,050 Hz
)

// Espeak speaks by a program of this machine, a process for each text. The text goes in by its
// standard input: others on the machine can read what stands on a command line.
type Espeak struct {
	program string
	version string
	voices  []string      // that it has, in its order
	turns   chan struct{} // at most so many processes at a time
}

// NewEspeak finds the program and asks which voices it has.
func NewEspeak(ctx context.Context) (*Espeak, error) {
	path, err := exec.LookPath(EspeakProgram)
	if err != nil {
		return nil, errors.New(EspeakWanted)
	}
	return newEspeak(ctx, path)
}

func newEspeak(ctx context.Context, path string) (*Espeak, error) {
	ctx, cancel := context.WithTimeout(ctx, askVoices)
	defer cancel()
	list, err := exec.CommandContext(ctx, path, "--voices").Output()
	if err != nil {
		return nil, fmt.Errorf("asking %s for its voices: %w", path, err)
	}
	version, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("asking %s for its version: %w", path, err)
	}
	e := &Espeak{program: path, voices: voicesOf(string(list)), turns: make(chan struct{}, 2*runtime.NumCPU())}
	if e.version = "unknown"; len(strings.Fields(string(version))) > 3 {
		e.version = strings.TrimSuffix(strings.Fields(string(version))[3], ":") // eSpeak NG text-to-speech: 1.51 ...
	}
	if len(e.voices) == 0 {
		return nil, fmt.Errorf("%s names no voice", path)
	}
	return e, nil
}

// voicesOf reads the table of voices: its second column has their languages.
func voicesOf(table string) (out []string) {
	for i, line := range strings.Split(table, "\n") {
		if columns := strings.Fields(line); i > 0 && len(columns) > 1 {
			out = append(out, columns[1])
		}
	}
	return out
}

// spellings are languages that the program calls otherwise, or of which it has several.
var spellings = map[string]string{"zh": "cmn", "no": "nb", "en": "en-us", "fr": "fr-fr", "es-mx": "es-419", "es-us": "es-419", "iw": "he"}

// voiceOf is the voice for a language tag: of the language and the country, of the language, or English.
func (e *Espeak) voiceOf(language string) string {
	tag := strings.ReplaceAll(strings.ToLower(language), "_", "-")
	primary, _, _ := strings.Cut(tag, "-")
	for _, want := range []string{tag, spellings[tag], spellings[primary], primary} {
		for _, has := range e.voices {
			if has == want {
				return has
			}
		}
	}
	for _, has := range e.voices {
		if strings.HasPrefix(has, primary+"-") && primary != "" {
			return has
		}
	}
	return spellings["en"]
}

// Voice names the voice of a language.
func (e *Espeak) Voice(language string) string {
	return "espeak-ng " + e.version + " " + e.voiceOf(language) + " " + wordsPerMinute
}

// Speak implements the port.
func (e *Espeak) Speak(ctx context.Context, text, language string) ([]int16, error) {
	text, ok, err := speakable(text)
	if err != nil || !ok {
		return nil, err
	}
	select {
	case e.turns <- struct{}{}:
		defer func() { <-e.turns }()
	case <-ctx.Done():
		return nil, after(ctx, "waiting to speak", nil)
	}
	raw, err := e.run(ctx, strings.ReplaceAll(text, "[[", "[ ["), language) // which would be phonemes
	if err != nil {
		return nil, err
	}
	w, ok := parseWAV(raw)
	if !ok || w.rate == 0 {
		return nil, fault.New(fault.Unavailable, "%s gave no sound that can be read", EspeakProgram)
	}
	return spoken(resample(wav.Samples(w.sound), w.rate))
}

func (e *Espeak) run(ctx context.Context, text, language string) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx) // which kills the program
	defer cancel()
	cmd := exec.CommandContext(ctx, e.program, "--stdin", "--stdout", "-b", "1", "-s", wordsPerMinute, "-v", e.voiceOf(language))
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(text), time.Second
	said := &child.Said{Most: 200}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", EspeakProgram, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fault.New(fault.Unavailable, "%s cannot be started", EspeakProgram).Because(err)
	}
	raw, err := io.ReadAll(io.LimitReader(out, int64(mostStdout)+1))
	if len(raw) > mostStdout {
		cancel()
		_ = cmd.Wait()
		return nil, tooLong()
	}
	if err = errors.Join(err, cmd.Wait()); err != nil {
		why := fmt.Errorf("%w: %s", err, said.String())
		return nil, after(ctx, "speaking", fault.New(fault.Unavailable, "%s failed", EspeakProgram).Because(why))
	}
	return raw, nil
}
