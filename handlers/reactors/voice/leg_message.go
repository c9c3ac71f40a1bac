package voice

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/domain/wav"
	"github.com/parley-platform/parley/handlers/acts"
)

// Messages is where what callers leave is kept.
type Messages interface {
	Replace(ctx context.Context, name, contentType string, content []byte) error
	Delete(ctx context.Context, name string) error
}

// playing is a leg on which sound can be played.
type playing interface {
	Play(ctx context.Context, id string, samples []int16) error
}

const (
	beepID      = "beep"
	mostHeard   = 64 // facts that wait for who takes a message
	mostUnkept  = 64 // messages that wait for their storage: two minutes are 2 MB
	noMessages  = "this node keeps no messages"
	nothingSaid = "nothing was said"
	overBefore  = "the call was over before anybody was asked"
	personCame  = "a person took the call"
)

// message is one that the other side leaves. What it says then is for nobody else. A nil one is none.
type message struct {
	facts chan calls.Fact
	over  chan struct{} // closed when it was left

	person chan struct{} // closed when a person is on the line
	came   sync.Once

	mu   sync.Mutex
	said []int16
}

// takes reports whether a fact is of the message.
func (m *message) takes(f calls.Fact) bool {
	if m == nil {
		return false
	}
	select {
	case <-m.over:
		return false
	default:
	}
	select {
	case m.facts <- f:
	default: // it says more than anybody can; its length ends it
	}
	return true
}

// personIsThere ends it: what the other side says from now on is said to a person.
func (m *message) personIsThere() {
	if m != nil {
		m.came.Do(func() { close(m.person) })
	}
}

func (m *message) personCame() bool {
	select {
	case <-m.person:
		return true
	default:
		return false
	}
}

// pressed passes over what was heard so far, and reports whether a key was among it.
func (m *message) pressed() (is bool) {
	for len(m.facts) > 0 {
		f := <-m.facts
		is = is || f.Kind == calls.FactDigit
	}
	return is
}

// write takes a frame.
func (m *message) write(heard []int16) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.said) < wav.Rate*int(calls.LongestMessage/time.Second) {
		m.said = append(m.said, heard...)
	}
}

// takeMessage lets the other side leave a message, once for each time that one is wanted.
func (l *leg) takeMessage(wanted calls.MessageWanted) {
	if l.messageOf == wanted.VoicemailID {
		return
	}
	l.messageOf = wanted.VoicemailID
	switch {
	case l.sound == nil:
		l.messages.Go(func() { l.missed(wanted, noSound) })
		return
	case l.d.cfg.Messages == nil:
		l.messages.Go(func() { l.missed(wanted, noMessages) })
		return
	}
	l.finish() // what was said before
	m := &message{facts: make(chan calls.Fact, mostHeard), over: make(chan struct{}), person: make(chan struct{})}
	l.message.Store(m)
	l.messages.Go(func() { l.leave(wanted, m) })
}

// missed tells that there is no message, behind the end of the call as well.
func (l *leg) missed(wanted calls.MessageWanted, why string) {
	if _, err := l.told(wanted, calls.MissMessage{VoicemailID: wanted.VoicemailID, Reason: why, At: l.when(time.Now())}.Decide); err != nil {
		l.d.cfg.Log.Warn("that there is no message could not be told", "call", l.order.request.CallID, "why", why, "error", err)
	}
}

// unasked ends a call on which a message may be wanted that this leg has not seen: nobody else would say that there is none, and why.
func (l *leg) unasked(why string, end callDecision) callDecision {
	asked, now := l.messageOf, l.when(time.Now())
	return func(s calls.State) ([]event.Payload, error) {
		if m, wanted := s.WantsMessage(); wanted && m.VoicemailID != asked {
			return calls.InTurn(calls.MissMessage{VoicemailID: m.VoicemailID, Reason: why, At: now}.Decide, end)(s)
		}
		return end(s)
	}
}

// endedElsewhere says the same of a call that somebody else has ended.
func (l *leg) endedElsewhere() {
	s, err := l.d.read(l.d.writing, l.order.request.CallID)
	if err != nil {
		l.d.cfg.Log.Warn("whether a message was wanted on a call that is over could not be read", "call", l.order.request.CallID, "error", err)
		return
	}
	if m := s.Message; m != nil && !s.MessageOver && m.VoicemailID != l.messageOf {
		l.missed(*m, overBefore)
	}
}

// told is the call behind what came of a message. The first word counts.
func (l *leg) told(wanted calls.MessageWanted, decide callDecision) (s calls.State, err error) {
	ctx, cancel := context.WithTimeout(l.d.writing, keepWithin)
	defer cancel()
	err = acts.Persist(ctx, func() error {
		res, err := l.d.execute(ctx, l.order.request.CallID, "message/"+wanted.VoicemailID, decide)
		s = res.State
		return err
	})
	return s, err
}

// leave has the other side told what it may do, and keeps what it says behind the beep. While it does, nobody
// else speaks.
func (l *leg) leave(wanted calls.MessageWanted, m *message) {
	ctx, cancel := context.WithCancel(l.d.writing)
	defer cancel()
	defer close(m.over)
	go func() {
		select {
		case <-l.ended:
			cancel()
		case <-m.person:
			cancel()
		case <-ctx.Done():
		}
	}()
	select {
	case l.floor <- struct{}{}:
		defer func() { <-l.floor }()
	case <-ctx.Done():
	}
	language := l.order.takes.Language
	say := voicemails.WordsIn(language)
	l.ask(ctx, m, say.Before, language)
	if line, can := l.line.(playing); can {
		if err := line.Play(ctx, beepID, voicemails.Beep()); err != nil && ctx.Err() == nil {
			l.d.cfg.Log.Warn("somebody who leaves a message has heard no beep", "call", l.order.request.CallID, "error", err)
		}
	}
	var spoke bool
	var by calls.MessageEnd
	if ctx.Err() == nil { // they have heard the beep
		spoke, by = l.listenFor(m)
	}
	switch {
	case l.goesOn(): // at a node that asks again
	case !spoke && m.personCame():
		l.missed(wanted, personCame)
	case !spoke:
		l.missed(wanted, nothingSaid)
	case l.keepMessage(wanted, m, by):
		l.tellCaller(ctx, say.Behind, language)
	}
}

