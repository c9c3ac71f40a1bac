package channels

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/rest"
)

// Answerer is a Receiver whose provider wants what the agent says in the response. Implementations
// pass adapters/channels/channelstest.
type Answerer interface {
	Receiver
	// Patience is how long the agent may take, before its provider is told to wait.
	Patience() time.Duration
	// Answer is the response: the same for the same request and reply.
	Answer(c channels.Connection, r channels.Request, reply channels.Reply) channels.Answer
}

// Talks takes what is said in conversations whose other side waits for the answer, and waits with it.
// Sessions answer as they do everywhere: what is said goes by the conversation's stream, on whichever
// node, and so does the answer.
type Talks struct {
	Threads
	Follow func(stream string) (news <-chan struct{}, stop func(), err error) // nil: what others write is looked for
}

const lookAgain = time.Second // at a conversation of which no news come

// Hear takes entries, and gives what is said to the last of them when its turn is over, or, with all that is
// there, when that takes too long: the next request has the rest. Entries that come again have the answer
// that they had. When ctx ends they are taken all the same, and what is said to them waits.
func (x Talks) Hear(ctx context.Context, c channels.Connection, entries []channels.Entry, patience time.Duration) (channels.Reply, error) {
	stream, number, out := "", 0, channels.Reply{State: channels.GoesOn}
	taking, came, said := context.WithoutCancel(ctx), x.Now(), false
	for _, e := range entries {
		stream = threads.Stream(x.MAC, c.TenantID, c.ID, e.Thread)
		by := x.by(ctx, c, eventstore.CauseID("channel", c.ID, "entry/"+e.ExternalID))
		if e.Says == channels.Leaves {
			leave := threads.Leave{At: x.Now()}
			if _, err := acts.Execute(taking, x.Log, by, threads.Threads, stream, leave.Decide); err != nil {
				return out, err
			}
			number, out.State = 0, channels.Ended
			continue
		}
		before, err := x.cameBefore(taking, c, stream, e)
		if err != nil {
			return out, err
		}
		if before > 0 {
			number = before
			continue
		}
		cmd := x.received(c, e)
		cmd.Asked = true
		res, err := acts.Execute(taking, x.Log, by, threads.Threads, stream, cmd.Decide)
		if err != nil {
			return out, err
		}
		if got, is := eventstore.Find[threads.Received](res); is {
			number = got.Number
		}
		if said = e.Says == channels.Words; said {
			x.Counts.Received(c.Kind)
		}
	}
	if number == 0 { // nothing that says anything to us
		return out, nil
	}
	out, err := x.reply(ctx, c, stream, number, patience)
	if err == nil && said && out.State != channels.Working {
		x.Counts.Answered(c.Kind, x.Now().Sub(came))
	}
	return out, err
}

// cameBefore is the number of the message that an entry is again, where its provider gives it no id: it was the same a
// moment ago. 0: it was not.
func (x Talks) cameBefore(ctx context.Context, c channels.Connection, stream string, e channels.Entry) (number int, err error) {
	for _, id := range e.Earlier {
		if number, err = x.came(ctx, c, stream, id); err != nil || number > 0 {
			return number, err
		}
	}
	return 0, nil
}

// came is the number of the message with an id; 0: none has come.
func (x Talks) came(ctx context.Context, c channels.Connection, stream, id string) (number int, err error) {
	by := x.by(ctx, c, eventstore.CauseID("channel", c.ID, "entry/"+id))
	res, err := acts.Earlier(ctx, x.Log, by, threads.Threads, stream)
	got, _ := eventstore.Find[threads.Received](res)
	return got.Number, err
}

