package voice

import (
	"context"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/acts/takers"
)

// legOrder is what a leg needs to know of its call. It holds nothing of the state.
type legOrder struct {
	request   calls.LegRequest
	until     time.Time // past it nobody may dial: others may have found that nobody did
	provider  string
	timeout   time.Duration // to answer
	mode      calls.DetectionMode
	plan      *calls.DetectionPlan // nil: no detection
	takes     Taker                // no name: nobody takes the call
	talks     bool                 // the agent may be one that can be run
	startText string
}

func orderOf(s calls.State) *legOrder {
	r := s.Request
	return &legOrder{request: s.LegRequest(), until: s.Attempt.LeaseUntil, provider: s.Provider,
		timeout: time.Duration(r.TimeoutInMs) * time.Millisecond, mode: r.MachineDetection, plan: r.Plan(), talks: r.Flow.Talks,
		startText: r.Flow.StartText,
		takes:     Taker{r.CallID, takers.Want{Tenant: r.TenantID, Project: r.ProjectID, Name: r.Flow.AgentName, Language: r.Flow.Language}}}
}

const (
	noAgentPause  = 2 * time.Second // an answered call that no agent takes
	hangUpLimit   = 5 * time.Second
	dialLimit     = 10 * time.Second
	leaseFraction = 3 // renewals per lease
)

// leg is one call from dialling to its end. One goroutine owns it: facts, timers and
// detection become commands in the order in which things happened.
type leg struct {
	d       *Dialer
	order   legOrder
	carrier Carrier // nil: the provider has none here
	journal *callJournal
	line    Leg
	facts   <-chan calls.Fact

	found    <-chan *calls.Agent // tells who takes the call; nil: nobody is looked for
	talk     *conversation       // nil: nobody hears
	agentEnd <-chan struct{}     // closed when the agent has ended the conversation
	listener calls.Listener
	heard    int // utterances

	here, shared time.Time // one moment on both clocks

	over       bool
	answeredAt time.Time // zero before answer
	detector   *calls.Detector
	answerBy   time.Time // passes: nobody answered
	hangUpAt   time.Time // zero: not planned
	maxUntil   time.Time
}

func newLeg(d *Dialer, order legOrder) *leg {
	return &leg{d: d, order: order, here: time.Now(), shared: d.cfg.Now(), carrier: d.carriers[order.provider],
		journal: newCallJournal(order.request.CallID, d.execute, d.cfg.Log)}
}

// run dials, follows the call to its end and returns when that is recorded.
func (l *leg) run() {
	var writer sync.WaitGroup
	writer.Go(func() { _ = l.journal.write(l.d.writing) }) // it has logged what it left out
	l.lookForAgent()
	l.dial()
	l.follow()
	if l.talk != nil {
		l.talk.end()
	}
	l.journal.close()
	writer.Wait()
}

func (l *leg) dial() {
	if l.carrier == nil {
		l.d.cfg.Log.Error("no carrier of the provider is configured", "call", l.order.request.CallID, "provider", l.order.provider)
		l.fail(0, "", time.Now())
		return
	}
	select {
	case <-l.d.stopping:
		l.fail(0, "", time.Now())
		return
	default:
	}
	if !l.d.cfg.Now().Before(l.order.until) { // this node stood still between the start and now
		l.d.cfg.Log.Warn("a call was started and its lease ran out before it could be dialled", "call", l.order.request.CallID)
		l.fail(0, "", time.Now())
		return
	}
	dialed := time.Now()
	ctx, cancel := context.WithTimeout(l.d.writing, dialLimit)
	defer cancel()
	line, err := l.carrier.Dial(ctx, l.order.request)
	if err != nil {
		l.d.cfg.Log.Error("dialling failed", "call", l.order.request.CallID, "provider", l.order.provider, "error", err)
		l.fail(0, "", time.Now())
		return
	}
	l.line, l.facts = line, line.Facts()
	l.answerBy = dialed.Add(l.scaled(l.order.timeout))
}

// when is a moment of this machine's clock on the clock that all nodes share: the leg
// lives by monotonic time, its events tell the shared one.
func (l *leg) when(here time.Time) time.Time { return l.shared.Add(here.Sub(l.here)) }

// scaled is a duration of the call in the carrier's time.
func (l *leg) scaled(d time.Duration) time.Duration {
	return d / time.Duration(max(l.carrier.Speed(), 1))
}

