package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
)

// Given what is shown of a development server, then the number of a card stands in no line of it, nor do keys that somebody pressed; what
// is no such number does.
func TestNoCardIsShown(t *testing.T) {
	for given, shown := range map[string]string{
		`{"number":1,"digits":"4711","at":"2026-11-28"}`:          `{"number":1,"digits":"[keys]","at":"2026-11-28"}`,
		`{"text":"47*11","metadata":{"speech":{"pressed":true}}}`: `{"text":"[keys]","metadata":{"speech":{"pressed":true}}}`,
		`{"text":"4711","metadata":{"speech":{"written":true}}}`:  `{"text":"4711","metadata":{"speech":{"written":true}}}`,
		`{"values":{"card":"4111111111111111"}}`:                  `{"values":{"card":"[a card's number]"}}`,
		`It is 4111 1111 1111 1111.`:                              `It is [a card's number].`,
		`5105-1051-0510-5100, or 4222222222222`:                   `[a card's number], or [a card's number]`,
		`17 4111111111111111 or 12 5105-1051-0510-5100 3`:         `17 [a card's number] or 12 [a card's number] 3`,
		`4111111111111112`:                                        `4111111111111112`,
		`{"target":"tel:+4111111111111111"}`:                      `{"target":"tel:+4111111111111111"}`,
		`{"sid":"ed7804ad-b778-4111111111111111a"}`:               `{"sid":"ed7804ad-b778-4111111111111111a"}`,
	} {
		require.Equal(t, shown, withoutCards(given))
	}
	var out strings.Builder
	d := newDeveloper(&out)
	record := &eventstore.Record{Topic: "parley.sessions", Type: "parley.sessions.message-received.v1", Time: time.Now()}
	record.Data = []byte(`{"text":"` + strings.Repeat("a", mostShown-15) + ` 4111111111111111"}`) // where what is shown of it ends
	d.seen([]*eventstore.Record{record})
	d.say("%s took for D1: %s", "slack", "4111111111111111")
	d.say("%s", []byte(`{"said":"4111111111111111"}`))
	require.NotContains(t, out.String(), "41111")
}
