// Package llm asks language models for answers and for summaries: those of OpenAI and of
// Anthropic, or a local provider that follows rules.
//
// It owns how a model is asked and what its answers mean. It stores nothing, logs
// nothing that was said, and decides nothing. What people said in a conversation is
// data to it, never instructions.
package llm

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/fault"
)

// ProviderLocal is the name of the local provider.
const ProviderLocal = "local"

// MaxSummary bounds the local provider's summaries, in characters.
const MaxSummary = 1_000

// Local is the provider of a server that is told of no other. It understands nothing; it
// reports, in this order and in at most 1,000 characters:
//
//   - how many messages there were and who spoke, with how many each, in order of appearance
//   - what the customer (author user, customer or caller; else the first who spoke) said first
//   - the last statement of each who spoke, the latest speaker last, if it is another one
//
// Its own words are in English, German, French or Spanish, as Locale, else Language, says;
// English for others. What people said is quoted as they said it, at most 200 characters
// of each statement.
type Local struct{}

const mostQuoted = 200 // characters of one statement

// None makes no summaries: the operator wants none made.
type None struct{}

// Summarize implements the port.
func (None) Summarize(context.Context, conversations.SummaryRequest) (conversations.SummaryMade, error) {
	return conversations.SummaryMade{}, fault.New(fault.Unavailable, "the server has no model: its operator has set none up")
}

// Summarize implements the port.
func (Local) Summarize(ctx context.Context, r conversations.SummaryRequest) (conversations.SummaryMade, error) {
	if err := ctx.Err(); err != nil {
		return conversations.SummaryMade{}, fault.New(fault.Unavailable, "the summary was given up").Because(err)
	}
	w := wordsIn(r.Locale, r.Language)
	lines := spoken(r.Lines)
	if len(lines) == 0 {
		return conversations.SummaryMade{Text: w.nothing, Provider: ProviderLocal}, nil
	}
	speakers := speakersOf(lines)
	counts := make([]string, len(speakers))
	for i, s := range speakers {
		counts[i] = fmt.Sprintf("%s (%d)", s.name, s.count)
	}
	first := 0
	for i, l := range lines {
		if customer(l) {
			first = i
			break
		}
	}
	parts := []string{fmt.Sprintf(w.counts, len(lines), strings.Join(counts, ", ")), fmt.Sprintf(w.first, speakerName(lines[first]),
		quote(lines[first].Text))}
	for i, l := range lines {
		if i != first && lastOf(lines, i) {
			parts = append(parts, fmt.Sprintf(w.last, speakerName(l), quote(l.Text)))
		}
	}
	return conversations.SummaryMade{Text: cut(strings.Join(parts, " "), MaxSummary), Provider: ProviderLocal}, nil
}

// spoken are the lines that say something, on one line each.
func spoken(all []conversations.SummaryLine) (out []conversations.SummaryLine) {
	for _, l := range all {
		if l.Text = strings.Join(strings.Fields(strings.ToValidUTF8(l.Text, "\uFFFD")), " "); l.Text != "" {
			out = append(out, l)
		}
	}
	return out
}

type speaker struct {
	name  string
	count int
}

func speakersOf(lines []conversations.SummaryLine) (out []speaker) {
	at := map[string]int{}
	for _, l := range lines {
		name := speakerName(l)
		if _, ok := at[name]; !ok {
			at[name] = len(out)
			out = append(out, speaker{name: name})
		}
		out[at[name]].count++
	}
	return out
}

func speakerName(l conversations.SummaryLine) string {
	for _, name := range []string{l.Name, l.Author} {
		if name = strings.Join(strings.Fields(name), " "); name != "" {
			return cut(name, 64)
		}
	}
	return "?"
}

func customer(l conversations.SummaryLine) bool {
	switch strings.ToLower(l.Author) {
	case "user", "customer", "caller":
		return true
	}
	return false
}

func lastOf(lines []conversations.SummaryLine, i int) bool {
	for _, later := range lines[i+1:] {
		if speakerName(later) == speakerName(lines[i]) {
			return false
		}
	}
	return true
}

func quote(text string) string { return `"` + cut(text, mostQuoted) + `"` }

// cut shortens to so many characters, the last of which then says so.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:most-1]), " ") + "…"
}

// words are the frame of a summary in one language.
type words struct{ counts, first, last, nothing string }

var english = words{"%d messages: %s.", "%s first said: %s.", "%s last said: %s.", "Nothing was said."}

var wordsByLanguage = map[string]words{
	"en": english, "english": english,
	"de": german, "german": german, "deutsch": german,
	"fr": french, "french": french, "français": french,
	"es": spanish, "spanish": spanish, "español": spanish,
}

var (
	german  = words{"%d Nachrichten: %s.", "%s sagte zuerst: %s.", "%s sagte zuletzt: %s.", "Es wurde nichts gesagt."}
	french  = words{"%d messages : %s.", "%s a d’abord dit : %s.", "%s a dit en dernier : %s.", "Rien n’a été dit."}
	spanish = words{"%d mensajes: %s.", "%s dijo primero: %s.", "%s dijo por último: %s.", "No se dijo nada."}
)

// wordsIn takes the first of the names or tags that is known.
func wordsIn(names ...string) words {
	for _, name := range names {
		primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-"), "-")
		if w, ok := wordsByLanguage[primary]; ok {
			return w
		}
	}
	return english
}
