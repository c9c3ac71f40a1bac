package sdkchannels_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/sdkchannels"
)

var (
	now      = time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)
	settings = sdkchannels.Settings{Name: "Shop", Type: sdkchannels.Web, KeyID: "ak-1", DeploymentID: "d-1", Environment: "staging",
		Follows: true, Config: json.RawMessage(`{"mode":"chat"}`), Active: true}
	created = sdkchannels.Created{ChannelID: "sdk-1", TenantID: "acme", ProjectID: "shop", Settings: settings, At: now}
	changed = sdkchannels.Changed{ChannelID: "sdk-1", TenantID: "acme", ProjectID: "shop", Settings: with(func(s *sdkchannels.Settings) {
		s.Name = "Other"
	}), At: now}
	deleted = sdkchannels.Deleted{ChannelID: "sdk-1", TenantID: "acme", ProjectID: "shop", At: now}
)

func with(edit func(*sdkchannels.Settings)) sdkchannels.Settings {
	s := settings
	edit(&s)
	return s
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, sdkchannels.Channels.Category, "testdata/events", created, changed, deleted)
	require.Equal(t, event.Quiet, sdkchannels.Channels.Partitions, "an account has few channels")
}

func TestWhatIsDecidedOfAChannel(t *testing.T) {
	define := sdkchannels.Define{ChannelID: "sdk-1", TenantID: "acme", ProjectID: "shop", Settings: with(func(s *sdkchannels.Settings) {
		s.Name, s.Config = " Shop ", json.RawMessage(`{ "mode": "chat" }`)
	}), At: now}
	renamed, moved := define, define
	renamed.Settings.Name, moved.ProjectID = "Other", "elsewhere"
	change := func(edit func(*sdkchannels.Settings)) sdkchannels.Change {
		return sdkchannels.Change{Edit: edit, At: now}
	}
	name := change(func(s *sdkchannels.Settings) { s.Name = "Other" })
	for label, c := range map[string]struct {
		given  []event.Payload
		decide func(sdkchannels.State) ([]event.Payload, error)
		want   []event.Payload
		code   fault.Code
	}{
		"made":             {nil, define.Decide, list(created), ""},
		"the same":         {list(created), define.Decide, nil, ""},
		"made to be so":    {list(created), renamed.Decide, list(changed), ""},
		"moved":            {list(created), moved.Decide, nil, fault.Validation},
		"made again":       {list(created, deleted), define.Decide, list(created), ""},
		"changed":          {list(created), name.Decide, list(changed), ""},
		"nothing new":      {list(created, changed), name.Decide, nil, ""},
		"changed too late": {list(created, deleted), name.Decide, nil, fault.NotFound},
		"deleted":          {list(created), sdkchannels.Delete{At: now}.Decide, list(deleted), ""},
		"deleted again":    {list(created, deleted), sdkchannels.Delete{At: now}.Decide, nil, fault.NotFound},
	} {
		got, err := c.decide(sdkchannels.Channels.State(c.given...))
		if c.code != "" {
			require.True(t, fault.Is(err, c.code), "%s: %v", label, err)
			continue
		}
		require.NoError(t, err, label)
		require.Equal(t, c.want, got, label)
	}
}

func list(events ...event.Payload) []event.Payload { return events }

