// Package sdkchannels owns the channels of SDKs: which widgets and apps of an account may talk
// with the agents of a project, by which public key, and what they look like.
//
// It never makes a key or a token, and knows nobody who uses one.
package sdkchannels

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/attached"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Channels holds one stream per channel (see Stream). Its rules:
//
//   - a channel stays in its project
//   - one that does not follow an environment names a deployment
//   - what is deleted is gone
var Channels = event.NewAggregate[State]("sdkchannels", "sdkchannel", event.Quiet)

// Stream names the stream of a channel. The separator is a character that no id can hold.
func Stream(tenantID, channelID string) string { return Channels.Stream(tenantID + "." + channelID) }

// IDPrefix begins the id of every channel.
const IDPrefix = "sdk-"

// Type is what a channel is used in.
type Type string

// The types.
const (
	Web     Type = "web"
	IOS     Type = "mobile_ios"
	Android Type = "mobile_android"
	Voice   Type = "voice"
	API     Type = "api"
)

// Types lists them.
var Types = []Type{Web, IOS, Android, Voice, API}

// Settings are what may change of a channel.
type Settings struct {
	Name         string          `json:"name"`
	Type         Type            `json:"channelType"`
	KeyID        string          `json:"publicApiKeyId"`
	DeploymentID string          `json:"deploymentId,omitempty"`
	Environment  string          `json:"environment"`
	Follows      bool            `json:"followEnvironment"` // the newest active deployment of Environment answers, else DeploymentID
	Config       json.RawMessage `json:"config,omitempty"`  // a widget's, as Config reads it; absent: none
	Active       bool            `json:"active"`
}

// State is the state of one channel.
type State struct {
	ID        string // empty: it is not there
	TenantID  string
	ProjectID string
	Settings  Settings
	CreatedAt time.Time
	UpdatedAt time.Time
}

// The bounds of settings.
const (
	MaxConfig = 16 << 10 // bytes
	deep      = 5        // levels
)

// Clean gives settings as they are stored, and what is wrong with them.
func (s Settings) Clean() (Settings, error) {
	var f fault.Fields
	s.Name = access.CheckName(&f, "name", s.Name)
	if !slices.Contains(Types, s.Type) {
		f.Add("channelType", "must be one of web, mobile_ios, mobile_android, voice, api")
	}
	if !access.ValidKeyID(s.KeyID) {
		f.Add("publicApiKeyId", "must be the id of a public key")
	}
	if s.Environment == "" {
		s.Environment = "production"
	}
	if !slices.Contains(deployments.Environments, s.Environment) {
		f.Add("environment", "must be one of %s", strings.Join(deployments.Environments, ", "))
	}
	switch {
	case s.DeploymentID != "" && !access.ValidID(s.DeploymentID):
		f.Add("deploymentId", "must be the id of a deployment")
	case s.DeploymentID == "" && !s.Follows:
		f.Add("deploymentId", "is required where followEnvironment is false")
	}
	s.Config = s.cleanConfig(&f)
	return s, f.Err()
}

func (s Settings) cleanConfig(f *fault.Fields) json.RawMessage {
	if len(s.Config) == 0 || string(s.Config) == "null" {
		return nil
	}
	if len(s.Config) > MaxConfig || !attached.IsObject(s.Config, deep) {
		f.Add("config", "must be an object of at most %d bytes and %d levels", MaxConfig, deep)
		return nil
	}
	var compact bytes.Buffer
	_ = json.Compact(&compact, s.Config) // it is an object
	ConfigOf(compact.Bytes()).check(f)
	return compact.Bytes()
}

func (s Settings) same(other Settings) bool {
	return bytes.Equal(s.Config, other.Config) && s.Name == other.Name && s.Type == other.Type && s.KeyID == other.KeyID &&
		s.DeploymentID == other.DeploymentID && s.Environment == other.Environment && s.Follows == other.Follows && s.Active == other.Active
}

// Unknown is the refusal of a channel that is not there.
func Unknown() error { return fault.New(fault.NotFound, "there is no such SDK channel") }
