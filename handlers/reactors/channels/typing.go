package channels

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
)

// typer shows that somebody is about to answer. It may fail, and nobody minds.
type typer interface {
	Typing(ctx context.Context, c channels.Connection, to string)
}

// fader is a typer whose sign ends by itself, after so long: it is shown again while the turn runs.
type fader interface {
	TypingFor() time.Duration
}

const (
	showWithin = 5 * time.Second
	// mostTyping is how many people a node shows for longer that somebody is about to answer. The others
	// see it once.
	mostTyping = 200
)

// show shows the person that somebody is about to answer; nobody waits for that.
func (g *giving) show(ctx context.Context, session string, works bool) {
	adapter, ok := g.Adapters(g.message.Kind)
	types, shows := adapter.(typer)
	if !ok || !shows || !works {
		return
	}
	ctx = context.WithoutCancel(ctx)
	go func() {
		within, cancel := context.WithTimeout(ctx, showWithin)
		defer cancel()
		c, err := g.Connections.WithID(within, g.message.TenantID, g.message.ConnectionID)
		if err != nil || c.Inactive {
			return
		}
		types.Typing(within, c, g.message.ReplyTo)
		if fades, is := adapter.(fader); is {
			g.keepShowing(ctx, session, fades.TypingFor(), func(ctx context.Context) { types.Typing(ctx, c, g.message.ReplyTo) })
		}
	}()
}

// keepShowing shows it again before it ends, until there is a reply, or the turn has ended or waits. A
// node that has too many of them, or stops, lets it end.
func (g *giving) keepShowing(ctx context.Context, session string, lasts time.Duration, again func(context.Context)) {
	select {
	case g.typing <- struct{}{}:
		defer func() { <-g.typing }()
	default:
		return
	}
	for range turns.TurnFor / lasts {
		<-time.After(lasts - lasts/5)
		if !g.stillWorks(ctx, session) {
			return
		}
		within, cancel := context.WithTimeout(ctx, showWithin)
		again(within)
		cancel()
	}
}

// stillWorks is whether a turn runs, and nothing was said back since.
func (g *giving) stillWorks(ctx context.Context, session string) bool {
	ctx, cancel := context.WithTimeout(ctx, showWithin)
	defer cancel()
	thread, err := eventstore.Read(ctx, g.Turns.Store, threads.Threads, g.stream)
	if err != nil || thread.State.Queued != g.thread.Queued || thread.State.Draft.Reply != 0 { // a draft shows it better
		return false
	}
	talk, err := eventstore.Read(ctx, g.Turns.Store, sessions.Sessions, session)
	return err == nil && talk.State.Talk.Running != nil && talk.State.Talk.Suspended() == nil
}
