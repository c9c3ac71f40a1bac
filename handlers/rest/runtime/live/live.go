// Package live tells what goes on in a session while it goes on, for doors that stay open: what
// stands on its log, once and in order, on whichever node; and what its models are about to say, on
// the node that asks them. It decides nothing, and shows nothing by itself.
package live

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/engine"
)

// Source is where it is known from.
type Source struct {
	Turns  *driving.Turns
	Follow func(stream string) (*engine.Follower, error)
	Index  index
	Keys   eventstore.Keys
}

// index reads streams from where somebody is.
type index interface {
	After(ctx context.Context, stream string, version int64, most int) ([]*eventstore.Record, error)
}

const (
	page      = 100         // events that are read at once
	lookAgain = time.Second // at what could not be read
	answers   = 64          // that are remembered, so that nothing of them is told any more
)

// Listener is who is told. Beside runs what it is given beside whoever asked, as sockets do.
type Listener struct {
	Beside func(do func())
	News   func(driving.News) error // told once without anything, when all was told that there was at the beginning
	Failed func(error)              // nothing is told any more: an error of News, or of what is told
}

// telling is one who is told. Nobody waits for him: while nothing happens he has no goroutine.
type telling struct {
	Source
	Listener
	ctx    context.Context
	stream string
	at     int64 // version of the last event that was told
	long   rest.LongAnswer
	heard  *driving.Hearing

	mu    sync.Mutex
	busy  bool // he is being told
	due   bool // and there is more
	look  bool // on the log
	over  bool
	again *time.Timer // at what could not be read; nil: all could

	begun    bool
	kept     []driving.Delta // until the log can be read
	asked    map[string]bool // calls of models whose question was told
	answered []string        // those whose answer was
}

// Tell tells what comes behind a version, until stop is called, or something failed. Deltas are of answers that are not
// on the log yet; what led to their question was told before.
func (s Source) Tell(ctx context.Context, stream string, from int64, to Listener) (stop func(), err error) {
	news, err := s.Follow(stream)
	if err != nil {
		return nil, err
	}
	t := &telling{Source: s, Listener: to, ctx: ctx, stream: stream, at: from, long: rest.LongAnswerOf(ctx).Apart(),
		heard: s.Turns.Hear(stream)}
	news.Calls(func(int64) { t.wake(true) })
	t.heard.Calls(func() { t.wake(false) })
	t.wake(true)
	return func() {
		t.end()
		news.Stop()
		t.heard.Stop()
	}, nil
}

// wake has him told what is new, after what he is being told.
func (t *telling) wake(look bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.due, t.look = true, t.look || look
	if !t.busy && !t.over {
		t.busy = true
		t.Beside(t.tellAll)
	}
}

// next is whether there is something, and whether that is on the log.
func (t *telling) next() (look, due bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || !t.due {
		t.busy = false
		return false, false
	}
	look, t.due, t.look = t.look, false, false
	return look, true
}

// later has the log looked at again in a while, or with whatever comes before: nothing else is told until it can be read.
func (t *telling) later() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.look = true; t.again == nil {
		t.again = time.AfterFunc(lookAgain, func() { t.wake(true) })
		return
	}
	t.again.Reset(lookAgain)
}

func (t *telling) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over = true; t.again != nil {
		t.again.Stop()
	}
}

func (t *telling) tellAll() {
	for {
		look, due := t.next()
		if !due {
			return
		}
		if err := t.tell(look); err != nil {
			t.end()
			t.Failed(err)
			return
		}
	}
}

// tell tells what there is now. What cannot be read is looked at again.
func (t *telling) tell(look bool) error {
	deltas := append(t.kept, t.heard.Take()...)
	t.kept = nil
	if look || t.asksAnew(deltas) {
		read, err := t.events()
		if err != nil {
			return err
		}
		if !read {
			t.kept = deltas
			t.later()
			return nil
		}
	}
	if !t.begun {
		t.begun = true
		if err := t.News(driving.News{}); err != nil {
			return err
		}
	}
	return t.deltas(deltas)
}

// asksAnew is whether deltas answer a question that was not told. A model is asked when its question
// can be read, so what is read now has it.
func (t *telling) asksAnew(deltas []driving.Delta) (anew bool) {
	for _, d := range deltas {
		if !t.asked[d.CallID] && !slices.Contains(t.answered, d.CallID) {
			if anew = true; t.asked == nil {
				t.asked = map[string]bool{}
			}
			t.asked[d.CallID] = true
		}
	}
	return anew
}

// events tells what is new on the log; false: it could not be read to its end. While the read models
// catch up there is nothing.
func (t *telling) events() (read bool, err error) {
	for {
		t.long.Look()
		records, err := t.Index.After(t.ctx, t.stream, t.at, page)
		if err != nil || t.long.Holds(t.ctx) != nil || eventstore.Open(t.ctx, t.Keys, sessions.Sessions.Category, records...) != nil {
			return false, nil
		}
		var news driving.News
		for _, r := range records {
			p, err := sessions.Sessions.Decode(r.Type, r.Data)
			if err != nil {
				return false, err
			}
			t.note(p)
			news.Events = append(news.Events, eventstore.Recorded{Record: r, Payload: p})
		}
		if len(news.Events) > 0 {
			t.at = news.Events[len(news.Events)-1].Version
			if err := t.News(news); err != nil {
				return false, err
			}
		}
		if len(records) < page {
			return true, nil
		}
	}
}

// note keeps which answers are on the log.
func (t *telling) note(p any) {
	if a, is := p.(sessions.ModelAnswered); is {
		delete(t.asked, a.CallID)
		t.answered = append(t.answered, a.CallID)
		t.answered = t.answered[max(0, len(t.answered)-answers):]
	}
}

func (t *telling) deltas(deltas []driving.Delta) error {
	deltas = slices.DeleteFunc(deltas, func(d driving.Delta) bool { return slices.Contains(t.answered, d.CallID) })
	if len(deltas) == 0 {
		return nil
	}
	return t.News(driving.News{Deltas: deltas})
}
