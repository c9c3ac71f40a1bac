package voice

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/reporting"
	"github.com/parley-platform/parley/projections"
)

// CallStatus is how far a call is, as list-interactions shows it.
type CallStatus string

// The statuses of list-interactions. CallMachineDetected is a machine that a call with
// machineDetection: disconnect hung up on.
const (
	CallDialing         CallStatus = "dialing"
	CallRinging         CallStatus = "ringing"
	CallInProgress      CallStatus = "inProgress"
	CallCompleted       CallStatus = "completed"
	CallMachineDetected CallStatus = "machineDetected"
	CallFailed          CallStatus = "failed"
)

// ChannelVoice is the kind slug of telephone calls.
const ChannelVoice = channels.Voice

// CallsModel stores one row per call, and keeps its deadline timer. Operators and widgets
// know the rows as interactions, the API's word for them.
var CallsModel = newCallsModel()

// LeaseTimer is the name of a call's deadline timer: ExpireLease is due then.
const LeaseTimer = "lease"

func newCallsModel() *projections.Model {
	m := projections.NewModel("interactions", 8, []string{"interactions", "timers"}, calls.Calls.Category)
	storeBegun(m)
	storeUnderWay(m)
	storeEnded(m)
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.LineTaken) { keepDeadline(b, at, e) })
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.AttemptStarted) { keepDeadline(b, at, e) })
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.LeaseRenewed) { keepDeadline(b, at, e) })
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Adopted) { keepDeadline(b, at, e) })
	projections.Ignore[calls.AmdDetected](m) // the completion carries the verdict
	projections.Ignore[calls.Said](m)
	projections.Ignore[calls.Heard](m)
	projections.Ignore[calls.DigitsPressed](m)
	projections.Ignore[calls.Played](m)
	projections.Ignore[calls.RecordingFailed](m)
	projections.Ignore[calls.Recorded](m) // who wants it reads the call's stream
	projections.Ignore[calls.PersonCalled](m)
	projections.Ignore[calls.LegTransferred](m)
	projections.Ignore[calls.PersonEstablished](m)
	projections.Ignore[calls.PersonReferred](m)
	projections.Ignore[calls.PersonFreed](m)
	projections.Ignore[calls.MessageWanted](m)
	projections.Ignore[calls.MessageLeft](m)
	projections.Ignore[calls.MessageMissed](m)
	projections.Ignore[calls.LegEstablished](m) // for nodes, which read the call's stream
	projections.Ignore[calls.Held](m)
	projections.Ignore[calls.Resumed](m)
	return m
}

// storeBegun is calls that are asked for, and those that come in.
func storeBegun(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Requested) {
		b.Put("interactions", projections.Row{"conversation_id": e.CallID}, projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID,
			"channel": ChannelVoice, "direction": "Outbound",
			"status": string(CallDialing), "user_id": address(e.Target), "channel_user_id": address(e.Target), "center_id": e.OurNumber,
			"flow_id": e.Flow.ID, "agent_name": e.Flow.AgentName, "detection": string(e.MachineDetection), "requested_at": e.At,
			"customer": calls.CustomerOf(e.Metadata), "provider": e.Provider})
		keepDeadline(b, at, e)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Arrived) {
		flow := ""
		if e.Flow != nil {
			flow = e.Flow.ID
		}
		b.Put("interactions", projections.Row{"conversation_id": e.CallID}, projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID,
			"channel": ChannelVoice, "direction": string(e.Direction), "status": string(CallDialing), "user_id": address(e.Person),
			"channel_user_id": address(e.Person), "center_id": e.OurNumber, "flow_id": flow, "agent_name": e.AgentName,
			"detection": string(calls.DetectionDisabled), "requested_at": e.At, "customer": calls.Customer{}, "provider": e.Provider,
			"provider_call_id": e.ProviderID, "connection_id": e.ConnectionID})
		keepDeadline(b, at, e)
	})
}