// follow waits for whatever comes next. Facts that are there go before timers that
// are due, because they happened earlier.
func (l *leg) follow() {
	renew := time.NewTicker(l.d.cfg.Lease / leaseFraction)
	defer renew.Stop()
	due := time.NewTimer(0)
	defer due.Stop()
	for !l.over {
		if l.takeFact() {
			continue
		}
		if l.expire(time.Now()); l.over {
			return
		}
		due.Reset(time.Until(l.nextDeadline()))
		select {
		case f, open := <-l.facts:
			l.take(f, open)
		case <-due.C:
		case <-renew.C:
			l.renewLease()
		case <-l.agentEnd:
			l.hangUp()
			l.complete(calls.ByBot, "the agent ended the conversation", time.Now())
		case <-l.journal.endedElsewhere:
			l.hangUp()
			l.over = true
		case <-l.d.stopping:
			l.shutDown()
		}
	}
}

func (l *leg) takeFact() bool {
	select {
	case f, open := <-l.facts:
		l.take(f, open)
		return true
	default:
		return false
	}
}

// take handles a fact; a channel that closes without a last fact is a lost leg.
func (l *leg) take(f calls.Fact, open bool) {
	if !open {
		f = calls.Fact{Kind: calls.FactLost, At: time.Now(), Error: "the carrier dropped the leg"}
	}
	switch f.Kind {
	case calls.FactRinging:
		l.journal.add("ringing", calls.Ring{At: l.when(f.At)}.Decide)
	case calls.FactAnswered:
		l.answered(f.At)
	case calls.FactWords, calls.FactSilence, calls.FactTone, calls.FactDetectorError:
		if l.detector != nil {
			l.detected(l.detector.Hear(f, f.At.Sub(l.answeredAt)), f.At)
		}
		l.listen(f)
	case calls.FactHungUp:
		l.gone(calls.ByCallee, "the callee hung up", 487, "", f.At)
	case calls.FactRejected:
		l.gone(calls.ByGateway, "the carrier ended the leg", f.Code, f.Phrase, f.At)
	case calls.FactLost:
		l.d.cfg.Log.Warn("a leg was lost", "call", l.order.request.CallID, "error", f.Error)
		l.gone(calls.ByGateway, f.Error, 0, "", f.At)
	}
}

// gone ends a call whose leg exists no more: completed by somebody when it was
// answered, failed with a code otherwise.
func (l *leg) gone(by calls.Party, cause string, code int, phrase string, at time.Time) {
	if l.answeredAt.IsZero() {
		l.fail(code, phrase, at)
		return
	}
	l.complete(by, cause, at)
}

func (l *leg) answered(at time.Time) {
	if !l.answeredAt.IsZero() {
		return
	}
	l.answeredAt, l.maxUntil = at, at.Add(l.d.cfg.MaxCall)
	l.begin(at)
	if l.order.plan != nil {
		l.detector = calls.NewDetector(l.order.plan.Faster(l.carrier.Speed()))
	}
}

// detected records results and does what the mode makes of them.
func (l *leg) detected(results []calls.TimedDetection, at time.Time) {
	machine, broken := false, false
	for _, r := range results {
		l.journal.add(string(r.Result), calls.Detect{Detection: r.Detection, At: l.when(l.answeredAt.Add(r.Elapsed))}.Decide)
		machine = machine || r.Result == calls.AmdMachineDetected || r.Result == calls.AmdToneDetected
		broken = broken || r.Result == calls.AmdError
	}
	switch {
	case broken:
		l.hangUp()
		l.complete(calls.ByGateway, "the detection failed", at)
	case machine && l.order.mode == calls.DetectionDisconnect:
		l.hangUp()
		l.complete(calls.ByBot, "a machine answered", at)
	}
}

// nextDeadline is the earliest of the timers that run.
func (l *leg) nextDeadline() time.Time {
	if l.answeredAt.IsZero() {
		return l.answerBy
	}
	next := l.maxUntil
	if !l.hangUpAt.IsZero() && l.hangUpAt.Before(next) {
		next = l.hangUpAt
	}
	if at, ok := l.detectionDue(); ok && at.Before(next) {
		next = at
	}
	return next
}

func (l *leg) detectionDue() (time.Time, bool) {
	if l.detector == nil {
		return time.Time{}, false
	}
	elapsed, ok := l.detector.Deadline()
	return l.answeredAt.Add(elapsed), ok
}

// expire does what is due.
func (l *leg) expire(now time.Time) {
	if l.answeredAt.IsZero() {
		if !now.Before(l.answerBy) {
			l.hangUp()
			l.fail(487, "Request Terminated", now)
		}
		return
	}
	if at, ok := l.detectionDue(); ok && !now.Before(at) {
		l.detected(l.detector.Advance(now.Sub(l.answeredAt)), now)
	}
	switch {
	case l.over:
	case !l.hangUpAt.IsZero() && !now.Before(l.hangUpAt):
		l.hangUp()
		l.complete(calls.ByBot, "no agent takes the call", now)
	case !now.Before(l.maxUntil):
		l.hangUp()
		l.complete(calls.ByBot, "the longest call is over", now)
	}
}
