package assign

import (
	"context"
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/handlers/acts"
)

// claimFor is how long capacity is kept for a transfer that is not assigned yet. Who
// dies in between leaves it taken for so long.
const claimFor = 30 * time.Second

// Process takes transfers to their outcome: it claims an agent's capacity with
// an expiry, assigns the transfer, and confirms the claim; or lets it wait in the
// queue's line.
//
// Each step is decided by the streams and may be made by anyone, any number of times:
// the request that asked for the transfer goes through it at once, reactors go on with it
// behind its newest event, and so end what a dead node began.
type Process struct {
	Streams    transferStreams
	View       view
	Telephones telephones  // nil: nobody is called
	Lines      *acts.Lines // of who serve the lines of queues on this node; nil: each goes through them
	Now        func() time.Time
}

// steps bounds how often one drive may be turned down before somebody else tries.
const steps = 64

// Drive takes the transfer as far as it can go now.
func (p Process) Drive(ctx context.Context, by Cause, id string) (transfers.State, error) {
	s, _, err := p.read(ctx, id)
	if err != nil {
		return s, err
	}
	return p.outcome(ctx, by, s, false)
}

// outcome is Drive of a transfer as it was seen.
func (p Process) outcome(ctx context.Context, by Cause, s transfers.State, nobody bool) (transfers.State, error) {
	s, served, err := p.drive(ctx, by, s, nobody)
	if served && err == nil {
		s, _, err = p.read(ctx, s.Request.TransferID)
	}
	return s, err
}

// Follow goes on with a transfer behind an event that stands in its stream at a version. What has come behind that is
// followed by itself, so there is nothing to do then. One that waits is put into its line, whose event goes on with it.
func (p Process) Follow(ctx context.Context, by Cause, id string, e event.Payload, version int64) error {
	s, newest, err := p.read(ctx, id)
	if err != nil || newest > version {
		return err
	}
	if _, waits := e.(transfers.Queued); waits {
		return p.enter(ctx, by, s.Request)
	}
	_, _, err = p.drive(ctx, by, s, false)
	return err
}

// drive takes a transfer on. nobody was free for it a moment ago, when it was put into its line: going through that waits for the event
// of its entry. served: the line was gone through, after which the transfer may have changed.
func (p Process) drive(ctx context.Context, by Cause, s transfers.State, nobody bool) (now transfers.State, served bool, err error) {
	waiting := s.Phase == transfers.PhaseQueued
	s, waits, err := p.advance(ctx, by, s, false)
	if err != nil || waits == nil || waits.nobody || nobody && waiting {
		return s, false, err
	}
	return s, true, p.Serve(ctx, by, s.Request.TenantID, s.Request.QueueID)
}

func (p Process) read(ctx context.Context, id string) (s transfers.State, version int64, err error) {
	s, version, err = p.Streams.Transfer(ctx, id)
	if err != nil {
		err = fmt.Errorf("folding transfer %s: %w", id, err)
	}
	return s, version, err
}

// stuck says why a transfer waits on. nobody: no agent of its queue is free for its
// kind and skills. Else some are, but must not get it: one who refused it before, or
// who has the session now.
type stuck struct{ nobody bool }

// advance takes a transfer on until it has an outcome or waits. A transfer in a line
// looks for an agent only when its turn has come.
func (p Process) advance(ctx context.Context, by Cause, s transfers.State, itsTurn bool) (now transfers.State, waits *stuck, err error) {
	var refused []string
	nobody := false // was free when it was put into the line
	for range steps {
		done := false
		switch {
		case s.Phase == "":
			return s, nil, fault.New(fault.NotFound, "there is no such transfer")
		case s.Final():
			if itsTurn && p.Now().Sub(s.EndedAt) < claimFor { // its end takes it out of the line: not all who serve it have to
				return s, nil, nil
			}
			return s, nil, p.clear(ctx, by, s)
		case s.Phase == transfers.PhaseAssigned:
			if s, done, err = p.keep(ctx, by, s); done {
				return s, nil, nil
			}
		case s.Offer != nil:
			refused = append(refused, s.Offer.HumanAgentID)
			s, err = p.claim(ctx, by, s)
		case s.Phase == transfers.PhaseRequested:
			s, nobody, err = p.place(ctx, by, s, refused)
		case itsTurn:
			if s, waits, err = p.pick(ctx, by, s, refused); waits != nil {
				return s, waits, err
			}
		default:
			if s, done, err = p.stand(ctx, by, s); done {
				return s, &stuck{nobody: nobody}, nil
			}
		}
		if err != nil {
			return s, nil, err
		}
	}
	return s, nil, fault.New(fault.NotExecuted, "agents are being taken by others all the time").After(time.Second)
}

// place takes the first step of a transfer that has just been asked for, see first.
func (p Process) place(ctx context.Context, by Cause, s transfers.State, refused []string) (now transfers.State, nobody bool, err error) {
	if over, now, err := p.over(ctx, by, s); over || err != nil {
		return now, false, err
	}
	step, nobody, err := p.first(ctx, s.Request, refused)
	if err != nil {
		return s, false, err
	}
	s, err = p.Streams.OnTransfer(ctx, by, s.Request.TransferID, step)
	return s, nobody, err
}

// stand puts a transfer into the line and ends what it replaces. done is false when the
// transfer changed by it.
func (p Process) stand(ctx context.Context, by Cause, s transfers.State) (now transfers.State, done bool, err error) {
	if err := p.enter(ctx, by, s.Request); err != nil {
		return s, false, err
	}
	if err := p.Streams.Opened(ctx, by, s); err != nil {
		return s, false, err
	}
	return p.settle(ctx, by, s)
}

