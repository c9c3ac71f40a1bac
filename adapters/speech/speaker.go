package speech

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/fault"
)

// Speaker makes sound of text: 16-bit samples at 8 kHz. It is safe for concurrent use, ends with ctx,
// and gives neither nothing nor more than LongestSpoken for a text that has something to say.
type Speaker interface {
	Speak(ctx context.Context, text, language string) ([]int16, error)
	// Voice names everything but the text that decides how a language sounds: provider, model, voice.
	Voice(language string) string
}

// What one text may come to.
const (
	LongestText   = 4_000           // characters; who has more to say says it in sentences
	LongestSpoken = 5 * time.Minute // of sound
)

const mostSamples = int(LongestSpoken/time.Second) * sampleRate

// speakable refuses a text that is too long. ok is false for one in which there is nothing to say.
func speakable(text string) (clean string, ok bool, err error) {
	if n := utf8.RuneCountInString(text); n > LongestText {
		return "", false, fault.Field("text", "has %d characters; what is spoken at once may have %d", n, LongestText)
	}
	clean = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	said := strings.ContainsFunc(clean, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) })
	return strings.TrimSpace(clean), said, nil
}

// spoken is what a provider has given, if it is something that a callee can be told.
func spoken(samples []int16) ([]int16, error) {
	if len(samples) > mostSamples {
		return nil, tooLong()
	}
	if out := trimmed(samples); len(out) > 0 && len(out) >= lead {
		return out, nil
	}
	return nil, fault.New(fault.Unavailable, "the synthesizer made no sound of a text")
}

func tooLong() error {
	return fault.New(fault.Unavailable, "the synthesizer made more than %s of sound of one text, which is not believed", LongestSpoken)
}

// NoSpeaker is the speaker of a machine that has none: Why is what there is to do.
type NoSpeaker struct{ Why string }

// Speak refuses.
func (n NoSpeaker) Speak(context.Context, string, string) ([]int16, error) {
	return nil, fault.New(fault.Unavailable, "nothing can be spoken here: %s", n.Why)
}

// Voice is none.
func (NoSpeaker) Voice(string) string { return "none" }

var (
	_ Speaker = NoSpeaker{}
	_ Speaker = (*Espeak)(nil)
	_ Speaker = (*OpenAISpeaker)(nil)
)

// after says what was being done when somebody stopped waiting, instead of what broke by it.
func after(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	return err
}
