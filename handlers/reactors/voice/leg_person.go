package voice

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors/voice/pace"
)

// personPatience is how long the telephone of a person may ring.
const personPatience = 30 * time.Second

// joining is a leg whose sound can be joined with another's.
type joining interface {
	// Join lets the two sides hear each other, until one of them is gone.
	Join(other any) error
}

// wants notes whom the call waits for, and what message, as it stands.
func (l *leg) wants(s calls.State) {
	if p, wanted := s.WantsPerson(); wanted {
		newest(l.wanted, wantedPerson{PersonCalled: p, referral: s.Referral})
	}
	if transfer := s.FreedPerson(); transfer != "" {
		newest(l.freed, transfer)
	}
	if m, wanted := s.WantsMessage(); wanted {
		newest(l.asked, m)
	}
}

// newest puts what is known last into a channel of one, which one goroutine writes to.
func newest[T any](into chan T, one T) {
	select {
	case <-into:
	default:
	}
	into <- one
}

// hearOthers has the leg told at once of what others write to its call. Where nobody tells, and of a call without sound, that nobody
// can come to, it sees that with its next sign of life.
func (l *leg) hearOthers() {
	if _, joins := l.line.(joining); l.d.cfg.Follow == nil || !joins && l.sound == nil {
		return
	}
	stop, err := l.d.cfg.Follow(calls.Calls.Stream(l.order.request.CallID), l.journal.news)
	if err != nil {
		l.d.cfg.Log.Warn("what others want of a call is seen with its signs of life only", "call", l.order.request.CallID, "error", err)
		return
	}
	l.unheard = stop
}

// wantedPerson is a person who is to be on the line.
type wantedPerson struct {
	calls.PersonCalled
	referral calls.Referral
	replaced <-chan struct{} // closed when they are to be on the line no more: their transfer is over, or somebody else is wanted
}

// inPlace is the person who is wanted, in place of whoever was: one at a time is called and talks, as the log says.
func (l *leg) inPlace(p wantedPerson) wantedPerson {
	l.letPersonGo(l.personOf)
	l.personOf, l.replace = p.TransferID, make(chan struct{})
	p.replaced = l.replace
	return p
}

// letPersonGo hangs up whoever was called by a transfer, whether they talk or it rings. The call goes on.
func (l *leg) letPersonGo(transfer string) {
	l.caller.Came(transfer)
	if l.personOf == transfer && l.replace != nil {
		close(l.replace)
		l.replace = nil
	}
}

// gone reports whether the person is to be on the line no more.
func (p wantedPerson) gone() bool {
	select {
	case <-p.replaced:
		return true
	default:
		return false
	}
}

// callPerson brings a person onto the line, once for each transfer. The carrier of the call calls them. What stands on the log of
// a node that is gone decides: whom the other side was asked to call is not called by us as well.
func (l *leg) callPerson(p wantedPerson) {
	if l.personOf == p.TransferID {
		return
	}
	p = l.inPlace(p)
	l.caller.Rings(p.TransferID)
	told := make(chan calls.Fact, mostTold)
	if l.referred, l.askedFor = told, p.TransferID; p.referral == calls.Referred {
		l.askedFor = ""
	}
	trunk, can := l.line.(referring)
	switch can = can && trunk.Refers(); {
	case p.referral == calls.Referred:
		go l.awaitPerson(p, told, true)
	case can && p.referral == calls.NotReferred:
		go l.refer(p, trunk, told)
	case p.referral == calls.NotReferred:
		l.bridge(p, told)
	default:
		l.bridge(p, nil)
	}
}

// bridge has this node call the person. One that calls nobody leaves them what they have: the session of
// a call whose sound came to it from a page, by a socket, or in a room. told is what the other side tells, if it may be
// asked to take them over; nil: it may not.
func (l *leg) bridge(p wantedPerson, told <-chan calls.Fact) {
	carrier := l.d.carriers[l.d.callsPeople(l.order.provider)]
	line, can := l.line.(joining)
	switch {
	case carrier == nil:
		l.caller.Came(p.TransferID)
		l.d.cfg.Log.Warn("a person has the session of a call, and is not called, as this node calls over no trunk", "call",
			l.order.request.CallID, "transfer", p.TransferID)
		return
	case !can:
		l.transferred(p, 501, "Not Implemented")
		return
	}
	go func() {
		if l.bring(p, carrier, line, told) {
			l.left(calls.CausePersonHungUp)
		}
	}()
}