func storeUnderWay(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.StatusTold) {
		if !e.Late {
			b.Set("interactions", call(at), projections.Row{"provider_status": e.Raw})
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Ringing) {
		b.Set("interactions", call(at), projections.Row{"status": string(CallRinging)})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Answered) {
		row := projections.Row{"status": string(CallInProgress), "session_id": e.SessionID, "started_at": e.At}
		if e.Agent != nil && e.Agent.Name != "" {
			row["agent_name"] = e.Agent.Name
		}
		b.Set("interactions", call(at), row)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.QualityMeasured) {
		b.Set("interactions", call(at), projections.Row{"quality": figuresOf(e)})
	})
}

func storeEnded(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Completed) {
		status := CallCompleted
		if e.MachineDetected {
			status = CallMachineDetected
		}
		hangup, final := reporting.EndOfCall(e)
		b.Set("interactions", call(at), projections.Row{"status": string(status), "ended_at": e.At, "end_told_at": at.Time,
			"duration_ms": e.DurationMs, "verdict": string(e.Verdict),
			"reason_code": string(e.ReasonCode), "reason": e.Reason, "disconnecting": hangup, "final_status": string(final)})
		keepDeadline(b, at, e)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Failed) {
		b.Set("interactions", call(at), projections.Row{"status": string(CallFailed), "ended_at": e.At, "end_told_at": at.Time,
			"reason_code": string(e.ReasonCode), "reason": e.Reason})
		keepDeadline(b, at, e)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Erased) {
		b.Set("interactions", call(at), projections.Row{"user_id": projections.Erased, "channel_user_id": projections.Erased, "customer": nil,
			"erased": true})
	})
}

// keepDeadline sets, moves or clears the call's timer, as the domain says of the event.
func keepDeadline(b *projections.Batch, at projections.At, e event.Payload) {
	due, set, ended := calls.Deadline(e)
	switch {
	case set:
		b.SetTimer(at, LeaseTimer, due)
	case ended:
		b.ClearTimer(at, LeaseTimer)
	}
}

func call(at projections.At) projections.Row { return projections.Row{"conversation_id": at.StreamID} }

// address is a call's target without its scheme.
func address(target string) string {
	_, rest, ok := strings.Cut(target, ":")
	if !ok {
		return target
	}
	return rest
}

// Calls answers how far calls are, and how they ended.
type Calls struct{ db *pgxpool.Pool }

// NewCalls reads through the pool.
func NewCalls(db *pgxpool.Pool) *Calls { return &Calls{db} }

// Call is one call; list-interactions shows it as an interaction.
type Call struct {
	ConversationID, Channel, Direction string
	Status                             CallStatus
	CustomerID, CenterID               string
	AgentName                          string
	SessionID                          string // empty: no session was opened
	Detection, Verdict                 string
	RequestedAt                        time.Time
	StartedAt, EndedAt                 *time.Time
	DurationMs                         *int64
	ReasonCode, Reason                 string
	DisconnectingEvent, FinalStatus    string
	Provider                           string
	ProviderCallID, ProviderStatus     string // of one that a provider brought, in its words; empty: of others
}

const selectCalls = `SELECT conversation_id, channel, direction, status, user_id AS customer_id, center_id, agent_name,
	coalesce(session_id, '') AS session_id, detection, verdict, requested_at, started_at, ended_at, duration_ms, reason_code, reason,
	disconnecting AS disconnecting_event, final_status, provider, provider_call_id, provider_status FROM interactions `

// List returns a project's calls, newest first, and how many there are. An
// empty status lists all.
func (x *Calls) List(ctx context.Context, tenant, project string, status CallStatus, limit, offset int) ([]Call, int, error) {
	const where = `WHERE tenant = $1 AND project_id = $2 AND ($3 = '' OR status = $3)`
	return projections.Page[Call](ctx, x.db, "listing calls", projections.PageQuery{Count: `SELECT count(*) FROM interactions ` + where,
		Rows: selectCalls + where + ` ORDER BY requested_at DESC, conversation_id LIMIT $4 OFFSET $5`,
		Args: []any{tenant, project, string(status)}, Limit: limit, Offset: offset})
}

