package checks

import (
	"fmt"
	"maps"
	"slices"

	"github.com/parley-platform/parley/cmd/chaos/load"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
)

// told is what the log says of the texts to one recipient.
type told struct {
	texts, attempts, sent, unknown int
}

// Texted checks that each text ended once and was sent at most once: by the log, which
// has another attempt only where the one before was certainly not taken, and by the
// provider's own record, who took no more than the texts that are sent or whose outcome
// is unknown, and was asked no more often than attempts were begun.
func Texted(f *Fold, record map[string]load.Text, out *Findings) {
	byRecipient := map[string]*told{}
	open, ends := map[string]bool{}, map[string]int{}
	final := folded(f, texts.Texts, func(stream string, after texts.State, r *eventstore.Record, p event.Payload) {
		to := after.Request.To
		if byRecipient[to] == nil {
			byRecipient[to] = &told{}
		}
		switch e := p.(type) {
		case texts.Requested:
			byRecipient[to].texts++
		case texts.AttemptStarted:
			byRecipient[to].attempts++
			if open[stream] {
				out.Doubled++
				out.Add("texts", "%s v%d begins another attempt, when the one before may have been taken", stream, r.Version)
			}
			open[stream] = true
		case texts.AttemptRefused:
			open[stream] = false
		case texts.Sent:
			byRecipient[to].sent++
			ends[stream]++
		case texts.Failed:
			ends[stream]++
			if e.Code == texts.CodeOutcomeUnknown {
				byRecipient[to].unknown++
			}
		}
	})
	for stream := range final {
		if ends[stream] != 1 {
			out.Add("texts", "%s ended %d times", stream, ends[stream])
		}
	}
	recorded(byRecipient, record, out)
}

// recorded holds the log against what the provider says.
func recorded(byRecipient map[string]*told, record map[string]load.Text, out *Findings) {
	for _, to := range slices.Sorted(maps.Keys(record)) {
		got, want := record[to], byRecipient[to]
		if want == nil {
			want = &told{}
		}
		what := fmt.Sprintf("%s: the provider was asked %d times and took %d; the log has %d texts, %d attempts, %d sent, %d unknown",
			to, got.Asked, got.Taken, want.texts, want.attempts, want.sent, want.unknown)
		if got.Taken > want.sent+want.unknown {
			out.Doubled++
			out.Add("texts", "%s", what)
		} else if got.Asked > want.attempts {
			out.Add("texts", "%s", what)
		}
	}
	for _, to := range slices.Sorted(maps.Keys(byRecipient)) {
		if want := byRecipient[to]; record[to].Taken < want.sent {
			out.Lost++
			out.Add("texts", "%s: %d texts are recorded as sent, and the provider took %d", to, want.sent, record[to].Taken)
		}
	}
}
