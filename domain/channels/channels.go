// Package channels names the kinds of channels that conversations come by, and the other
// spellings that callers have for them (docs/api-rules.md "Call details").
//
// It owns no stream and connects nothing.
package channels

import (
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/connections"
)

// Voice is the kind of telephone calls, Client that of web and mobile clients, which
// stands for several kinds of sessions.
const (
	Voice  = "voice"
	Client = "rtm"
)

// ofClient are the channels of sessions that a web or mobile client opens.
var ofClient = []string{"web", "web_debug", "mobile", "sdk"}

// kinds are the slugs that a filter may name.
var kinds = []string{Client, Voice, "slack", "msteams", "whatsapp", "messenger", "instagram", "telegram", "line", "sms", "email",
	"zendesk", "genesys", "audiocodes", "voice_vxml", "voice_twilio", "voice_livekit", "voice_pipeline",
	"twilio_sms", "jambonz", "vxml", "twilio_voice", "livekit", "web_chat", "ag_ui", "a2a", "http_async", "http", "api"}

// doors are kinds whose records go by the slug of their connections.
var doors = map[string]string{"voice_vxml": "vxml", "voice_twilio": "twilio_voice", "voice_livekit": "livekit"}

// shown are the names that call details have for kinds; others are shown by their slug.
var shown = map[string]string{Voice: "Voice", Client: "Web/Mobile Client"}

// Kinds lists the slugs of the kinds that a filter may name.
func Kinds() []string { return slices.Clone(kinds) }

// Name is what call details call a kind.
func Name(kind string) string {
	if name, ok := shown[kind]; ok {
		return name
	}
	return kind
}

// Named finds the kind that a caller means, by its slug or by the name that call details
// show, whatever the case, or by another word that connections of it have.
func Named(name string) (kind string, ok bool) {
	for _, k := range kinds {
		if strings.EqualFold(name, k) || strings.EqualFold(name, Name(k)) {
			return k, true
		}
	}
	if slices.Contains(ofClient, name) {
		return "", false
	}
	k, ok := connections.KindOf(name)
	return k.Slug, ok
}

// Spelled lists the channels of records that a caller means: a kind by any of its names,
// and of web and mobile clients those of their sessions too. A word that is a channel of
// records and of connections means both, but for voice, which is that of all calls. Any
// other name stands for itself.
func Spelled(name string) []string {
	kind, ok := Named(name)
	switch {
	case !ok:
		return []string{name}
	case kind == Client:
		return append([]string{kind}, ofClient...)
	}
	if slug, is := doors[kind]; is {
		return []string{kind, slug}
	}
	if of, is := connections.KindOf(kind); is && of.Slug != kind && kind != Voice {
		return []string{kind, of.Slug}
	}
	return []string{kind}
}
