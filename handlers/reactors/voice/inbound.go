package voice

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/takers"
)

// Incoming is a leg that rings here. Its facts are those of any leg: answered comes when the other
// side has taken our answer, hung-up also of one who gave up before.
type Incoming interface {
	Leg
	// Ring tells the other side that somebody is being called.
	Ring(ctx context.Context) error
	// Answer picks up, for the leg of a call. What comes of it is told as facts.
	Answer(ctx context.Context, r calls.LegRequest) error
	// Reject refuses the call, and ends the leg.
	Reject(ctx context.Context, code int, phrase string) error
	// Drop ends the leg and says nothing: the same request is being answered by another node.
	Drop()
}

// Numbers knows whose a number is.
type Numbers interface {
	// Of is the flow that takes the calls to a number of an account; nil: nobody does.
	Of(ctx context.Context, tenant, number string) (project string, flow *calls.Flow, err error)
}

// agentWithin is how long the agent of a call that rings here is looked for. Answered or refused it
// is within four fifths of its lease.
const agentWithin = 10 * time.Second

// refused is why a call that rang here is not taken.
type refused struct {
	code   int
	phrase string
}

var (
	nobodysNumber = refused{404, "Not Found"}
	noAgent       = refused{480, "Temporarily Unavailable"}
	merged        = refused{482, "Request Merged"}
	trunkFull     = refused{486, "Busy Here"}
	noRoom        = refused{503, "Service Unavailable"}
)

// Offered takes a call that rings at a trunk, and carries it until it is over. Whose it is, and
// whether anybody answers it, is on the log before the other side is told: the same request at two
// nodes meets in one stream, and who wrote that first has the call. A number that is nobody's and a
// node without room leave nothing on the log: there is no project whose call it would be, and another
// node may have room.
func (d *Dialer) Offered(ctx context.Context, o calls.Offer, line Incoming) {
	if err := d.reserve(inbound); err != nil {
		d.reject(ctx, o, line, noRoom)
		return
	}
	defer d.release(inbound)
	settling, cancel := context.WithTimeout(ctx, d.cfg.Lease*4/5)
	defer cancel()
	taken, no := d.settle(settling, o, line)
	if no != nil {
		d.reject(ctx, o, line, *no)
		return
	}
	if !taken.State.Answered() {
		return
	}
	callID := taken.State.Request.CallID
	d.note(callID, taken.State.Attempt.ID)
	defer d.note(callID, "")
	l := newLeg(d, *orderOf(taken.State))
	l.line, l.facts = line, line.Facts()
	l.recorded(func() { l.rings(line, taken) })
}

func (d *Dialer) reject(ctx context.Context, o calls.Offer, line Incoming, why refused) {
	d.cfg.Log.Info("a call that came in was refused", "trunk", o.Trunk, "tenant", o.TenantID, "code", why.code)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hangUpLimit)
	defer cancel()
	if err := line.Reject(ctx, why.code, why.phrase); err != nil {
		d.cfg.Log.Warn("a call could not be refused", "trunk", o.Trunk, "code", why.code, "error", err)
	}
}

// settle finds out whose the call is and who takes it, to its answer on the log. Where that is
// missing and nothing is refused, the caller gave up, or another node has the very same request.
func (d *Dialer) settle(ctx context.Context, o calls.Offer, line Incoming) (eventstore.Result[calls.State], *refused) {
	var none eventstore.Result[calls.State]
	project, flow, err := d.cfg.Numbers.Of(ctx, o.TenantID, o.Called)
	if err != nil {
		d.cfg.Log.Error("it cannot be found out whose number was called", "trunk", o.Trunk, "error", err)
		return none, &noRoom
	}
	if flow == nil || project == "" {
		return none, &nobodysNumber
	}
	c := &comingIn{d: d, offer: o, line: line, try: uuid.NewString(),
		callID: eventstore.DerivedID(d.cfg.MAC, o.Name(), "call").String()}
	res, err := c.arrive(ctx, project, flow)
	switch s := res.State; {
	case err != nil:
		d.cfg.Log.Error("a call that came in could not be put down", "trunk", o.Trunk, "error", err)
		return none, &noRoom
	case s.Attempt.ID != c.try && s.Arrival.Branch == o.Branch:
		line.Drop()
		return none, nil
	case s.Attempt.ID != c.try:
		return none, &merged
	case o.Full:
		return none, &trunkFull
	}
	return c.answer(ctx, res.State)
}

// comingIn is a call between its first ring and its answer.
type comingIn struct {
	d      *Dialer
	offer  calls.Offer
	line   Incoming
	callID string
	try    string
}

// arrive puts the call down, once.
func (c *comingIn) arrive(ctx context.Context, project string, flow *calls.Flow) (eventstore.Result[calls.State], error) {
	return c.execute(ctx, func(s calls.State) ([]event.Payload, error) {
		if s.Phase != calls.PhaseNone {
			return nil, nil
		}
		at := c.d.cfg.Now()
		arrive := calls.Arrive{CallID: c.callID, TenantID: c.offer.TenantID, ProjectID: project, Provider: calls.ProviderSIP,
			ProviderID: c.offer.ProviderID, Person: c.offer.Person, OurNumber: c.offer.Called, Direction: calls.Inbound,
			AgentName: flow.AgentName, AnswerBy: at.Add(c.d.cfg.Lease), At: at,
			Trunk: c.offer.Trunk, Branch: c.offer.Branch, Flow: flow, Try: c.try, Node: c.d.cfg.Node}
		next := calls.Ring{At: at}.Decide
		if c.offer.Full {
			next = calls.Fail{SIPCode: trunkFull.code, Phrase: trunkFull.phrase, At: at}.Decide
		}
		return calls.InTurn(arrive.Decide, next)(s)
	})
}