// Of finds one call of a project.
func (x *Calls) Of(ctx context.Context, tenant, project, conversationID string) (Call, bool, error) {
	return projections.One[Call](ctx, x.db, "reading a call",
		selectCalls+`WHERE tenant = $1 AND project_id = $2 AND conversation_id = $3`, tenant, project, conversationID)
}

// Room is the newest call of a room, and how many the room ever had.
type Room struct {
	CallID, Tenant, ConnectionID string
	Name                         string // at its provider
	Open                         bool
	Calls                        int
}

// Room finds what became of a room, by its name at the provider; false: there never was one.
func (x *Calls) Room(ctx context.Context, provider, name string) (Room, bool, error) {
	return projections.One[Room](ctx, x.db, "reading a room", selectRoom+`WHERE provider = $1 AND provider_call_id = $2
		ORDER BY requested_at DESC, conversation_id DESC LIMIT 1`, provider, name)
}

const selectRoom = `SELECT conversation_id AS call_id, tenant, connection_id, provider_call_id AS name, ended_at IS NULL AS open,
	count(*) OVER () AS calls FROM interactions `

// RoomIn finds the room that is open for a session, and in which somebody is.
func (x *Calls) RoomIn(ctx context.Context, tenant, session string) (Room, bool, error) {
	return projections.One[Room](ctx, x.db, "looking for the room of a session", selectRoom+`WHERE provider = $1 AND tenant = $2
		AND session_id = $3 AND ended_at IS NULL AND provider_call_id <> '' LIMIT 1`, calls.ProviderLiveKit, tenant, session)
}

// mostAwaited are looked through for one: many may be in doubt while their provider says nothing.
const mostAwaited = 1000

// RoomsAwaiting are the open rooms of a project in which nobody was so far, the newest first: their sessions have not begun.
func (x *Calls) RoomsAwaiting(ctx context.Context, tenant, project string) ([]Room, error) {
	return projections.All[Room](ctx, x.db, "looking for rooms that wait for people", selectRoom+`WHERE provider = $1 AND tenant = $2
		AND project_id = $3 AND ended_at IS NULL AND session_id IS NULL AND provider_call_id <> '' ORDER BY requested_at DESC LIMIT $4`,
		calls.ProviderLiveKit, tenant, project, mostAwaited)
}

// RoomOf finds the room of a session: the one that is open, else the last in which somebody was.
func (x *Calls) RoomOf(ctx context.Context, tenant, project, session string) (Room, bool, error) {
	return projections.One[Room](ctx, x.db, "looking for the last room of a session", selectRoom+`WHERE tenant = $2 AND project_id = $3
		AND session_id = $4 AND provider = $1 AND provider_call_id <> '' ORDER BY ended_at IS NULL DESC, requested_at DESC,
		conversation_id DESC LIMIT 1`, calls.ProviderLiveKit, tenant, project, session)
}

// OpeningRoom lets one at a time, of all nodes, count the rooms that are open and open another.
func (x *Calls) OpeningRoom(ctx context.Context, do func() error) error {
	return pgx.BeginFunc(ctx, x.db, func(tx pgx.Tx) error {
		if err := alone(ctx, tx, "opening rooms"); err != nil {
			return projections.Found(err, "waiting for who opens a room")
		}
		return do()
	})
}

// Rooms is how many calls of a provider are open, of all tenants. Rooms into which nobody was let are none.
func (x *Calls) Rooms(ctx context.Context, provider string) (int, error) {
	n, _, err := projections.One[struct{ Open int }](ctx, x.db, "counting rooms", `SELECT count(*) AS open FROM interactions
		WHERE provider = $1 AND ended_at IS NULL AND provider_call_id <> '' AND provider_status <> $2`, provider, calls.RoomInDoubt)
	return n.Open, err
}
