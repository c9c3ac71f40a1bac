package channels

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
)

// drafter shows a message while it is still being written.
type drafter interface {
	// Drafts is how that is done at an address; false: there it is not.
	Drafts(to string) (how channels.Drafts, shows bool)
	// Draft shows one as far as it has come, in the place of what was shown of it before. Taken has the
	// provider's id, if it is to be kept.
	Draft(ctx context.Context, c channels.Connection, d channels.Draft) channels.Outcome
}

// withdrawer is a drafter that can take away what it has shown. It may fail, and nobody minds.
type withdrawer interface {
	Withdraw(ctx context.Context, c channels.Connection, d channels.Draft)
}

const (
	draftWithin = 3 * time.Second // the end of an answer waits for one that is on its way
	mostDrafts  = 200             // turns of which a node shows what is being said; the others say it at once
)

// drafting shows what a turn's model says, in the conversation. It is of the process that makes the calls
// of the turn: whoever takes the turn over says the whole of it.
type drafting struct {
	*giving
	by      drafter
	how     channels.Drafts
	session string // the stream
	turn    int
	heard   *driving.Hearing
	account channels.Connection

	call, text string // the answer that is on its way, as far as it has come

	mu    sync.Mutex // held while something is on its way to the provider
	whole string     // the call whose answer is whole: nothing more is shown of it
	of    string     // the call that is shown
	after string     // what was said in the session before it
	draft threads.Draft
	since time.Time
	shown string
	count int
	over  bool
}

// drafts begins to hear what a turn's model says, before it does; nil: nobody is to see that.
func (g *giving) drafts(session string, turn int) *drafting {
	adapter, _ := g.Adapters(g.message.Kind)
	by, is := adapter.(drafter)
	if !is || turn == 0 {
		return nil
	}
	how, shows := by.Drafts(g.message.ReplyTo)
	if !shows {
		return nil
	}
	select {
	case g.drafting <- struct{}{}:
	default:
		return nil
	}
	d := &drafting{giving: g, by: by, how: how, session: session, turn: turn, heard: g.Turns.Hear(session)}
	d.heard.Whole(d.rest)
	return d
}

// rest waits for what is on its way to the provider: what is said now takes its place, and must come
// behind it.
func (d *drafting) rest(call string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.whole = call
}

// until shows what is said until the calls of the turn are made.
func (d *drafting) until(ctx context.Context, done <-chan struct{}) {
	if d == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	go func() {
		defer func() { <-d.drafting }()
		defer d.heard.Stop()
		var due <-chan time.Time
		for {
			select {
			case <-d.heard.C():
				if d.hear(d.heard.Take()); due == nil {
					due = time.After(d.how.Every)
				}
			case <-due:
				due = nil
				if pause, again := d.show(ctx); again {
					due = time.After(max(pause, d.how.Every))
				}
			case <-done:
				d.end(ctx)
				return
			}
		}
	}()
}

func (d *drafting) hear(deltas []driving.Delta) {
	for _, said := range deltas {
		if said.CallID != d.call {
			d.call, d.text = said.CallID, ""
		}
		d.text += said.Text
	}
}

// show shows the answer as far as it has come. again: later there is more to show, also if nothing more is
// said.
func (d *drafting) show(ctx context.Context) (pause time.Duration, again bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text := d.part()
	if d.over || d.call == d.whole || text == "" || text == d.shown && d.call == d.of {
		return 0, false
	}
	account := d.message.TenantID + "/" + d.message.ConnectionID
	if d.how.Shared {
		if pause := d.pace.take(account, d.Turns.Now(), d.how.Every); pause > 0 {
			return pause, true
		}
	}
	ctx, cancel := context.WithTimeout(ctx, draftWithin)
	defer cancel()
	begun, err := d.begin(ctx)
	if err != nil {
		acts.Logger(ctx).Warn("what is being said cannot be shown", "stream", d.stream, "error", err)
	}
	if !begun {
		return 0, err == nil
	}
	if d.how.For > 0 && d.Turns.Now().Sub(d.since) > d.how.For {
		d.over = true
		return 0, false
	}
	first := d.draft.ID == ""
	d.count++
	out := d.by.Draft(ctx, d.account, channels.Draft{Shown: d.draft.Shown, To: d.draft.To, Text: text, Number: d.count})
	switch {
	case out.Status == channels.Taken:
		if d.how.Kept && first {
			d.draft.ID = out.ProviderMessageID
			cmd := threads.ShowDraft{Reply: d.draft.Reply, ProviderMessageID: out.ProviderMessageID, At: d.Turns.Now()}
			_, err := acts.Execute(ctx, d.Turns.Log, d.giving.by.Further(), threads.Threads, d.stream, cmd.Decide)
			d.over = err != nil
		}
		if d.how.Blank && first {
			return 0, true
		}
		d.shown = text
	case out.Status == channels.NotTaken && !out.Denied:
		if d.how.Shared {
			d.pace.rest(account, d.Turns.Now().Add(out.RetryAfter))
		}
		return out.RetryAfter, true
	default: // the whole of it is said in any case
		d.over = true
	}
	return 0, false
}

