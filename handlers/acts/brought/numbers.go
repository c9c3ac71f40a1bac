package brought

import (
	"context"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/projections/voice"
)

// Numbers finds out who takes the calls to a number: the experience flow whose number it is, as the
// caller's number chooses one where we dial out.
type Numbers struct{ Flows calledNumbers }

// calledNumbers knows the flows of a number.
type calledNumbers interface {
	CalledNumber(ctx context.Context, tenant, number string) ([]voice.Called, error)
}

// Of is the flow that takes the calls to a number of an account, and its project. Nil: the number is
// nobody's, or of flows of two projects, of which none is more right than the other.
func (d Numbers) Of(ctx context.Context, tenant, number string) (project string, flow *calls.Flow, err error) {
	found, err := d.Flows.CalledNumber(ctx, tenant, number)
	if err != nil || len(found) == 0 {
		return "", nil, err
	}
	if len(found) > 1 {
		acts.Logger(ctx).Warn("a call came in for a number that flows of two projects have: it is nobody's", "number", number,
			"project", found[0].ProjectID, "other", found[1].ProjectID)
		return "", nil, nil
	}
	f := found[0]
	text, talks := acts.Begins(f.AgentDSL)
	return f.ProjectID, &calls.Flow{ID: f.FlowID, Name: f.Name, AgentName: f.AgentName, Language: f.Language, StartText: text,
		Talks: talks, Recorded: f.Recording}, nil
}