func TestSettingsThatAreRefused(t *testing.T) {
	for field, edits := range map[string][]func(*sdkchannels.Settings){
		"name":           {func(s *sdkchannels.Settings) { s.Name = "" }},
		"channelType":    {func(s *sdkchannels.Settings) { s.Type = "fax" }},
		"publicApiKeyId": {func(s *sdkchannels.Settings) { s.KeyID = "x" }},
		"environment":    {func(s *sdkchannels.Settings) { s.Environment = "moon" }},
		"deploymentId": {func(s *sdkchannels.Settings) { s.DeploymentID, s.Follows = "", false },
			func(s *sdkchannels.Settings) { s.DeploymentID = "a b" }},
		"config": {func(s *sdkchannels.Settings) { s.Config = json.RawMessage(`[]`) },
			func(s *sdkchannels.Settings) {
				s.Config = json.RawMessage(`{"a":"` + strings.Repeat("x", sdkchannels.MaxConfig) + `"}`)
			}},
		"config.mode":               {func(s *sdkchannels.Settings) { s.Config = json.RawMessage(`{"mode":"fax"}`) }},
		"config.position":           {func(s *sdkchannels.Settings) { s.Config = json.RawMessage(`{"position":"middle"}`) }},
		"config.chatEnabled":        {func(s *sdkchannels.Settings) { s.Config = json.RawMessage(`{"chatEnabled":"yes"}`) }},
		"config.theme":              {func(s *sdkchannels.Settings) { s.Config = json.RawMessage(`{"theme":"dark"}`) }},
		"config.theme.darkMode":     {func(s *sdkchannels.Settings) { s.Config = json.RawMessage(`{"theme":{"darkMode":"yes"}}`) }},
		"config.theme.primaryColor": {func(s *sdkchannels.Settings) { s.Config = json.RawMessage(`{"theme":{"primaryColor":5}}`) }},
		"config.theme.logoUrl":      {func(s *sdkchannels.Settings) { s.Config = json.RawMessage(`{"theme":{"logoUrl":{}}}`) }},
		"config.placeholderText": {func(s *sdkchannels.Settings) {
			s.Config = json.RawMessage(`{"placeholderText":"` + strings.Repeat("x", 2001) + `"}`)
		}},
	} {
		for _, edit := range edits {
			_, err := with(edit).Clean()
			require.Equal(t, []string{field}, faulttest.Fields(t, err))
		}
	}
	got, err := with(func(s *sdkchannels.Settings) { s.Environment, s.Config = "", json.RawMessage("null") }).Clean()
	require.NoError(t, err)
	require.Equal(t, "production", got.Environment)
	require.Nil(t, got.Config)
}

func TestWhatAWidgetShows(t *testing.T) {
	for stored, want := range map[string]func(*sdkchannels.Config){
		``:                 func(*sdkchannels.Config) {},
		`{}`:               func(*sdkchannels.Config) {},
		`{"mode":"voice"}`: func(c *sdkchannels.Config) { c.Mode, c.ChatEnabled, c.VoiceEnabled = "voice", false, true },
		`{"mode":"unified","voiceEnabled":false,"position":"top-left",
			"welcomeMessage":"","placeholderText":"Say it"}`: func(c *sdkchannels.Config) {
			c.Mode, c.Position, c.WelcomeMessage, c.PlaceholderText = "unified", "top-left", "", "Say it"
		},
		`{"chatEnabled":null,"voiceEnabled":null,"welcomeMessage":null,"theme":null}`: func(*sdkchannels.Config) {},
		`{"theme":{"primaryColor":null,"darkMode":null,"logoUrl":null,"own":null}}`:   func(c *sdkchannels.Config) { c.Theme["own"] = nil },
		`{"theme":{"primaryColor":"red","own":{"a":1}},"mode":null}`: func(c *sdkchannels.Config) {
			c.Theme["primaryColor"], c.Theme["own"] = "red", map[string]any{"a": 1.}
		},
	} {
		expected := sdkchannels.ConfigOf(nil)
		require.Equal(t, []any{"chat", "bottom-right", true, false, false}, []any{expected.Mode, expected.Position, expected.ChatEnabled,
			expected.VoiceEnabled, expected.Theme["darkMode"]})
		want(&expected)
		require.Equal(t, expected, sdkchannels.ConfigOf(json.RawMessage(stored)), stored)
	}
	wrong := sdkchannels.ConfigOf(json.RawMessage(`{"chatEnabled":"yes","mode":"chat"}`))
	require.Equal(t, []any{"chat", true}, []any{wrong.Mode, wrong.ChatEnabled}, "what has the wrong type has its default")
}
