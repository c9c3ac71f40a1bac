// Package secrets owns the secrets of tools: what a tool needs to be let in where it calls,
// such as a token, by the name that the tool's definition has for it and by environment.
//
// It has values sealed only, and never opens one; nothing that it gives shows one.
package secrets

import (
	"encoding/hex"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Secrets holds one stream per name: secret-<keyed hash of the name>. So a name is taken
// once, though it may be any text. One that is expired still occupies its name.
var Secrets = event.NewAggregate[State]("secrets", "secret", event.Quiet)

// IDPrefix begins the id of every secret.
const IDPrefix = "ts-"

// Environments are where a deployment runs, and a secret is for.
func Environments() []string { return []string{"dev", "staging", "production"} }

// Name is by what a secret is known.
type Name struct {
	TenantID    string
	ProjectID   string
	ToolName    string
	SecretKey   string
	Environment string
}

// Stream is where the secret of a name stands. mac is a keyed hash.
func (n Name) Stream(mac func(purpose string, parts ...string) []byte) string {
	return Secrets.Stream(hex.EncodeToString(mac("tool-secret", n.TenantID, n.ProjectID, n.ToolName, n.SecretKey, n.Environment)[:16]))
}

// MaxName is the longest name of a tool and of a key, in characters.
const MaxName = 256

// Clean gives the name as it is stored, and what is wrong with it.
func (n Name) Clean() (Name, fault.Fields) {
	var f fault.Fields
	clean := func(field string, text *string) {
		good, problem := access.CleanText(*text, MaxName)
		if problem != "" {
			f.Add(field, "%s", problem)
		}
		*text = good
	}
	clean("toolName", &n.ToolName)
	clean("secretKey", &n.SecretKey)
	if !slices.Contains(Environments(), n.Environment) {
		f.Add("environment", "must be one of %s", "dev, staging, production")
	}
	return n, f
}

// State is what stands under a name; an empty ID means that nothing does.
type State struct {
	ID        string
	Version   int
	Value     string     // sealed
	ExpiresAt *time.Time // nil: never
}

// Good says that there is a value, and that its time has not come.
func (s State) Good(at time.Time) bool {
	return s.ID != "" && (s.ExpiresAt == nil || s.ExpiresAt.After(at))
}

// lastYear is the last one that ISO 8601, and so JSON, can write. A time of it may be one
// of the next year in UTC, where it is kept.
const lastYear = 9999

// checkExpiry refuses a time that has come, and one that could not be written down.
func checkExpiry(at *time.Time, now time.Time) error {
	switch {
	case at == nil:
	case !at.After(now):
		return fault.Field("expiresAt", "must be in the future")
	case at.UTC().Year() > lastYear:
		return fault.Field("expiresAt", "must be before the year %d in UTC", lastYear+1)
	}
	return nil
}

func stamped(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	s := event.Stamp(*at)
	return &s
}
