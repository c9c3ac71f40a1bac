package llm_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/fault"
)

var talk = []conversations.SummaryLine{
	{Author: "bot", Text: "Hello, how can I help?"},
	{Author: "user", Name: "Ann", Text: " My order\n17 is late. "},
	{Author: "agent", Name: "Bob", Text: "I look."},
	{Author: "user", Name: "Ann", Text: "Thanks."},
	{Author: "agent", Name: "Bob", Text: "It comes tomorrow."},
	{Author: "agent", Name: "Bob", Text: " "},
}

func TestLocalSummary(t *testing.T) {
	for name, c := range map[string]struct {
		request conversations.SummaryRequest
		want    string
	}{
		"who, first, last": {conversations.SummaryRequest{Lines: talk},
			`5 messages: bot (1), Ann (2), Bob (2). Ann first said: "My order 17 is late.". bot last said: "Hello, how can I help?". Ann last ` +
				`said: "Thanks.". Bob last said: "It comes tomorrow.".`},
		"nothing":       {conversations.SummaryRequest{Lines: []conversations.SummaryLine{{Author: "user", Text: " \n"}}}, "Nothing was said."},
		"no customer":   {conversations.SummaryRequest{Lines: talk[:1]}, `1 messages: bot (1). bot first said: "Hello, how can I help?".`},
		"nobody's name": {conversations.SummaryRequest{Lines: []conversations.SummaryLine{{Text: "x"}}}, `1 messages: ? (1). ? first said: "x".`},
		"German": {conversations.SummaryRequest{Language: "German", Lines: talk[:1]},
			`1 Nachrichten: bot (1). bot sagte zuerst: "Hello, how can I help?".`},
		"locale first":     {conversations.SummaryRequest{Language: "English", Locale: "es_MX", Lines: nil}, "No se dijo nada."},
		"unknown language": {conversations.SummaryRequest{Language: "Klingon", Locale: "tlh", Lines: nil}, "Nothing was said."},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := llm.Local{}.Summarize(t.Context(), c.request)
			require.NoError(t, err)
			require.Equal(t, conversations.SummaryMade{Text: c.want, Provider: "local"}, s)
		})
	}
}

func TestLocalSummaryIsBounded(t *testing.T) {
	var lines []conversations.SummaryLine
	for i := range 500 {
		lines = append(lines, conversations.SummaryLine{Author: "user", Name: strings.Repeat("é", i), Text: strings.Repeat("ü\xff", 3_000)})
	}
	s, err := llm.Local{}.Summarize(t.Context(), conversations.SummaryRequest{Lines: lines})
	require.NoError(t, err)
	require.Equal(t, llm.MaxSummary, utf8.RuneCountInString(s.Text))
	require.True(t, utf8.ValidString(s.Text))
}

func TestLocalSummaryGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := llm.Local{}.Summarize(ctx, conversations.SummaryRequest{Lines: talk})
	require.True(t, fault.Is(err, fault.Unavailable))
}
