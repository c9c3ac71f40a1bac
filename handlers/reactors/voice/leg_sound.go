package voice

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/reactors/voice/waiting"
)

// Sounding is a leg that has sound: what is said on it takes its time, and can be cut off.
type Sounding interface {
	// SayAs is Say with an id, by which the fact knows it that it was played.
	SayAs(ctx context.Context, id, text, language string) error
	// Hush cuts off what is said, at once.
	Hush()
	// Tap has all frames told, heard and said, from now on. tap never waits, and keeps nothing of them.
	Tap(tap func(heard, said []int16))
	// Quality is how well the other side was heard so far.
	Quality() calls.Quality
}

// Speaker makes sound of texts, and knows those that were spoken before.
type Speaker interface {
	Speak(ctx context.Context, text, language string) ([]int16, error)
	// Prepare has a text spoken that is about to be said, and waits for nothing.
	Prepare(ctx context.Context, text, language string)
}

const (
	samplesPerMs  = 8
	frameTime     = 20 * time.Millisecond
	audible       = 100              // of 32,767: a sample of speech
	playedWithin  = time.Second      // behind the end of a text its fact is known
	letsSpeak     = 10 * time.Second // that the callee goes on speaking before we do all the same
	soundOfQueued = time.Second      // that the length of a text that was cut off is waited for
	waitingID     = "waiting"        // of what is heard by who waits for people
)

// sound is what a leg with sound knows of it. A nil one is that of a leg without.
type sound struct {
	leg Sounding
	by  Speaker // nil: nobody knows how long a text is

	mu       sync.Mutex
	meter    calls.Meter
	record   func(heard, said []int16) // nil: nobody does
	leave    func(heard []int16)       // who takes a message; nil: nobody does
	asked    time.Time                 // when that had been said to which there is no answer yet; zero: there is one
	latency  time.Duration             // of all answers
	answers  int
	ids      int
	playing  map[string]chan calls.Fact
	gone     chan struct{} // closed when nothing more is told
	held     bool          // the other side has put us on hold
	speaking bool
	quiet    chan struct{} // closed when the callee has stopped speaking
	figures  calls.Sounded
	sure     float64 // confidence of what was recognised, added up
	sureOf   int
}

// listenTo begins with the sound of a leg, if it has some.
func listenTo(line Leg, by Speaker) *sound {
	leg, has := line.(Sounding)
	if !has {
		return nil
	}
	s := &sound{leg: leg, by: by, playing: map[string]chan calls.Fact{}, gone: make(chan struct{})}
	leg.Tap(s.frame)
	return s
}

// frame is called 50 times a second by who paces the leg.
func (s *sound) frame(heard, said []int16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meter.Add(heard, said, frameTime)
	if !s.asked.IsZero() && sounds(said) {
		s.latency, s.answers, s.asked = s.latency+time.Since(s.asked), s.answers+1, time.Time{}
	}
	if s.record != nil {
		s.record(heard, said)
	}
	if s.leave != nil {
		s.leave(heard)
	}
}

func sounds(samples []int16) bool {
	for _, v := range samples {
		if v > audible || v < -audible {
			return true
		}
	}
	return false
}

// recordTo has frames given to who records; nil: nobody does any more.
func (s *sound) recordTo(record func(heard, said []int16)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record = record
}

// leaveTo has what is heard given to who takes a message; nil: nobody does any more.
func (s *sound) leaveTo(leave func(heard []int16)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leave = leave
}

// speaks reports whether the other side does now.
func (s *sound) speaks() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.speaking
}

// take notes what a fact says of the sound. Whoever begins to speak, presses a key, or writes has what we say
// cut off, where that is wanted.
func (s *sound) take(f calls.Fact, bargeIn bool) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch f.Kind {
	case calls.FactSpeechBegan:
		if !s.speaking {
			s.speaking, s.quiet = true, make(chan struct{})
		}
		if bargeIn {
			s.leg.Hush()
		}
	case calls.FactDigit, calls.FactWritten:
		s.leg.Hush()
	case calls.FactHeld:
		s.held, s.asked = true, time.Time{} // they do not wait for our answer
	case calls.FactResumed:
		s.held = false
	case calls.FactSpeechEnded, calls.FactSilence:
		if s.speaking {
			s.speaking = false
			close(s.quiet)
		}
		if f.Kind == calls.FactSpeechEnded {
			s.asked = f.At
		}
	case calls.FactPlayed:
		if told, waits := s.playing[f.ID]; waits {
			delete(s.playing, f.ID)
			told <- f
		}
	}
}

// heard counts a turn of the callee's.
func (s *sound) heard(u calls.Utterance, pressed bool) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.figures.Turns++
	switch {
	case pressed:
		s.figures.DigitTurns++
		s.asked = u.At
	case u.Written:
		s.asked = u.At
	case u.Text == "":
		s.figures.Unread++
	case u.Confidence > 0:
		s.sure, s.sureOf = s.sure+u.Confidence, s.sureOf+1
	}
}

// unasked takes it that nobody answers what was said: what is heard next is no answer.
func (s *sound) unasked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = time.Time{}
}

