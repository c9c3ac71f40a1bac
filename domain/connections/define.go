package connections

import (
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Define says what a connection is: it is made, or made to be so.
type Define struct{ Create }

// Decide refuses to make another connection of one that is there.
func (c Define) Decide(s State) ([]event.Payload, error) {
	if s.ID == "" {
		return c.Create.Decide(s)
	}
	var f fault.Fields
	if s.ProjectID != c.ProjectID {
		f.Add("projectId", "cannot change")
	}
	if s.Kind != c.Kind.Slug {
		f.Add("channelType", "cannot change")
	}
	if s.External != c.External {
		f.Add("externalIdentifier", "cannot change")
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	settings, err := c.settings()
	if err != nil {
		return nil, err
	}
	change := Change{Edit: func(to *Settings) { *to = settings }, Credentials: map[string]*Credential{}, At: c.At}
	for name := range s.Credentials {
		change.Credentials[name] = nil
	}
	for name, given := range c.Credentials {
		change.Credentials[name] = &given
	}
	return change.Decide(s)
}