// answer looks for who takes the call, and lets it answer. Who is gone before has not called.
func (c *comingIn) answer(ctx context.Context, s calls.State) (eventstore.Result[calls.State], *refused) {
	if err := c.line.Ring(ctx); err != nil {
		c.d.cfg.Log.Warn("a caller could not be told that it rings", "call", c.callID, "error", err)
	}
	agent, is, gone := c.whoTakesIt(ctx, s)
	switch {
	case gone != nil:
		res, err := c.execute(ctx, gone.Decide)
		c.log(err)
		return res, nil
	case !is:
		res, err := c.execute(ctx, calls.Fail{SIPCode: noAgent.code, Phrase: noAgent.phrase, At: c.d.cfg.Now()}.Decide)
		c.log(err)
		return res, &noAgent
	}
	session := uuid.Must(uuid.NewV7()).String()
	res, err := c.execute(ctx, func(s calls.State) ([]event.Payload, error) {
		at := c.d.cfg.Now() // the leg renews from here on, and most of the first lease may be over
		return calls.InTurn(calls.Answer{SessionID: session, Agent: agent, At: at}.Decide,
			calls.RenewLease{At: at, LeaseUntil: at.Add(c.d.cfg.Lease)}.Decide)(s)
	})
	if err != nil || !res.State.Answered() { // the log did not take it, or has ended it meanwhile
		c.log(err)
		return eventstore.Result[calls.State]{}, &noRoom
	}
	return res, nil
}

// whoTakesIt is the agent of the flow: one that can be run, or none, where it says its start text and
// no more. is is false where there is nobody; gone is how the call has ended meanwhile.
func (c *comingIn) whoTakesIt(ctx context.Context, s calls.State) (agent *calls.Agent, is bool, gone *calls.Fail) {
	flow := s.Request.Flow
	if flow.AgentName == "" {
		return nil, false, nil
	}
	type found struct {
		agent *calls.Agent
		err   error
	}
	told := make(chan found, 1)
	if c.d.cfg.Agents == nil || !flow.Talks {
		told <- found{}
	} else {
		go func() {
			ctx, cancel := context.WithTimeout(ctx, agentWithin)
			defer cancel()
			agent, err := c.d.cfg.Agents.Of(ctx, Taker{Call: c.callID, Want: takers.Want{Tenant: s.Request.TenantID,
				Project: s.Request.ProjectID, Name: flow.AgentName, Language: flow.Language}})
			told <- found{agent, err}
		}()
	}
	select {
	case f := <-told:
		if f.err != nil {
			c.d.cfg.Log.Warn("the agent of a call was not found", "call", c.callID, "error", f.err)
		}
		select {
		case fact, open := <-c.line.Facts(): // nobody answers who is gone
			return nil, false, c.ended(fact, open)
		default:
		}
		return f.agent, f.agent != nil || flow.StartText != "", nil
	case fact, open := <-c.line.Facts():
		return nil, false, c.ended(fact, open)
	case <-c.d.stopping:
		return nil, false, nil
	}
}

// ended is how a call ended that was not answered yet.
func (c *comingIn) ended(f calls.Fact, open bool) *calls.Fail {
	fail := &calls.Fail{SIPCode: 487, At: c.d.cfg.Now()}
	if open && f.Kind != calls.FactHungUp {
		fail.SIPCode, fail.Phrase = 503, ""
	}
	return fail
}

// execute runs a command on the call.
func (c *comingIn) execute(ctx context.Context, decide callDecision) (eventstore.Result[calls.State], error) {
	cmd := eventstore.Command{Tenant: c.offer.TenantID, Actor: "carrier:" + calls.ProviderSIP}
	return eventstore.Execute(ctx, c.d.cfg.Store, calls.Calls, calls.Calls.Stream(c.callID), cmd, decide)
}

func (c *comingIn) log(err error) {
	if err != nil {
		c.d.cfg.Log.Error("a call that came in could not be followed on the log; its lease will end it", "call", c.callID, "error", err)
	}
}

// rings answers the call, whose answer is on the log.
func (l *leg) rings(line Incoming, taken eventstore.Result[calls.State]) {
	l.answeredAt = l.here.Add(taken.State.AnsweredAt.Sub(l.shared))
	l.maxUntil = l.answeredAt.Add(l.d.cfg.MaxCall)
	l.atAnswer = func() { l.pickUp(taken) }
	ctx, cancel := context.WithTimeout(l.d.writing, hangUpLimit)
	defer cancel()
	if err := line.Answer(ctx, l.order.request); err != nil {
		l.d.cfg.Log.Warn("a call that was answered could not be picked up", "call", l.order.request.CallID, "error", err)
		l.hangUp()
		l.complete(calls.ByGateway, "the answer did not arrive", time.Now())
	}
}
