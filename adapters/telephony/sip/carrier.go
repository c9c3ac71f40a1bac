package sip

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// Provider is the name under which trunks and events know the carrier.
func (*Agent) Provider() string { return string(trunks.SIP) }

// Speed is that of life.
func (*Agent) Speed() int { return 1 }

// errUnreached fails a call at once.
var errUnreached = errors.New("the trunk does not answer, nor does any that may take its place")

// path is the trunk of a call, with those that take its place while it is not reached, in order.
func (a *Agent) path(ctx context.Context, r calls.LegRequest) ([]Trunk, error) {
	first, err := a.cfg.Trunk(ctx, r.TenantID, r.Trunk)
	if err != nil {
		return nil, err
	}
	all := []Trunk{first}
	for _, name := range first.Fallbacks {
		t, err := a.cfg.Trunk(ctx, r.TenantID, name)
		if err != nil {
			a.cfg.Log.Warn("a trunk that may take the place of another is left out", "trunk", first.Name, "instead", name, "error", err)
			continue
		}
		all = append(all, t)
	}
	reached := all[:0]
	for _, t := range all {
		if t.Unreachable == "" {
			reached = append(reached, t)
		}
	}
	if len(reached) == 0 {
		return nil, fmt.Errorf("%w: %s", errUnreached, first.Unreachable)
	}
	return reached, nil
}

// Room keeps a place for a call until it is dialled, or left: QUEUE_FULL while every trunk that it could take has all that it
// takes. What else is wrong, its dialling will say.
func (a *Agent) Room(ctx context.Context, r calls.LegRequest) (leave func(), err error) {
	path, err := a.path(ctx, r)
	if err != nil {
		return func() {}, nil
	}
	for _, t := range path {
		if leave, err = a.limits.keep(ctx, r.SID, t, time.Now()); err == nil {
			return leave, nil
		}
	}
	return nil, err
}

// Dial places the call and returns at once; the outcome comes as facts. An error means that nobody was rung.
func (a *Agent) Dial(ctx context.Context, r calls.LegRequest) (*Leg, error) {
	path, err := a.path(ctx, r)
	if err != nil {
		return nil, err
	}
	l := newLeg(a, r)
	var next *try
	for i, t := range path {
		if next, err = l.prepare(ctx, t); err == nil {
			path = path[i+1:]
			break
		}
	}
	if err != nil {
		l.silence()
		l.facts.close()
		return nil, err
	}
	l.history = a.book.Enter(r.SID, l)
	a.later(func(context.Context) { l.run(next, path) })
	return l, nil
}

// ended is a dialog of another node that was found running.
type ended struct {
	trunk  Trunk
	dialog calls.Dialog
}

const (
	mostFound   = 1000
	farAhead    = 1000 // of the last number that was recorded: the node that is gone may have counted on
	askPatience = 1800 * time.Millisecond
)

// Lookup tells of a leg of this process; of another's, whose dialog was recorded, its peer is asked.
func (a *Agent) Lookup(ctx context.Context, q calls.LegQuery) (calls.LegReport, error) {
	report, err := a.book.Lookup(ctx, q)
	if err != nil || report.Status != calls.LegUntold || q.Dialog == nil {
		return report, err
	}
	t, err := a.cfg.Trunk(ctx, q.TenantID, q.Trunk)
	if err != nil {
		return report, err
	}
	return a.enquire(ctx, t, q)
}

// Cut hangs up a leg of this process, or one that was found at its peer.
func (a *Agent) Cut(ctx context.Context, sid string) error {
	a.mu.Lock()
	e, found := a.found[sid]
	delete(a.found, sid)
	a.mu.Unlock()
	if !found {
		return a.book.Cut(ctx, sid)
	}
	d, err := a.resume(ctx, e.trunk, e.dialog)
	if err != nil {
		return err
	}
	a.limits.over(sid, e.trunk)
	return d.bye(ctx)
}

// resume speaks in a dialog that was recorded.
func (a *Agent) resume(ctx context.Context, t Trunk, of calls.Dialog) (*dialog, error) {
	by, err := a.sender(t, trunks.Transport(of.Transport))
	if err != nil {
		return nil, err
	}
	first, err := a.locate(ctx, t.hop(), t.Transport)
	if err != nil {
		return nil, err
	}
	return &dialog{agent: a, by: by, trunk: t, first: first, of: of}, nil
}

// enquire asks the peer of a dialog whether it still is, by an INVITE that moves no sound: it asks for a description, and
// the answer to that says that we take no part. 481 is the true answer of one that is over.
func (a *Agent) enquire(ctx context.Context, t Trunk, q calls.LegQuery) (calls.LegReport, error) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	of := *q.Dialog
	of.CSeq += farAhead
	d, err := a.resume(ctx, t, of)
	if err != nil {
		return calls.LegReport{}, err
	}
	res, err := d.ask(ctx, "INVITE", "", nil)
	switch {
	case err != nil:
		return calls.LegReport{}, fmt.Errorf("asking the peer of a call: %w", err)
	case res.StatusCode == 481 || res.StatusCode == 408:
		a.limits.over(q.SID, t)
		return calls.LegReport{Status: calls.LegOver}, nil
	case !res.IsSuccess():
		return calls.LegReport{}, fmt.Errorf("asking the peer of a call: %d %s", res.StatusCode, res.Reason)
	}
	if err := d.acknowledge(ctx, d.now().CSeq, a.noPart(t, res.Body())); err != nil {
		return calls.LegReport{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.found) >= mostFound {
		clear(a.found) // nobody came for them
	}
	a.found[q.SID] = ended{trunk: t, dialog: d.now()}
	return calls.LegReport{Status: calls.LegTalking}, nil
}
