package assign

import (
	"context"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// transferStreams is what the process of transfers needs of the event store; its tests
// stop whoever goes through it before and after each step. Each On appends what decide
// says, at most once for each step of the transfer (an empty step: whenever it says
// something). OnTransfer and OnDesk give the state as it stands then, which is not what an
// earlier try of the step left.
type transferStreams interface {
	Transfer(ctx context.Context, id string) (s transfers.State, version int64, err error)
	OnTransfer(ctx context.Context, by Cause, id string, decide func(transfers.State) ([]event.Payload, error)) (transfers.State, error)
	OnDesk(ctx context.Context, by Cause, tenant, agent, transferID, step string,
		decide func(humanagents.Desk) ([]event.Payload, error)) (humanagents.Desk, error)
	// Opened opens the conversation of a transfer that was taken, so that it can be used
	// as soon as anybody is told of it.
	Opened(ctx context.Context, by Cause, s transfers.State) error
	Line(ctx context.Context, tenant, queue string) (waitinglines.State, error)
	OnLine(ctx context.Context, by Cause, tenant, queue, transferID, step string,
		decide func(waitinglines.State) ([]event.Payload, error)) error
}

// targets is whom a conversation can be transferred to.
type targets interface {
	Organisation(ctx context.Context, tenant string) (orgID string, ok bool, err error)
	Agent(ctx context.Context, tenant, id string) (a contactcenter.HumanAgent, ok bool, err error)
	Queue(ctx context.Context, tenant, id string) (q queues.Queue, ok bool, err error)
}

// sessionReads is what can be transferred, and what was transferred before.
type sessionReads interface {
	Session(ctx context.Context, tenant, project, id string) (contactcenter.TransferredSession, bool, error)
	OfSession(ctx context.Context, tenant, session string) ([]contactcenter.Transfer, error)
}

// view is what the process of transfers asks the read models.
type view interface {
	// Capacity is what the agent can have of a kind; ok is false for an agent that does
	// not exist.
	Capacity(ctx context.Context, tenant, agent string, kind humanagents.Kind) (c Capacity, ok bool, err error)
	// HasQueue reports whether the queue is there still.
	HasQueue(ctx context.Context, tenant, queue string) (bool, error)
	// Candidates are the agents of a queue who could take a conversation now; where they
	// are many, those of first are among them.
	Candidates(ctx context.Context, tenant, queue string, kind humanagents.Kind, skills, first []string) ([]transfers.Candidate, error)
	// Served are agents with affinity who had the customer before, see transfers.Choose.
	Served(ctx context.Context, tenant, session, user string) ([]string, error)
	// Rivals are the transfers of a session to which something may still happen.
	Rivals(ctx context.Context, tenant, session string) ([]Rival, error)
	// SessionOver reports whether the session has ended.
	SessionOver(ctx context.Context, tenant, project, session string) (bool, error)
	// Standing reports whether a transfer stands in the line of a queue, and whether anybody does.
	Standing(ctx context.Context, tenant, queue, transferID string) (itDoes, anybody bool, err error)
	// Lines are the queues of a tenant where somebody waits.
	Lines(ctx context.Context, tenant string) ([]string, error)
}

// telephones know of the calls that people are brought onto.
type telephones interface {
	// Ringing is the transfer of the person who was called last onto the call of a session, and has not come; empty: they have, or nobody
	// was called.
	Ringing(ctx context.Context, tenant, session string) (transferID string, err error)
}

// Capacity is what an agent can have.
type Capacity struct {
	Limit    int  // conversations of the kind at once
	Inactive bool // takes none, of any kind, until made active again
}

// Rival is another transfer of the same session.
type Rival struct {
	TransferID   string
	Turn         int
	Accepted     bool   // an agent or a queue has it
	HumanAgentID string // who has it; empty: nobody yet
}

// Cause is in whose name, and because of what, the process goes on.
type Cause struct{ Actor, CorrelationID, CausationID string }
