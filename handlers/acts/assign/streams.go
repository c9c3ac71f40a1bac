package assign

import (
	"context"
	"slices"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// Log is the transferStreams on the event store.
type Log struct{ Store *eventstore.Store }

// command is a step of a transfer: its request id comes from the transfer and the step,
// so that whoever takes it, it is one commit.
func (l Log) command(by Cause, tenant, transferID, step string) eventstore.Command {
	cmd := eventstore.Command{Tenant: tenant, Actor: by.Actor, CorrelationID: by.CorrelationID, CausationID: by.CausationID}
	if step != "" {
		cmd.RequestID = eventstore.CauseID("transfers", transferID, step)
	}
	return cmd
}

// Transfer implements transferStreams.
func (l Log) Transfer(ctx context.Context, id string) (s transfers.State, version int64, err error) {
	loaded, err := eventstore.Read(ctx, l.Store, transfers.Transfers, transfers.Stream(id))
	return loaded.State, loaded.Version, err
}

// OnTransfer implements transferStreams.
func (l Log) OnTransfer(ctx context.Context, by Cause, id string,
	decide func(transfers.State) ([]event.Payload, error)) (transfers.State, error) {
	return onStream(ctx, l.Store, transfers.Transfers, transfers.Stream(id), l.command(by, "", id, ""), decide)
}

// onStream gives the state as it stands: of a step that was taken before, the result has
// what stood then.
func onStream[S any](ctx context.Context, store *eventstore.Store, agg *event.Aggregate[S], stream string, cmd eventstore.Command,
	decide func(S) ([]event.Payload, error)) (S, error) {
	res, err := eventstore.Execute(ctx, store, agg, stream, cmd, decide)
	if err != nil || !res.Replayed {
		return res.State, err
	}
	read, err := eventstore.Read(ctx, store, agg, stream)
	return read.State, err
}

// Opened implements transferStreams.
func (l Log) Opened(ctx context.Context, by Cause, s transfers.State) error {
	_, err := Conversations{Store: l.Store}.Open(ctx, by, s)
	return err
}

// OnDesk implements transferStreams.
func (l Log) OnDesk(ctx context.Context, by Cause, tenant, agent, transferID, step string,
	decide func(humanagents.Desk) ([]event.Payload, error)) (humanagents.Desk, error) {
	stream := humanagents.DeskStream(tenant, agent)
	return onStream(ctx, l.Store, humanagents.Desks, stream, l.command(by, tenant, transferID, step), decide)
}

// Line implements transferStreams.
func (l Log) Line(ctx context.Context, tenant, queue string) (waitinglines.State, error) {
	loaded, err := eventstore.Read(ctx, l.Store, waitinglines.Lines, waitinglines.Stream(tenant, queue))
	return loaded.State, err
}

// OnLine implements transferStreams.
func (l Log) OnLine(ctx context.Context, by Cause, tenant, queue, transferID, step string,
	decide func(waitinglines.State) ([]event.Payload, error)) error {
	return eventstore.Do(ctx, l.Store, waitinglines.Lines, waitinglines.Stream(tenant, queue), l.command(by, tenant, transferID, step),
		decide)
}

// Reads is the view on the read models.
type Reads struct {
	Transfers *contactcenter.Transfers
	Agents    *contactcenter.HumanAgents
}

// Capacity implements view.
func (r Reads) Capacity(ctx context.Context, tenant, agent string, kind humanagents.Kind) (Capacity, bool, error) {
	a, ok, err := r.Agents.Agent(ctx, tenant, agent)
	return Capacity{Limit: a.Limit(kind), Inactive: a.Status != humanagents.Active}, ok, err
}

// HasQueue implements view.
func (r Reads) HasQueue(ctx context.Context, tenant, queue string) (bool, error) {
	_, ok, err := r.Agents.Queue(ctx, tenant, queue)
	return ok, err
}

// Candidates implements view.
func (r Reads) Candidates(ctx context.Context, tenant, queue string, kind humanagents.Kind, skills,
	first []string) ([]transfers.Candidate, error) {
	asked := make([]queues.Skill, len(skills))
	for i, s := range skills {
		asked[i] = queues.Skill{SkillID: s}
	}
	return r.Agents.Candidates(ctx, tenant, queue, kind, asked, first)
}

// Served implements view.
func (r Reads) Served(ctx context.Context, tenant, session, user string) ([]string, error) {
	return r.Transfers.Served(ctx, tenant, session, user)
}

// Rivals implements view.
func (r Reads) Rivals(ctx context.Context, tenant, session string) ([]Rival, error) {
	all, err := r.Transfers.OfSession(ctx, tenant, session)
	all = slices.DeleteFunc(all, func(t contactcenter.Transfer) bool { return !t.Active() })
	out := make([]Rival, len(all))
	for i, t := range all {
		out[i] = Rival{TransferID: t.TransferID, Turn: t.Turn, Accepted: t.Status != transfers.PhaseRequested, HumanAgentID: t.HumanAgentID}
	}
	return out, err
}

// SessionOver implements view.
func (r Reads) SessionOver(ctx context.Context, tenant, project, session string) (bool, error) {
	s, _, err := r.Transfers.Session(ctx, tenant, project, session)
	return s.Ended, err
}

// Standing implements view.
func (r Reads) Standing(ctx context.Context, tenant, queue, transferID string) (itDoes, anybody bool, err error) {
	return r.Transfers.Standing(ctx, tenant, queue, transferID)
}

// Lines implements view.
func (r Reads) Lines(ctx context.Context, tenant string) ([]string, error) {
	return r.Transfers.Lines(ctx, tenant)
}
