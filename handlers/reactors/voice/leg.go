package voice

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/acts/takers"
	"github.com/parley-platform/parley/handlers/reactors/voice/pace"
	"github.com/parley-platform/parley/handlers/reactors/voice/waiting"
)

// legOrder is what a leg needs to know of its call. It holds nothing of the state.
type legOrder struct {
	request  calls.LegRequest
	try      string    // whose the call is while it is ours
	until    time.Time // past it nobody may dial: others may have found that nobody did
	provider string
	timeout  time.Duration // to answer
	mode     calls.DetectionMode
	plan     *calls.DetectionPlan // nil: no detection
	recorded bool                 // both sides, where the leg has sound

	recognition calls.Recognition
	takes       Taker // no name: nobody takes the call
	talks       bool  // the agent may be one that can be run
	startText   string
}

func orderOf(s calls.State) *legOrder {
	r := s.Request
	return &legOrder{request: s.LegRequest(), try: s.Attempt.ID, until: s.Attempt.LeaseUntil, provider: s.Provider,
		timeout: time.Duration(r.TimeoutInMs) * time.Millisecond, mode: r.MachineDetection, plan: r.Plan(), talks: r.Flow.Talks,
		startText: r.Flow.StartText, recorded: r.Flow.Recorded, recognition: s.Recognition(),
		takes: Taker{r.CallID, takers.Want{Tenant: r.TenantID, Project: r.ProjectID, Name: r.Flow.AgentName, Language: r.Flow.Language}}}
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
	heard    int    // utterances, and keys that were pressed together
	adopted  bool   // the call was another node's
	sound    *sound // nil: it has none
	tape     Tape   // nil: nobody records it

	sayNoMore func() // cuts the start text off; nil: there is none

	caller     waiting.Caller // who may wait for people
	waitNoMore func()         // ends what is heard meanwhile

	pending   *calls.Utterance // that may go on
	pendingAt time.Time        // when it does not any more; zero: the callee speaks
	keys      pace.Keypad      // that were pressed
	texts     pace.Texts       // that were written
	hold      pace.Latest      // whether the other side listens
	dialog    pace.Latest      // how it is spoken to

	wanted     chan wantedPerson // a person who is to be on the line
	freed      chan string       // the transfer of one who is to be there no more
	personOf   string            // the transfer by which one was called last
	replace    chan struct{}     // closed when they are to be on the line no more; nil: nobody is
	personGone chan string       // tells why the call is over, as far as people are concerned
	referred   chan calls.Fact   // what came of asking the other side to call one
	askedFor   string            // the transfer by which it was asked; empty: the node before asked
	ended      chan struct{}     // closed when the call is over

	asked     chan calls.MessageWanted // a message that is to be left
	messageOf string                   // the voicemail for which one was left last
	message   atomic.Pointer[message]  // that is left now; nil: none ever was
	messages  sync.WaitGroup
	floor     chan struct{} // whoever speaks has it: an agent for a text, who takes a message for all of it

	unheard func() // ends that it is told of what others write to its call

	here, shared time.Time // one moment on both clocks

	over       bool
	letGone    bool      // it goes on at another node
	answeredAt time.Time // zero before answer
	atAnswer   func()    // of a call that came in: what begins when the other side has our answer
	detector   *calls.Detector
	answerBy   time.Time // passes: nobody answered
	hangUpAt   time.Time // zero: not planned
	maxUntil   time.Time
}

func newLeg(d *Dialer, order legOrder) *leg {
	l := &leg{d: d, order: order, wanted: make(chan wantedPerson, 1), personGone: make(chan string, 1), ended: make(chan struct{}),
		freed: make(chan string, 1), unheard: func() {}, asked: make(chan calls.MessageWanted, 1), floor: make(chan struct{}, 1),
		waitNoMore: func() {}, here: time.Now(), shared: d.cfg.Now(), carrier: d.carriers[order.provider]}
	l.journal = newCallJournal(order.request.CallID, order.try, d, l.wants)
	return l
}

// run dials, follows the call to its end and returns when that is recorded. The place that was kept for it
// is left when it was dialled.
func (l *leg) run(leave func()) {
	l.recorded(func() {
		defer leave()
		l.lookForAgent()
		l.dial()
	})
}