// left says that the call is over, as far as people are concerned.
func (l *leg) left(why string) {
	select {
	case l.personGone <- why:
	default: // it was said
	}
}

func (l *leg) transferred(p wantedPerson, code int, phrase string) {
	l.caller.Came(p.TransferID)
	l.journal.add("transferred", calls.TransferLeg{TransferID: p.TransferID, Code: code, Phrase: phrase, At: l.when(time.Now())}.Decide)
}

// bring calls a person, and stays until they are gone, or the call is. It reports whether they talked and
// the person hung up.
func (l *leg) bring(p wantedPerson, carrier Carrier, line joining, told <-chan calls.Fact) bool {
	if l.tooLate(p) {
		return false
	}
	r := l.order.request
	r.SID, r.Target = uuid.NewString(), p.Target
	if p.Trunk != "" {
		r.Trunk, r.OurNumber = p.Trunk, numberOnly(r.OurNumber)
	}
	ctx, cancel := context.WithTimeout(l.d.writing, dialLimit)
	defer cancel()
	defer l.d.beside()()
	other, err := carrier.Dial(ctx, r)
	if err != nil {
		l.d.cfg.Log.Warn("a person could not be called", "call", r.CallID, "transfer", p.TransferID, "error", err)
		l.transferred(p, 503, "")
		return false
	}
	return l.withPerson(p, r.SID, line, other, told)
}

// tooLate reports whether the transfer of a person is over, who was wanted before anybody could be called onto the line. They are wanted
// no more then; where nobody can tell, they are.
func (l *leg) tooLate(p wantedPerson) bool {
	ctx, cancel := context.WithTimeout(l.d.writing, hangUpLimit)
	defer cancel()
	transfer, err := eventstore.Read(ctx, l.d.cfg.Store, transfers.Transfers, transfers.Stream(p.TransferID))
	if err != nil || !transfer.State.Final() {
		return false
	}
	l.transferred(p, 487, "")
	return true
}

// callsPeople is whose carrier calls people onto the calls of a provider: its own, if it has one.
func (d *Dialer) callsPeople(provider string) string {
	if d.carriers[provider] == nil {
		return calls.ProviderSIP
	}
	return provider
}

// numberOnly is a number of ours; empty for what else a call was brought by, as the name of a page's room.
func numberOnly(ours string) string {
	if _, problem := calls.NormalTarget("tel:" + ours); problem != "" {
		return ""
	}
	return ours
}

// calledPerson is a person whose leg is followed.
type calledPerson struct {
	wantedPerson
	l           *leg
	sid         string
	line        joining
	other       Leg
	established bool
	dialog      pace.Latest
	patience    *time.Timer
	told        chan bool   // tells that they know what the call is about; nil: they have not answered
	taken       <-chan bool // tells whether the other side has taken them over
	talks       bool
	hush        func() // ends what they are told
}

// withPerson follows the leg of a person: it rings, they are told what the call is about, and talk: here, or, where the other side
// takes them over, there. It reports whether they talked and hung up.
func (l *leg) withPerson(p wantedPerson, sid string, line joining, other Leg, referred <-chan calls.Fact) bool {
	c := &calledPerson{wantedPerson: p, l: l, sid: sid, line: line, other: other, patience: time.NewTimer(personPatience), hush: func() {}}
	defer func() {
		c.hush()
		c.patience.Stop()
		l.release(other, c.established)
	}()
	for {
		select {
		case f, open := <-other.Facts():
			switch {
			case !open, f.Kind == calls.FactHungUp, f.Kind == calls.FactLost:
				return c.hungUp(f)
			case f.Kind == calls.FactRejected:
				l.transferred(p, f.Code, f.Phrase)
				return false
			case f.Kind == calls.FactEstablished:
				c.answered(f)
			}
		case <-c.dialog.Turn():
			l.personIs(p, sid, c.dialog.Due(time.Now(), l.scaled(pace.Each)))
		case <-c.told:
			if c.taken = l.handOver(p, other, referred); c.taken == nil && !c.joins() {
				return false
			}
		case is := <-c.taken:
			if c.taken = nil; is || !c.joins() {
				return false
			}
		case <-c.patience.C:
			l.transferred(p, 487, "")
			return false
		case <-p.replaced:
			return false
		case <-l.ended:
			return false
		}
	}
}

