// Package pace is how often what a peer does on a call becomes an event: as often as people do it, and no more. It owns what
// waits for its turn meanwhile, and knows no call.
package pace

import (
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

const (
	atOnce = 10 // times that a peer may cause an event, one right behind the other

	// Each is the time between those behind these.
	Each = 2 * time.Second
)

// pace bounds how often a peer can cause an event of one kind. each is Each, or a part of it on a call that goes faster.
type pace struct {
	free time.Time // when all that may come at once may
}

// due is when the next one may be.
func (p pace) due(now time.Time, each time.Duration) time.Time {
	if at := p.free.Add(-(atOnce - 1) * each); at.After(now) {
		return at
	}
	return now
}

// count is of one that is.
func (p *pace) count(now time.Time, each time.Duration) {
	if p.free.Before(now) {
		p.free = now
	}
	p.free = p.free.Add(each)
}

// Latest is what a peer says of itself, of which the last counts: what comes too often is told in its turn, as it is then.
type Latest struct {
	pace pace
	owed *calls.Fact
	at   time.Time // when that is told
}

// Take gives a fact that may be told at once, or notes it.
func (l *Latest) Take(f calls.Fact, each time.Duration) *calls.Fact {
	l.owed, l.at = &f, l.pace.due(f.At, each)
	return l.Due(f.At, each)
}

// Due gives what waited, when it is its turn; nil: nothing has.
func (l *Latest) Due(now time.Time, each time.Duration) *calls.Fact {
	if l.owed == nil || l.at.After(now) {
		return nil
	}
	l.pace.count(now, each)
	return l.Rest()
}

// At is when Due gives something; zero: nothing waits.
func (l *Latest) At() time.Time {
	if l.owed == nil {
		return time.Time{}
	}
	return l.at
}

// Turn comes at that time.
func (l *Latest) Turn() <-chan time.Time {
	if l.owed == nil {
		return nil
	}
	return time.After(time.Until(l.at))
}

// Rest gives what waits, whether or not it is its turn.
func (l *Latest) Rest() *calls.Fact {
	f := l.owed
	l.owed = nil
	return f
}

// Keypad gathers the keys that are pressed to messages. Those that would be events too often are one, with a # between them.
type Keypad struct {
	pace pace
	keys string    // of messages that wait for their turn, and of one that is being pressed
	open int       // how many of them are of that
	at   time.Time // when they are taken as they are
	lost int
}

// Press takes a key in: they are a message up to a #, a pause, or as many as are taken. now says that they are to be taken, and first
// that more were pressed than anybody can, and the rest is left out.
func (k *Keypad) Press(key string, at time.Time, pause, each time.Duration) (now, first bool) {
	ends, follows := key == "#" && k.open > 0, k.keys != "" && k.open == 0
	more := key
	switch {
	case ends:
		more = ""
	case follows:
		more = "#" + key
	}
	if len(k.keys)+len(more) > calls.MostDigits {
		k.lost++
		return false, k.lost == 1
	}
	k.keys += more
	k.open++
	turn := k.pace.due(at, each)
	if ends || key == "#" || len(k.keys) == calls.MostDigits {
		k.open, k.at = 0, turn
	} else if k.at = at.Add(pause); turn.After(k.at) {
		k.at = turn
	}
	return !k.at.After(at), false
}

// At is when what was pressed is taken as it is; zero: nothing was.
func (k *Keypad) At() time.Time {
	if k.keys == "" {
		return time.Time{}
	}
	return k.at
}

// Take gives the keys of a message.
func (k *Keypad) Take(now time.Time, each time.Duration) (keys string) {
	keys = k.keys
	if keys != "" {
		k.pace.count(now, each)
	}
	k.keys, k.open = "", 0
	return keys
}