// ask tells the caller what to do, and once more if they spoke into it: who says hello to a voice has heard little of it. Who
// presses a key knows.
func (l *leg) ask(ctx context.Context, m *message, text, language string) {
	if cut := l.tellCaller(ctx, text, language); cut && ctx.Err() == nil && !m.pressed() {
		l.tellCaller(ctx, text, language)
	}
}

// tellCaller says a text that is no agent's, and reports whether it was cut off.
func (l *leg) tellCaller(ctx context.Context, text, language string) (cut bool) {
	f, err := l.sound.say(ctx, text, language)
	if err != nil && ctx.Err() == nil {
		l.d.cfg.Log.Warn("somebody who leaves a message is not told so", "call", l.order.request.CallID, "error", err)
	}
	return f.Interrupted
}

// listenFor takes what is said until the message is over, by what its end was.
func (l *leg) listenFor(m *message) (spoke bool, by calls.MessageEnd) {
	m.pressed() // before the beep
	listener := calls.ListenForMessage(time.Now())
	if l.sound.speaks() {
		listener.Hear(calls.Fact{Kind: calls.FactSpeechBegan, At: time.Now()})
	}
	l.sound.leaveTo(m.write)
	defer l.sound.leaveTo(nil)
	for {
		if m.personCame() {
			return listener.Spoke(), calls.EndedByPerson
		}
		end, by := listener.End()
		due := time.NewTimer(time.Until(end))
		select {
		case f := <-m.facts:
			due.Stop()
			listener.Hear(f)
		case <-due.C:
			return listener.Spoke(), by
		case <-m.person:
			due.Stop()
		case <-l.ended:
			due.Stop()
			return listener.Spoke(), calls.EndedByHangUp
		}
	}
}

// keepMessage stores what was said, and tells of it, behind the end of the call as well. What cannot be stored now is missed until it
// can: it is tried again later.
func (l *leg) keepMessage(wanted calls.MessageWanted, m *message, by calls.MessageEnd) (kept bool) {
	m.mu.Lock()
	file, ms := wav.File(m.said), int64(len(m.said))*1_000/wav.Rate
	m.mu.Unlock()
	sum, call := sha256.Sum256(file), l.order.request.CallID
	keep := calls.KeepMessage{VoicemailID: wanted.VoicemailID, Blob: voicemails.LeftOnCall(l.order.request.TenantID, wanted.VoicemailID),
		SHA256: hex.EncodeToString(sum[:]), SizeBytes: int64(len(file)), Ms: ms, By: by, At: l.when(time.Now())}
	ctx, cancel := context.WithTimeout(l.d.writing, keepWithin)
	defer cancel()
	kept, err := l.d.keepMessage(ctx, call, "message/"+wanted.VoicemailID, keep, file)
	if err != nil {
		l.missed(wanted, "it could not be stored")
		l.d.keepMessageLater(call, keep, file)
	}
	return kept
}

// keepMessage stores a message and has it stand on its call's stream. What nobody takes there is removed.
func (d *Dialer) keepMessage(ctx context.Context, callID, step string, keep calls.KeepMessage, file []byte) (kept bool, err error) {
	if err = d.cfg.Messages.Replace(ctx, keep.Blob, "audio/wav", file); err != nil {
		d.cfg.Log.Error("a message could not be stored", "call", callID, "voicemail", keep.VoicemailID, "error", err)
		return false, err
	}
	err = acts.Persist(ctx, func() error {
		res, err := d.execute(ctx, callID, step, keep.Decide)
		kept = err == nil && res.State.MessageBlob == keep.Blob
		return err
	})
	if err != nil && !fault.Is(err, fault.Gone) && !fault.Is(err, fault.Conflict) {
		d.cfg.Log.Error("a message could not be told of", "call", callID, "voicemail", keep.VoicemailID, "error", err)
		return false, err // it may be told of
	}
	if !kept {
		if err := d.cfg.Messages.Delete(ctx, keep.Blob); err != nil {
			d.cfg.Log.Warn("a message that nobody takes could not be removed", "call", callID, "voicemail", keep.VoicemailID, "error", err)
		}
	}
	return kept, nil
}

// keepMessageLater tries again for as long as this process lives: a message is in memory until it is stored, and so there are not many.
func (d *Dialer) keepMessageLater(callID string, keep calls.KeepMessage, file []byte) {
	d.mu.Lock()
	full := d.messages >= mostUnkept
	if !full {
		d.messages++
	}
	d.mu.Unlock()
	if full {
		d.cfg.Log.Error("a message is lost: too many others wait for their storage", "call", callID, "voicemail", keep.VoicemailID)
		return
	}
	var again unkept
	again = func(ctx context.Context) bool {
		if _, err := d.keepMessage(ctx, callID, "message-again/"+keep.VoicemailID, keep, file); err != nil {
			d.keepLater(again)
			return false
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.messages--
		return true
	}
	d.keepLater(again)
}