// enter puts a transfer into the line. Each drive of one that waits comes here, so it asks first whether it stands there: who changes the
// line decides one behind the other, and a line in which a thousand stand takes long to read.
func (p Process) enter(ctx context.Context, by Cause, r transfers.Requested) error {
	stands, _, err := p.View.Standing(ctx, r.TenantID, r.QueueID, r.TransferID)
	if err != nil || stands {
		return err
	}
	enter := waitinglines.Enter{TenantID: r.TenantID, QueueID: r.QueueID, TransferID: r.TransferID, SessionID: r.SessionID, Kind: r.Kind,
		Skills: r.Skills, Rank: r.Rank(), At: p.Now()}
	if err := p.Streams.OnLine(ctx, by, r.TenantID, r.QueueID, r.TransferID, "enter", enter.Decide); err != nil {
		return fmt.Errorf("entering the line of queue %s: %w", r.QueueID, err)
	}
	return nil
}

// over ends a transfer whose session has ended.
func (p Process) over(ctx context.Context, by Cause, s transfers.State) (over bool, now transfers.State, err error) {
	over, err = p.View.SessionOver(ctx, s.Request.TenantID, s.Request.ProjectID, s.Request.SessionID)
	if err != nil || !over {
		return false, s, err
	}
	now, err = p.end(ctx, by, s.Request.TransferID, transfers.SessionEnded)
	return true, now, err
}

// end ends a transfer, and gives its state as it is then.
func (p Process) end(ctx context.Context, by Cause, id string, reason transfers.Reason) (s transfers.State, err error) {
	ringing, err := p.ringing(ctx, id)
	if err != nil {
		return s, err
	}
	return p.Streams.OnTransfer(ctx, by, id, transfers.End{Reason: reason, Ringing: ringing, At: p.Now()}.Decide)
}

// settle leaves an accepted transfer as the only one of its session. It is called when
// the acceptance is visible, so of two accepted at the same time at least one finds the
// other, and both agree on which is the later. A transfer that was not accepted replaces
// nothing: who is turned down stays where they are.
func (p Process) settle(ctx context.Context, by Cause, s transfers.State) (now transfers.State, done bool, err error) {
	r := s.Request
	if over, now, err := p.over(ctx, by, s); over || err != nil {
		return now, false, err
	}
	rivals, err := p.View.Rivals(ctx, r.TenantID, r.SessionID)
	if err != nil {
		return s, false, err
	}
	ends := acts.Others{Ctx: ctx, During: "ending the transfers that transfer " + r.TransferID + " replaces"}
	for _, other := range rivals {
		if other.TransferID == r.TransferID || !other.Accepted {
			continue
		}
		if transfers.Later(other.Turn, other.TransferID, r.Turn, r.TransferID) {
			now, err := p.end(ctx, by, r.TransferID, transfers.Replaced)
			return now, false, err
		}
		ends.Failed("transfer "+other.TransferID, p.Finish(ctx, by, other.TransferID, transfers.Replaced))
	}
	return s, ends.Err() == nil, ends.Err()
}

// Finish ends a transfer because what it was for is over, and frees what it holds.
func (p Process) Finish(ctx context.Context, by Cause, id string, reason transfers.Reason) error {
	s, err := p.end(ctx, by, id, reason)
	if err != nil {
		return fmt.Errorf("ending transfer %s: %w", id, err)
	}
	if !s.Final() {
		return nil
	}
	return p.clear(ctx, by, s)
}

// ringing reports whether who was assigned a call has not taken it yet: they are not told to have answered it.
func (p Process) ringing(ctx context.Context, id string) (bool, error) {
	if p.Telephones == nil {
		return false, nil
	}
	s, _, err := p.read(ctx, id)
	if err != nil {
		return false, err
	}
	if s.Phase != transfers.PhaseAssigned || s.Request.Kind != humanagents.Voice {
		return false, nil
	}
	ringing, err := p.Telephones.Ringing(ctx, s.Request.TenantID, s.Request.SessionID)
	if acts.Aside(ctx, "ending transfer "+id, "the call of session "+s.Request.SessionID, err) { // nobody knows whether it rings
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("asking whose telephone rings: %w", err)
	}
	return ringing == id, nil
}

// clear frees what a transfer that is over may still hold.
func (p Process) clear(ctx context.Context, by Cause, s transfers.State) error {
	if s.Last.Attempt > 0 {
		if err := p.release(ctx, by, s, s.Last.HumanAgentID, transfers.ClaimID(s.Request.TransferID, s.Last.Attempt)); err != nil {
			return fmt.Errorf("releasing capacity of agent %s: %w", s.Last.HumanAgentID, err)
		}
	}
	why := waitinglines.Ended
	if s.Phase == transfers.PhaseTimedOut {
		why = waitinglines.Timeout
	}
	return p.leave(ctx, by, s, why)
}

func (p Process) leave(ctx context.Context, by Cause, s transfers.State, why waitinglines.Reason) error {
	if s.QueuedAt.IsZero() {
		return nil
	}
	r := s.Request
	leave := waitinglines.Leave{TransferID: r.TransferID, Reason: why, At: p.Now()}
	if err := p.Streams.OnLine(ctx, by, r.TenantID, r.QueueID, r.TransferID, "", leave.Decide); err != nil {
		return fmt.Errorf("leaving the line of queue %s: %w", r.QueueID, err)
	}
	return nil
}