// recorded begins a call, follows it to its end and returns when that is recorded.
func (l *leg) recorded(begin func()) {
	var writer sync.WaitGroup
	writer.Go(func() { _ = l.journal.write(l.d.writing) }) // it has logged what it left out
	begin()
	l.follow()
	l.unheard()
	close(l.ended)
	l.fallSilent()
	if !l.letGone {
		l.measured()
	}
	l.journal.close()
	writer.Wait()
	l.messages.Wait()
	l.keepTape()
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

// follow waits for whatever comes next. Facts that are there go before timers that
// are due, because they happened earlier.
func (l *leg) follow() {
	renew := time.NewTicker(l.d.cfg.Lease / leaseFraction)
	defer renew.Stop()
	due := time.NewTimer(0)
	defer due.Stop()
	for !l.over {
		now := l.now() // first: what happened until then is there to be taken
		if l.takeFact() {
			continue
		}
		if l.expire(now); l.over {
			return
		}
		due.Reset(soon(l.nextDeadline()))
		select {
		case f, open := <-l.facts:
			l.take(f, open)
		case <-due.C:
		case <-renew.C:
			l.renewLease()
		case <-l.agentEnd:
			l.hangUp()
			l.complete(calls.ByBot, "the agent ended the conversation", time.Now())
		case p := <-l.wanted:
			l.callPerson(p)
		case transfer := <-l.freed:
			l.letPersonGo(transfer)
		case wanted := <-l.asked:
			l.takeMessage(wanted)
		case why := <-l.personGone:
			l.hangUp()
			l.complete(calls.ByBot, why, time.Now())
		case <-l.journal.endedElsewhere:
			l.hangUp()
			l.messages.Go(l.endedElsewhere)
			l.over = true
		case <-l.journal.taken:
			l.abandon()
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
	l.sound.take(f, l.order.recognition.Interim)
	switch f.Kind {
	case calls.FactRinging:
		l.journal.add("ringing", calls.Ring{At: l.when(f.At)}.Decide)
	case calls.FactAnswered:
		l.answered(f.At)
	case calls.FactWords, calls.FactSilence, calls.FactTone, calls.FactDetectorError, calls.FactSpeechBegan, calls.FactSpeechEnded:
		if l.detector != nil {
			l.detected(l.detector.Hear(f, f.At.Sub(l.answeredAt)), f.At)
		}
		if !l.message.Load().takes(f) {
			l.listen(f)
		}
	case calls.FactEstablished:
		l.established(l.dialog.Take(f, l.scaled(pace.Each)))
	case calls.FactHeld, calls.FactResumed:
		l.held(l.hold.Take(f, l.scaled(pace.Each)))
	case calls.FactDigit:
		if !l.message.Load().takes(f) {
			l.pressed(f)
		}
	case calls.FactWritten:
		l.written(f)
	case calls.FactTransferred:
		l.transferTold(f)
	case calls.FactHungUp:
		l.gone(calls.ByCallee, "the callee hung up", 487, "", f.At)
	case calls.FactRejected:
		l.gone(calls.ByGateway, "the carrier ended the leg", f.Code, f.Phrase, f.At)
	case calls.FactLost:
		l.d.cfg.Log.Warn("a leg was lost", "call", l.order.request.CallID, "error", f.Error)
		l.gone(calls.ByGateway, f.Error, 0, "", f.At)
	}
}

// established and held tell what the other side has said of itself, if it is its turn.
func (l *leg) established(f *calls.Fact) {
	if f != nil {
		l.journal.add("established", calls.EstablishLeg{Dialog: *f.Dialog, At: l.when(f.At)}.Decide)
	}
}

func (l *leg) held(f *calls.Fact) {
	if f != nil {
		l.journal.add(string(f.Kind), calls.Hold{Held: f.Kind == calls.FactHeld, At: l.when(f.At)}.Decide)
	}
}

func (l *leg) answered(at time.Time) {
	if begin := l.atAnswer; begin != nil {
		l.atAnswer = nil
		begin()
	}
	if !l.answeredAt.IsZero() {
		return
	}
	l.answeredAt, l.maxUntil = at, at.Add(l.d.cfg.MaxCall)
	l.sound = listenTo(l.line, l.d.cfg.Speaker)
	l.hearOthers()
	l.soundWaiting()
	l.begin(at)
	l.record()
	if l.order.plan != nil {
		l.detector = calls.NewDetector(l.order.plan.Faster(l.carrier.Speed()))
	}
}

// detected records results and does what the mode makes of them.
func (l *leg) detected(results []calls.TimedDetection, at time.Time) {
	broken := false
	for _, r := range results {
		l.journal.add(string(r.Result), calls.Detect{Detection: r.Detection, At: l.when(l.answeredAt.Add(r.Elapsed))}.Decide)
		broken = broken || r.Result == calls.AmdError
	}
	switch {
	case broken:
		l.hangUp()
		l.complete(calls.ByGateway, "the detection failed", at)
	case l.detector.MachineAnswered() && l.order.mode == calls.DetectionDisconnect:
		l.hangUp()
		l.complete(calls.ByBot, "a machine answered", at)
	}
}