// say says a sentence to its end, or until it is cut off, and tells for how long. It waits for a callee
// who speaks, but not for ever.
func (s *sound) say(ctx context.Context, text, language string) (f calls.Fact, err error) {
	s.mu.Lock()
	quiet, speaking := s.quiet, s.speaking
	s.mu.Unlock()
	if speaking {
		select {
		case <-quiet:
		case <-time.After(letsSpeak):
		case <-ctx.Done():
			return f, ctx.Err()
		}
	}
	told := make(chan calls.Fact, 1)
	s.mu.Lock()
	s.ids++
	id := "s" + strconv.Itoa(s.ids)
	s.playing[id] = told
	s.mu.Unlock()
	err = s.leg.SayAs(ctx, id, text, language)
	select {
	case f = <-told:
	case <-s.gone: // what was told is here by now
		select {
		case f = <-told:
		default:
		}
	case <-time.After(playedWithin):
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.playing, id)
	if f.Interrupted && !s.held && err == nil && ctx.Err() == nil {
		s.figures.BargeIns++
	}
	return f, err
}

// hearOut takes what is told of our own sound behind the end of the call, until nothing more is, or stop.
func (s *sound) hearOut(facts <-chan calls.Fact) (stop func()) {
	done := make(chan struct{})
	go func() {
		for {
			select {
			case f, open := <-facts:
				if !open {
					close(s.gone)
					return
				}
				if f.Kind == calls.FactPlayed {
					s.take(f, false)
				}
			case <-done:
				return
			}
		}
	}()
	return func() { close(done) }
}

// fallSilent cuts off what we say on a call that is over. How far that was heard is told behind the end.
func (l *leg) fallSilent() {
	if l.sound != nil {
		stop := l.sound.hearOut(l.facts)
		defer stop()
	}
	if l.talk != nil {
		l.talk.end()
	}
	if l.sayNoMore != nil {
		l.sayNoMore()
	}
	l.waitNoMore()
}

// sounded are the figures of the whole call.
func (s *sound) sounded() calls.Sounded {
	quality := s.leg.Quality()
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.figures
	out.Quality, out.Levels, out.SilencePercent = quality, s.meter.Levels(), s.meter.Silence()
	if s.answers > 0 {
		ms := (s.latency / time.Duration(s.answers)).Milliseconds()
		out.LatencyMs = &ms
	}
	if s.sureOf > 0 {
		out.Confidence = s.sure / float64(s.sureOf)
	}
	return out
}

// length is how long a text takes; 0: nobody knows.
func (s *sound) length(ctx context.Context, text, language string) (ms int64) {
	if s.by == nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, soundOfQueued)
	defer cancel()
	samples, err := s.by.Speak(ctx, text, language)
	if err != nil {
		return 0
	}
	return int64(len(samples)) / samplesPerMs
}

// speak says a text of an agent's sentence by sentence, and records how far it was heard. heard is of
// one that was cut off.
func (l *leg) speak(ctx context.Context, text, language string, message int) (heard string, cut bool) {
	if l.sound == nil {
		l.voice(ctx, text, language)
		return "", false
	}
	select {
	case l.floor <- struct{}{}:
		defer func() { <-l.floor }()
	case <-ctx.Done():
		return "", true
	}
	parts, ms, told := calls.Sentences(text), int64(0), false
	for i, part := range parts {
		if i+1 < len(parts) && l.sound.by != nil {
			l.sound.by.Prepare(ctx, parts[i+1], language)
		}
		f, err := l.sound.say(ctx, part, language)
		ms, told = ms+int64(f.Ms), told || f.Kind != ""
		if err != nil && ctx.Err() == nil {
			l.d.cfg.Log.Warn("a text could not be said to the callee", "call", l.order.request.CallID, "error", err)
			continue
		}
		if f.Interrupted || ctx.Err() != nil {
			heard, cut = heard+calls.HeardUntil(part, int64(f.Ms), l.sound.length(context.WithoutCancel(ctx), part, language)), true
			break
		}
		heard += part + " "
	}
	if told {
		l.journal.add("played", calls.Play{Message: message, Ms: ms, Interrupted: cut, Heard: heard, At: l.when(time.Now())}.Decide)
	}
	return heard, cut
}

// soundWaiting lets the other side hear that the call is still there, for as long as it waits for people: silence is what a call
// sounds like that was cut.
func (l *leg) soundWaiting() {
	line, can := l.line.(playing)
	if !can || l.sound == nil {
		return
	}
	ctx, cancel := context.WithCancel(l.d.writing)
	over := make(chan struct{})
	go func() {
		defer close(over)
		tone, each := waiting.Tone(), time.NewTicker(waiting.Each)
		defer each.Stop()
		for {
			select {
			case <-each.C:
				if l.caller.Waits() {
					l.playWaiting(ctx, line, tone)
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	l.waitNoMore = func() {
		cancel()
		<-over
	}
}

// unfollowed has who plays ask whether the session waits for people: it has no agent that can be run, so its stream does not tell.
func (l *leg) unfollowed(session string) {
	ask := l.d.cfg.InLine
	if ask == nil {
		return
	}
	l.caller.Unfollowed(func() bool {
		ctx, cancel := context.WithTimeout(l.d.writing, lookupLimit)
		defer cancel()
		waits, err := ask(ctx, l.order.request.TenantID, session)
		if err != nil && ctx.Err() == nil {
			l.d.cfg.Log.Debug("whether a call waits for people is not known", "call", l.order.request.CallID, "error", err)
		}
		return waits
	})
}

// playWaiting plays the tone, unless somebody speaks.
func (l *leg) playWaiting(ctx context.Context, line playing, tone []int16) {
	select {
	case l.floor <- struct{}{}:
		defer func() { <-l.floor }()
	default:
		return
	}
	l.sound.unasked()
	if err := line.Play(ctx, waitingID, tone); err != nil && ctx.Err() == nil {
		l.d.cfg.Log.Debug("somebody who waits for people has not heard the tone", "call", l.order.request.CallID, "error", err)
	}
}
