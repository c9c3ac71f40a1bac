package voice

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
)

// Recordings is where what is said on calls is kept while they run, and as long as nobody has taken it.
type Recordings interface {
	// Begin records a call. broke is told once if that ends before the call does.
	Begin(tenantID, callID string, broke func(error)) (Tape, error)
	// Left are those of a process that is gone.
	Left() []LeftTape
}

// Tape is what is said on one call.
type Tape interface {
	// Write takes a frame of both sides. It never waits.
	Write(heard, said []int16)
	// Keep makes the recording durable, and tells of it; zero: there is nothing in it.
	Keep(ctx context.Context) (calls.Taped, error)
	// Done removes what is of no more use: all but what is kept, or that as well.
	Done(ctx context.Context, kept bool) error
}

// LeftTape is a tape whose process is gone.
type LeftTape struct {
	TenantID, CallID string
	Tape
}

const (
	noSound    = "the carrier has no sound"
	noTapes    = "this node records nothing"
	nodeLost   = "the node that recorded it is lost; what it has of it is stored when it is back"
	keepWithin = 5 * time.Minute

	keepAgainEvery = time.Minute
)

// record begins to record a call whose flow asks for it. A call that cannot be recorded goes on, and says so.
func (l *leg) record() {
	if !l.order.recorded {
		return
	}
	gaveUp := func(why string) {
		l.journal.add("recording-failed", calls.GiveUpRecording{Reason: why, At: l.when(time.Now())}.Decide)
	}
	switch {
	case l.adopted: // a second part would be taken for the whole
		gaveUp(nodeLost)
		return
	case l.sound == nil:
		gaveUp(noSound)
		return
	case l.d.cfg.Recordings == nil:
		gaveUp(noTapes)
		return
	}
	begun, err := l.d.cfg.Recordings.Begin(l.order.request.TenantID, l.order.request.CallID, func(err error) {
		l.d.cfg.Log.Error("a call is not recorded any more", "call", l.order.request.CallID, "error", err)
		gaveUp(err.Error())
	})
	if err != nil {
		l.d.cfg.Log.Error("a call is not recorded", "call", l.order.request.CallID, "error", err)
		gaveUp(err.Error())
		return
	}
	l.tape = begun
	l.sound.recordTo(begun.Write)
}

// measured tells how the call sounded, when its end is told.
func (l *leg) measured() {
	if l.sound == nil {
		return
	}
	l.sound.recordTo(nil)
	l.journal.add("measured", calls.Measure{Sounded: l.sound.sounded(), At: l.when(time.Now())}.Decide)
}

// keepTape keeps the recording of a call that is over, and of which all else is recorded.
func (l *leg) keepTape() {
	if l.tape == nil {
		return
	}
	ctx, cancel := context.WithTimeout(l.d.writing, keepWithin)
	defer cancel()
	l.d.keep(ctx, l.order.request.CallID, l.tape, l.letGone)
}

// keep has a recording stand on its call's stream. What is not taken there is removed; what could not
// be kept now is tried again, and is not over. part: the call goes on elsewhere.
func (d *Dialer) keep(ctx context.Context, callID string, of Tape, part bool) (over bool) {
	again := func(problem string, err error) {
		d.cfg.Log.Error(problem+"; it is tried again in a while, and at the next start", "call", callID, "error", err)
		d.keepLater(func(ctx context.Context) bool { return d.keep(ctx, callID, of, part) })
	}
	kept, err := of.Keep(ctx)
	kept.CutOff = kept.CutOff || part
	if err != nil {
		again("the recording of a call could not be stored", err)
		return false
	}
	taken := false
	if kept.Blob != "" {
		err = acts.Persist(ctx, func() error {
			res, err := d.execute(ctx, callID, "recorded", calls.KeepRecording{Taped: kept, At: d.cfg.Now()}.Decide)
			taken = err == nil && res.State.Recording.Blob == kept.Blob
			return err
		})
		if err != nil && !fault.Is(err, fault.Gone) && !fault.Is(err, fault.Conflict) {
			again("a recording could not be told of", err)
			return false
		}
	}
	if err := of.Done(ctx, taken); err != nil {
		d.cfg.Log.Warn("what is left of a recording could not be removed", "call", callID, "error", err)
	}
	return true
}

// unkept is what was said on a call and could not be kept: its storage was full, or away. It is tried again until it is over.
// What could not be kept once more is here again by then.
type unkept func(ctx context.Context) (over bool)

func (d *Dialer) keepLater(what unkept) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unkept = append(d.unkept, what)
}

// KeepLeft keeps the recordings of the process before this one, which did not come to do so, and, until ctx ends, what could not be
// kept of this one's calls when it was said.
func (d *Dialer) KeepLeft(ctx context.Context) {
	if d.cfg.Recordings != nil {
		for _, left := range d.cfg.Recordings.Left() {
			if ctx.Err() != nil {
				return
			}
			d.keep(ctx, left.CallID, left.Tape, false)
		}
	}
	again := time.NewTicker(keepAgainEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		d.mu.Lock()
		waiting := d.unkept
		d.unkept = nil
		d.mu.Unlock()
		for i, one := range waiting {
			if !one.again(ctx) { // the others would find the same storage: they are first the next time
				d.mu.Lock()
				d.unkept = append(waiting[i+1:], d.unkept...)
				d.mu.Unlock()
				break
			}
		}
	}
}

func (one unkept) again(ctx context.Context) (over bool) {
	ctx, cancel := context.WithTimeout(ctx, keepWithin)
	defer cancel()
	return one(ctx)
}