// More waits until there is more to say behind a message than what was told: what nobody has heard yet, or another way in
// which the conversation goes on; where the agent is just speaking, for two seconds, so that it is said in one. It is over
// when another request of it has come since, which has that, and when the person has left. next is the request that is to
// have it: where that has come before, the same is said again at once.
func (x Talks) More(ctx context.Context, c channels.Connection, behind, next channels.Entry, told channels.ReplyState) error {
	stream := threads.Stream(x.MAC, c.TenantID, c.ID, behind.Thread)
	number, err := x.came(ctx, c, stream, next.ExternalID)
	if err != nil || number > 0 {
		return err
	}
	if number, err = x.came(ctx, c, stream, behind.ExternalID); err != nil {
		return err
	}
	news, stop, err := x.follow(stream)
	if err != nil {
		return err
	}
	defer stop()
	var late <-chan struct{} // nil: there is no more to say yet
	s, err := x.stands(ctx, stream)
	for ; err == nil; s, err = x.awaited(ctx, stream, news, late) {
		switch more := s.TellsMore(told); {
		case s.HasLeft(), s.Received > number:
			return errOver
		case !more:
			late = nil
		case !s.Speaks():
			return nil
		case late == nil:
			within, cancel := context.WithTimeout(ctx, overlap)
			defer cancel()
			late = within.Done()
		default:
			select {
			case <-late:
				return ctx.Err()
			default:
			}
		}
	}
	return err
}

// follow tells of what is new in a conversation, until stop; nil: nobody tells, it is looked for.
func (x Talks) follow(stream string) (news <-chan struct{}, stop func(), err error) {
	if x.Follow == nil {
		return nil, func() {}, nil
	}
	return x.Follow(stream)
}

func (x Talks) reply(ctx context.Context, c channels.Connection, stream string, number int, patience time.Duration) (
	out channels.Reply, err error) {
	news, stop, err := x.follow(stream)
	if err != nil {
		return out, err
	}
	defer stop()
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := x.stands(ctx, stream)
	for ; err == nil; s, err = x.awaited(ctx, stream, news, within.Done()) {
		reply, answered := s.AnswerTo(number)
		if now := within.Err() != nil; !answered && s.Answers(number, now) {
			if err := ctx.Err(); err != nil { // nobody would hear it
				return out, err
			}
			cmd := threads.Answer{Number: number, Now: now, At: x.Now()} // what is begun is known to whoever has it said
			res, err := acts.Execute(context.WithoutCancel(ctx), x.Log, x.by(ctx, c, ""), threads.Threads, stream, cmd.Decide)
			if err != nil {
				return out, err
			}
			reply, answered = res.State.AnswerTo(number)
		}
		if answered {
			return reply, nil
		}
	}
	return out, err
}

// Unused refuses a conversation in which something was said already: two calls under one id would hear each other's answers. Who
// begins one again before that has not heard that it was begun.
func (x Talks) Unused(ctx context.Context, c channels.Connection, conversation string) error {
	s, err := x.stands(ctx, threads.Stream(x.MAC, c.TenantID, c.ID, conversation))
	if err == nil && s.Received > 0 {
		err = fault.New(fault.Conflict, "the conversation has begun already")
	}
	return err
}

// hearer is Talks.
type hearer interface {
	Open(ctx context.Context, c channels.Connection, conversation string) (line string, err error)
	Speak(ctx context.Context, c channels.Connection, conversation, line string, say func(channels.Reply) error) error
	Unused(ctx context.Context, c channels.Connection, conversation string) error
	Hear(ctx context.Context, c channels.Connection, entries []channels.Entry, patience time.Duration) (channels.Reply, error)
	More(ctx context.Context, c channels.Connection, behind, next channels.Entry, told channels.ReplyState) error
}

// answer is the response to a request whose provider waits for what the agent says.
func (x Webhooks) answer(ctx context.Context, by Answerer, c channels.Connection, r channels.Request, got channels.Received) (
	*webhookOut, error) {
	answer := got.Answer
	switch {
	case c.Inactive:
		x.Counts.Refused(c.Kind, connected.Inactive)
		answer = by.Answer(c, r, channels.Reply{State: channels.Unanswered, Code: threads.CodeInactive})
	case got.Opens != "":
		if err := x.Talks.Unused(ctx, c, got.Opens); err != nil {
			return nil, err
		}
	case len(got.Entries) > 0:
		rest.LongAnswerOf(ctx).MayTakeLong()
		reply, err := x.Talks.Hear(ctx, c, got.Entries, by.Patience())
		if err != nil {
			return nil, err
		}
		answer = by.Answer(c, r, reply)
	case answer.Body == nil:
		answer = by.Answer(c, r, channels.Reply{State: channels.GoesOn})
	}
	return &webhookOut{ContentType: answer.ContentType, CacheControl: "no-store", Body: answer.Body}, nil
}