// part is what is shown of the answer: what goes into one message.
func (d *drafting) part() string {
	adapter, _ := d.Adapters(d.message.Kind)
	text := strings.TrimSpace(d.text)
	if limits := limitsAt(adapter, d.message.ReplyTo); limits.Problem(text) != "" {
		return limits.Split(text)[0]
	}
	return text
}

// begin has a draft for the answer that is on its way: the one that there is, if nothing was said since it
// began, else another one. false: not yet.
func (d *drafting) begin(ctx context.Context) (bool, error) {
	if d.draft.Reply != 0 && d.of == d.call {
		return true, nil
	}
	talk, err := eventstore.Read(ctx, d.Turns.Store, sessions.Sessions, d.session)
	if err != nil {
		return false, fmt.Errorf("folding %s: %w", d.session, err)
	}
	if d.draft.Reply != 0 && talk.State.LastSaid == d.after {
		d.of = d.call
		return true, nil
	}
	cmd := threads.BeginDraft{SessionID: talk.State.ID, Turn: d.turn, After: talk.State.LastSaid, At: d.Turns.Now()}
	if d.account.ID == "" {
		if d.account, err = d.Connections.WithID(ctx, d.message.TenantID, d.message.ConnectionID); err != nil {
			return false, err
		}
	}
	if d.account.Inactive {
		d.over = true
		return false, nil
	}
	begun, err := d.claim(ctx, cmd)
	if err != nil || begun.Reply == 0 {
		return false, err
	}
	d.draft = threads.Draft{Reply: begun.Reply, To: begun.To, Shown: channels.Shown{Reference: begun.Reference}}
	d.of, d.after, d.shown, d.count, d.since = d.call, cmd.After, "", 0, cmd.At
	return true, nil
}

// claim has the thread know of a draft that stays until the reply is there; another one is nobody's to
// remember.
func (d *drafting) claim(ctx context.Context, cmd threads.BeginDraft) (out threads.DraftBegun, err error) {
	if d.how.Kept {
		res, err := acts.Execute(ctx, d.Turns.Log, d.giving.by.Further(), threads.Threads, d.stream, cmd.Decide)
		out, _ = eventstore.Find[threads.DraftBegun](res)
		return out, err
	}
	read, err := eventstore.Read(ctx, d.Turns.Store, threads.Threads, d.stream)
	if err != nil {
		return out, err
	}
	if all, err := cmd.Decide(read.State); err == nil && len(all) == 1 {
		out, _ = all[0].(threads.DraftBegun)
	}
	return out, err
}

// end lets go of what has become no reply, and takes away what was shown of it.
func (d *drafting) end(ctx context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.draft.Reply == 0 || !d.how.Kept {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, showWithin)
	defer cancel()
	talk, err := eventstore.Read(ctx, d.Turns.Store, sessions.Sessions, d.session)
	goesOn := talk.State.Talk.Running != nil && talk.State.Talk.Turns == d.turn
	if err != nil || goesOn || talk.State.LastSaid != d.after {
		return
	}
	cmd := threads.DropDraft{Reply: d.draft.Reply, At: d.Turns.Now()}
	res, err := acts.Execute(ctx, d.Turns.Log, d.giving.by.Further(), threads.Threads, d.stream, cmd.Decide)
	_, dropped := eventstore.Find[threads.DraftDropped](res)
	if by, can := d.by.(withdrawer); can && dropped && err == nil && d.draft.ID != "" {
		by.Withdraw(ctx, d.account, channels.Draft{Shown: d.draft.Shown, To: d.draft.To})
	}
}
