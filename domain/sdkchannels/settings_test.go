package sdkchannels_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/sdkchannels"
)

// Whichever setting of a channel is another one, that is written, and nothing else changes of it.
func TestEachSettingMayChange(t *testing.T) {
	later := now.Add(time.Hour)
	for label, edit := range map[string]func(*sdkchannels.Settings){
		"its name":                 func(s *sdkchannels.Settings) { s.Name = "Other" },
		"what it is used in":       func(s *sdkchannels.Settings) { s.Type = sdkchannels.Voice },
		"its key":                  func(s *sdkchannels.Settings) { s.KeyID = "ak-2" },
		"its deployment":           func(s *sdkchannels.Settings) { s.DeploymentID = "d-2" },
		"no deployment":            func(s *sdkchannels.Settings) { s.DeploymentID = "" },
		"its environment":          func(s *sdkchannels.Settings) { s.Environment = "production" },
		"that it stays with one":   func(s *sdkchannels.Settings) { s.Follows = false },
		"that it is out of use":    func(s *sdkchannels.Settings) { s.Active = false },
		"how its widget looks":     func(s *sdkchannels.Settings) { s.Config = json.RawMessage(`{"mode":"voice"}`) },
		"that its widget is plain": func(s *sdkchannels.Settings) { s.Config = nil },
	} {
		t.Run(label, func(t *testing.T) {
			got, err := sdkchannels.Change{Edit: edit, At: later}.Decide(sdkchannels.Channels.State(created))
			require.NoError(t, err)
			want := sdkchannels.Changed{ChannelID: "sdk-1", TenantID: "acme", ProjectID: "shop", Settings: with(edit), At: later}
			require.Equal(t, list(want), got)
			require.Equal(t, sdkchannels.State{ID: "sdk-1", TenantID: "acme", ProjectID: "shop", Settings: with(edit), CreatedAt: now,
				UpdatedAt: later}, sdkchannels.Channels.State(created, want))
		})
	}
	require.Equal(t, sdkchannels.State{ID: "sdk-1", TenantID: "acme", ProjectID: "shop", Settings: settings, CreatedAt: now,
		UpdatedAt: now}, sdkchannels.Channels.State(created))
}

// All that is wrong with a channel is told at once, in the order of its members, whether it is to be
// made or to be changed.
func TestAllThatIsWrongWithAChannelIsTold(t *testing.T) {
	long := strings.Repeat("x", 2001)
	wrong := sdkchannels.Settings{Type: "fax", KeyID: "x", Environment: "moon", Config: json.RawMessage(`{"chatEnabled":"yes","mode":"fax",
		"position":"middle","welcomeMessage":"` + long + `","placeholderText":"` + long + `","theme":{"darkMode":1,"fontFamily":2}}`)}
	for label, decide := range map[string]func(sdkchannels.State) ([]event.Payload, error){
		"to be made":    sdkchannels.Define{ChannelID: "sdk-1", TenantID: "acme", ProjectID: "shop", Settings: wrong, At: now}.Decide,
		"to be changed": sdkchannels.Change{Edit: func(s *sdkchannels.Settings) { *s = wrong }, At: now}.Decide,
	} {
		given := sdkchannels.State{}
		if label == "to be changed" {
			given = sdkchannels.Channels.State(created)
		}
		got, err := decide(given)
		require.Empty(t, got, label)
		require.Equal(t, []string{"name", "channelType", "publicApiKeyId", "environment", "deploymentId", "config.chatEnabled",
			"config.mode", "config.position", "config.welcomeMessage", "config.placeholderText", "config.theme.darkMode",
			"config.theme.fontFamily"}, faulttest.Fields(t, err), label)
	}
}

// Who answers: a deployment, or the newest one of an environment, or this one where both are given.
func TestWhoAnswersInAChannel(t *testing.T) {
	for _, c := range []struct {
		deployment string
		follows    bool
		problem    string
	}{
		{"d-1", false, ""},
		{"d-1", true, ""},
		{"", true, ""},
		{"", false, "deploymentId is required where followEnvironment is false"},
		{"a b", true, "deploymentId must be the id of a deployment"},
	} {
		got, err := with(func(s *sdkchannels.Settings) { s.DeploymentID, s.Follows = c.deployment, c.follows }).Clean()
		if c.problem != "" {
			require.Equal(t, string(fault.Validation)+": "+c.problem, fmt.Sprint(err))
			continue
		}
		require.NoError(t, err, "%+v", c)
		require.Equal(t, []any{c.deployment, c.follows}, []any{got.DeploymentID, got.Follows})
	}
}

// How large the looks of a widget may be, and what is none.
func TestTheBoundsOfAConfig(t *testing.T) {
	const bound = "config must be an object of at most 16384 bytes and 5 levels"
	sized := func(bytes int) string { return `{"a":"` + strings.Repeat("x", bytes-len(`{"a":""}`)) + `"}` }
	nested := func(levels int) string { return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels) }
	words := func(bytes int) string { return `{"welcomeMessage":"` + strings.Repeat("x", bytes) + `"}` }
	for label, c := range map[string]struct{ config, stored, problem string }{
		"nothing":             {"", "", ""},
		"null":                {"null", "", ""},
		"spaces":              {`{ "a" : [1, 2] }`, `{"a":[1,2]}`, ""},
		"the largest":         {sized(16384), sized(16384), ""},
		"too large":           {sized(16385), "", bound},
		"the deepest":         {nested(5), nested(5), ""},
		"too deep":            {nested(6), "", bound},
		"a number":            {"5", "", bound},
		"no JSON":             {`{"a":`, "", bound},
		"the longest welcome": {words(2000), words(2000), ""},
		"too long a welcome":  {words(2001), "", "config.welcomeMessage must be at most 2000 bytes"},
	} {
		t.Run(label, func(t *testing.T) {
			got, err := with(func(s *sdkchannels.Settings) { s.Config = json.RawMessage(c.config) }).Clean()
			if c.problem != "" {
				require.Equal(t, string(fault.Validation)+": "+c.problem, fmt.Sprint(err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.stored, string(got.Config))
			require.Equal(t, c.stored == "", got.Config == nil, "what is nothing is left out of the event")
		})
	}
}
