package assign

import (
	"context"
	"slices"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
)

// decision is what a transfer decides next.
type decision func(transfers.State) ([]event.Payload, error)

// first is the first step of a transfer to a queue: it is offered to somebody, unless others wait already: it then goes behind
// them. nobody: it waits, and there is nobody for whom its line would have to be gone through.
func (p Process) first(ctx context.Context, r transfers.Requested, refused []string) (step decision, nobody bool, err error) {
	wait := transfers.Wait{At: p.Now()}.Decide
	_, others, err := p.View.Standing(ctx, r.TenantID, r.QueueID, r.TransferID)
	if err != nil {
		return nil, false, err
	}
	if others {
		_, nobody, err = p.free(ctx, r.TenantID, r.QueueID, r.Kind, r.Skills, nil)
		return wait, nobody, err
	}
	step, waits, err := p.choose(ctx, r, refused)
	if waits != nil {
		return wait, waits.nobody, err
	}
	return step, false, err
}

// begin is how a transfer begins: it is asked for, and one to a queue takes its first step in the same commit. nobody: see first.
func (p Process) begin(ctx context.Context, cmd transfers.Request) (begin decision, nobody bool, err error) {
	asked, refusal := cmd.Decide(transfers.State{})
	if refusal != nil || cmd.Queue.ID == "" {
		return cmd.Decide, false, nil
	}
	step, nobody, err := p.first(ctx, transfers.Transfers.State(asked...).Request, nil)
	if err != nil {
		return nil, false, err
	}
	return func(s transfers.State) ([]event.Payload, error) {
		out, err := cmd.Decide(s)
		if err != nil || len(out) == 0 {
			return nil, err
		}
		next, err := step(transfers.Transfers.State(out...))
		return append(out, next...), err
	}, nobody, nil
}

// pick offers the transfer to the best agent, or says why there is none.
func (p Process) pick(ctx context.Context, by Cause, s transfers.State, refused []string) (transfers.State, *stuck, error) {
	step, waits, err := p.choose(ctx, s.Request, refused)
	if waits != nil || err != nil {
		return s, waits, err
	}
	s, err = p.Streams.OnTransfer(ctx, by, s.Request.TransferID, step)
	return s, nil, err
}

// choose finds the best agent for the transfer: step offers it to them. Or it says why there is none: agents who
// have refused meanwhile, and who has the session now, are left out. Of a queue that was
// removed there will never be one: the transfer fails.
func (p Process) choose(ctx context.Context, r transfers.Requested, refused []string) (step decision, waits *stuck, err error) {
	served, err := p.View.Served(ctx, r.TenantID, r.SessionID, r.CustomerID)
	if err != nil {
		return nil, nil, err
	}
	among, nobody, err := p.free(ctx, r.TenantID, r.QueueID, r.Kind, r.Skills, served)
	if err != nil || nobody {
		return nil, &stuck{nobody: nobody}, err
	}
	if len(among) == 0 {
		return transfers.LoseQueue{At: p.Now()}.Decide, nil, nil
	}
	rivals, err := p.View.Rivals(ctx, r.TenantID, r.SessionID)
	if err != nil {
		return nil, nil, err
	}
	for _, other := range rivals {
		if other.HumanAgentID != "" {
			refused = append(slices.Clone(refused), other.HumanAgentID)
		}
	}
	agent, ok := transfers.Choose(among, served, refused...)
	if !ok {
		return nil, &stuck{}, nil
	}
	return transfers.MakeOffer{HumanAgentID: agent, At: p.Now()}.Decide, nil, nil
}

// free are the agents of a queue who could take a conversation now. nobody: there is none, and
// the queue is there still.
func (p Process) free(ctx context.Context, tenant, queue string, kind humanagents.Kind, skills,
	first []string) (among []transfers.Candidate, nobody bool, err error) {
	among, err = p.View.Candidates(ctx, tenant, queue, kind, skills, first)
	if err == nil && len(among) == 0 {
		nobody, err = p.View.HasQueue(ctx, tenant, queue)
	}
	return among, nobody, err
}
