package llm_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/domain/fault"
)

var talk = []llm.Line{
	{Author: "bot", Text: "Hello, how can I help?"},
	{Author: "user", Name: "Ann", Text: " My order\n17 is late. "},
	{Author: "agent", Name: "Bob", Text: "I look."},
	{Author: "user", Name: "Ann", Text: "Thanks."},
	{Author: "agent", Name: "Bob", Text: "It comes tomorrow."},
	{Author: "agent", Name: "Bob", Text: " "},
}

func TestLocalSummary(t *testing.T) {
	for name, c := range map[string]struct {
		request llm.SummaryRequest
		want    string
	}{
		"who, first, last": {llm.SummaryRequest{Lines: talk},
			`5 messages: bot (1), Ann (2), Bob (2). Ann first said: "My order 17 is late.". bot last said: "Hello, how can I help?". Ann last ` +
				`said: "Thanks.". Bob last said: "It comes tomorrow.".`},
		"nothing":       {llm.SummaryRequest{Lines: []llm.Line{{Author: "user", Text: " \n"}}}, "Nothing was said."},
		"no customer":   {llm.SummaryRequest{Lines: talk[:1]}, `1 messages: bot (1). bot first said: "Hello, how can I help?".`},
		"nobody's name": {llm.SummaryRequest{Lines: []llm.Line{{Text: "x"}}}, `1 messages: ? (1). ? first said: "x".`},
		"German": {llm.SummaryRequest{Language: "German", Lines: talk[:1]},
			`1 Nachrichten: bot (1). bot sagte zuerst: "Hello, how can I help?".`},
		"locale first":     {llm.SummaryRequest{Language: "English", Locale: "es_MX", Lines: nil}, "No se dijo nada."},
		"unknown language": {llm.SummaryRequest{Language: "Klingon", Locale: "tlh", Lines: nil}, "Nothing was said."},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := llm.Local{}.Summarize(t.Context(), c.request)
			require.NoError(t, err)
			require.Equal(t, llm.Summary{Text: c.want, Provider: "local"}, s)
		})
	}
}

func TestLocalSummaryIsBounded(t *testing.T) {
	var lines []llm.Line
	for i := range 500 {
		lines = append(lines, llm.Line{Author: "user", Name: strings.Repeat("é", i), Text: strings.Repeat("ü\xff", 3_000)})
	}
	s, err := llm.Local{}.Summarize(t.Context(), llm.SummaryRequest{Lines: lines})
	require.NoError(t, err)
	require.Equal(t, llm.MaxSummary, utf8.RuneCountInString(s.Text))
	require.True(t, utf8.ValidString(s.Text))
}

func TestLocalSummaryGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := llm.Local{}.Summarize(ctx, llm.SummaryRequest{Lines: talk})
	require.True(t, fault.Is(err, fault.Unavailable))
}
