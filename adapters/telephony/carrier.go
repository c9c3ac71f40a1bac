// Package telephony holds the carriers that calls go through; here is the simulated one,
// provider "local". That of SIP trunks is in sip.
//
// The simulated carrier rings nobody. For each leg it plays a fixed script of timed
// facts, chosen by the number that is called (calls.Fact; it never judges what a fact
// means and never sees whether a detection is on). The same number always gives the
// same facts at the same times, all of them divided by the speed. Times are since
// dialling, and since answer (a+):
//
//	number         what happens
//	+15550000001   human: ringing 0.8 s, answered 2.8 s, one word at a+0.45 s and one at a+0.85 s,
//	               silence a+1.55 s, hangs up a+10 s
//	+15550000002   machine: answered like the human, 14 words from a+0.5 s every 0.35 s,
//	               silence a+6.05 s, hangs up a+10 s
//	+15550000003   machine with beep: like the machine, 1000 Hz at a+6.65 s
//	+15550000004   silence: answered like the human, says nothing, hangs up a+10 s
//	+15550000005   busy: 486 Busy Here after 0.9 s, without ringing
//	+15550000006   declined: ringing 0.8 s, 603 Decline after 2.8 s
//	+15550000007   unavailable: 503 Service Unavailable after 0.6 s, without ringing
//	+15550000008   never answers: ringing 0.8 s, for good
//	+15550000009   human who hangs up after a+5 s
//	+15550000010   detection error: like the human, but cannot be listened to from a+0.3 s on
//	+15550000011   talker: answered like the human, says the lines of metadata.says, one after each
//	               thing said to it, and then waits, for ten minutes at most
//	anything else  human; so are all SIP targets
//
// The talker's line begins 0.6 s after the last text that was said to it, so that texts which
// come at once are one thing. It has a word every 0.3 s, and 0.6 s of silence behind it. An empty
// line says nothing.
//
// Every script begins with trying at 0.1 s. Words are recognised in the language that the call asks for
// (sttLanguage, else that of the flow, else en-US), whatever they are; the machine's hold no phrase that would
// give a mailbox away, so that their number decides.
package telephony

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/parley-platform/parley/adapters/telephony/legs"
	"github.com/parley-platform/parley/domain/calls"
)

// Simulated is the simulated carrier. It is safe for concurrent use.
type Simulated struct {
	speed int
	calls *legs.Book
}

// NewSimulated makes the carrier; speed divides all its times, 1 (or less) is real time.
func NewSimulated(speed int) *Simulated {
	return &Simulated{speed: max(speed, 1), calls: legs.NewBook()}
}

// Provider is the name under which the carrier's work is recorded.
func (*Simulated) Provider() string { return calls.ProviderLocal }

// Speed is how many times faster than life its callees are.
func (s *Simulated) Speed() int { return s.speed }

// Dial starts the script of the target. ctx bounds the dialling only: the leg lasts
// until its script ends or it is hung up.
func (s *Simulated) Dial(ctx context.Context, r calls.LegRequest) (*Leg, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	script, talks := scriptOf(r.Target), r.Target == calls.Talker
	l, dialed := &Leg{speed: s.speed, language: cmp.Or(r.Language, language), said: make(chan struct{}, 1), hungUp: make(chan struct{}),
		facts: make(chan calls.Fact, len(script)+mostFacts(r.Says))}, time.Now()
	l.awaits(dialed)
	l.history = s.calls.Enter(r.SID, l)
	go func() {
		defer s.calls.Over(l.history)
		defer close(l.facts)
		if !l.play(dialed, script) {
			return
		}
		if talks {
			l.talk(r.Says)
			return
		}
		if len(script) == 0 || !legs.Final(script[len(script)-1].fact) {
			<-l.hungUp
		}
	}()
	return l, nil
}

// Leg is one simulated call.
type Leg struct {
	speed    int
	language string // in which words are recognised
	facts    chan calls.Fact
	said     chan struct{} // something was, to somebody who answers
	hungUp   chan struct{}
	once     sync.Once

	mu      sync.Mutex
	next    time.Time // when the next fact is due; zero: none is
	history *legs.History
}

// Facts gives the facts in the order of their times. It is closed after the last
// one: the callee's end of the call, or our hanging up, which is no fact.
func (l *Leg) Facts() <-chan calls.Fact { return l.facts }

// HangUp ends the leg; again, or after its end, it does nothing.
func (l *Leg) HangUp(context.Context) error {
	l.once.Do(func() { close(l.hungUp) })
	return nil
}

// Say says a text to the callee. There is no sound here, so it takes no time.
func (l *Leg) Say(context.Context, string, string) error {
	select {
	case l.said <- struct{}{}:
	default: // it has not answered what was said before: that is one thing
	}
	return nil
}

// Until is how far the leg has come by now: what is due before it was told. A machine with much to do tells
// a fact later than it is due, and whoever lives by time as well must not be ahead of it.
func (l *Leg) Until(now time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next.IsZero() || now.Before(l.next) {
		return now
	}
	return l.next.Add(-1) // what is due at that very moment comes first
}

func (l *Leg) awaits(next time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = next
}

// play sends each fact when it is due, with the time at which it was. The channel holds the whole script, so
// a reader that is late delays no fact. It reports whether the leg is still there.
func (l *Leg) play(begun time.Time, script []step) bool {
	defer l.awaits(time.Time{})
	due := time.NewTimer(0)
	defer due.Stop()
	for _, next := range script {
		fact := next.fact
		fact.At = begun.Add(l.scaled(next.after))
		if fact.Kind == calls.FactWords {
			fact.Language = l.language
		}
		l.awaits(fact.At)
		due.Reset(time.Until(fact.At))
		select {
		case <-l.hungUp:
			return false
		case <-due.C:
		}
		l.history.Tell(fact)
		l.facts <- fact
	}
	return true
}

func (l *Leg) scaled(d time.Duration) time.Duration { return d / time.Duration(l.speed) }