// answered notes how they are spoken to now, and at first tells them what the call is about.
func (c *calledPerson) answered(f calls.Fact) {
	c.established = true
	c.patience.Stop()
	c.l.personIs(c.wantedPerson, c.sid, c.dialog.Take(f, c.l.scaled(pace.Each)))
	if c.told == nil {
		c.told = make(chan bool, 1)
		c.hush = c.l.tell(c.wantedPerson, c.other, c.told)
	}
}

// joins lets them talk with the call.
func (c *calledPerson) joins() bool {
	c.talks = c.l.join(c.wantedPerson, c.line, c.other)
	return c.talks
}

// hungUp is the end of their leg: it reports whether they talked, and says what became of the transfer where they never did.
func (c *calledPerson) hungUp(f calls.Fact) bool {
	switch {
	case c.talks:
		return !c.gone()
	case c.taken != nil && <-c.taken: // so we were hung up
		return false
	case f.Kind == calls.FactHungUp: // they have heard what it is about, and do not want it
		c.l.transferred(c.wantedPerson, 603, "")
	default:
		c.l.transferred(c.wantedPerson, 503, "")
	}
	return false
}

// release hangs up the leg of a person. One that is on the line goes with the call, where that goes on at another
// node, which takes over both.
func (l *leg) release(other Leg, established bool) {
	if line, can := other.(abandoned); can && established && l.goesOn() {
		line.Abandon()
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.d.writing), hangUpLimit)
	defer cancel()
	if err := other.HangUp(ctx); err != nil {
		l.d.cfg.Log.Warn("a person could not be hung up", "call", l.order.request.CallID, "error", err)
	}
}

// goesOn reports whether the call is another node's by now.
func (l *leg) goesOn() bool {
	select {
	case <-l.journal.taken:
		return true
	default:
	}
	select {
	case <-l.ended:
		return l.letGone
	default:
		return false
	}
}

// personIs notes how the leg of a person is spoken to.
func (l *leg) personIs(p wantedPerson, sid string, f *calls.Fact) {
	if f == nil || f.Dialog == nil {
		return
	}
	l.journal.add("person-established", calls.EstablishPerson{TransferID: p.TransferID, SID: sid, Dialog: *f.Dialog,
		At: l.when(f.At)}.Decide)
}

// tell says to the person what the call is about, and tells when that is said.
func (l *leg) tell(p wantedPerson, other Leg, told chan<- bool) (cancel func()) {
	if p.Summary == "" {
		told <- true
		return func() {}
	}
	ctx, cancel := context.WithTimeout(l.d.writing, personPatience)
	go func() {
		if err := other.Say(ctx, p.Summary, l.order.takes.Language); err != nil {
			l.d.cfg.Log.Warn("a person was not told what a call is about", "call", l.order.request.CallID, "error", err)
		}
		told <- true
	}()
	return cancel
}

// join lets the two talk. A message that is being left is over by that.
func (l *leg) join(p wantedPerson, line joining, other Leg) bool {
	l.message.Load().personIsThere()
	if err := line.Join(other); err != nil {
		l.d.cfg.Log.Warn("the sound of two legs could not be joined", "call", l.order.request.CallID, "error", err)
		l.transferred(p, 500, "")
		return false
	}
	l.transferred(p, 200, "OK")
	return true
}

// rejoin goes on with the leg of a person whom the node before had on the line. One that cannot be gone on
// with is hung up, as far as that can be done.
func (l *leg) rejoin(ctx context.Context, carrier Adopter, s calls.State) {
	q, there := s.PersonQuery()
	if there && s.FreedPerson() != "" { // the node before may not have come to it
		go l.d.cutPerson(l.d.writing, l.order.request.CallID, s.Provider, q)
		return
	}
	line, can := l.line.(joining)
	if !there || !can {
		return
	}
	p, r := wantedPerson{PersonCalled: *s.Person}, l.order.request
	r.SID, r.Target = q.SID, p.Target
	other, status, err := carrier.Adopt(ctx, r, q)
	if other == nil {
		l.d.cfg.Log.Info("the leg of a person could not be taken over", "call", r.CallID, "transfer", p.TransferID, "status", status,
			"error", err)
		return
	}
	p = l.inPlace(p)
	p.Summary = "" // they know
	leave := l.d.beside()
	go func() {
		defer leave()
		if l.withPerson(p, r.SID, line, other, nil) {
			l.left(calls.CausePersonHungUp)
		}
	}()
}
