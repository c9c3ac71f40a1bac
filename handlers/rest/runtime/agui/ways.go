package agui

import (
	"cmp"
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	"github.com/parley-platform/parley/handlers/sockets"
)

// begun is a run whose message is on the log.
type begun struct {
	within context.Context // of its request
	over   error           // why that was none
	done   func()
	sent   runtime.Sent
	run    *run
}

// begin puts the message of a run on the log. What is wrong with it is a request all the same, and counts as one.
func (x API) begin(ctx context.Context, in RunAgentInput, wrong error) (b begun, err error) {
	m, before, err := in.message(rest.PrincipalOf(ctx).SessionID)
	wrong = cmp.Or(wrong, err)
	var asked rest.Asked
	if wrong == nil {
		asked = m.Asked("runId", in.RunID)
	}
	b.within, b.done, b.over = rest.LongAnswerOf(ctx).Request(ctx, asked)
	if err = cmp.Or(b.over, wrong); err == nil {
		b.sent, err = x.Chat.Send(b.within, m)
	}
	if err != nil {
		b.done()
		return b, err
	}
	b.run = &run{thread: in.ThreadID, id: in.RunID, before: before}
	return b, nil
}

// tell tells a run to its end.
func (b begun) tell(send func(fields) error, beat func()) {
	defer b.done()
	b.run.send = send
	b.run.begin()
	action, state, err := b.sent.Tell(b.within, func(news driving.News) error {
		if len(news.Events) == 0 && len(news.Deltas) == 0 {
			beat()
		}
		return b.run.tell(news)
	})
	switch {
	case b.run.fail != nil: // nobody reads, and the turn goes on
	case err != nil:
		b.run.failed(shownError(b.within, err))
	default:
		b.run.finish(action, state)
	}
}

// post answers a run by Server-Sent Events.
func (x API) post(ctx context.Context, in RunAgentInput) (*huma.StreamResponse, error) {
	b, err := x.begin(ctx, in, nil)
	if err != nil {
		return nil, err
	}
	return rest.ByHand(func(w http.ResponseWriter) {
		rest.LongAnswerOf(ctx).MayTakeLong()
		out := runtime.OpenEvents(w)
		defer out.Close()
		b.tell(func(event fields) error { return out.Tell(event) }, out.Beat)
	}), nil
}

// mostWaiting is how many runs of a socket may wait for the one before them.
const mostWaiting = 10

var form = rest.FormOf[RunAgentInput]()

// wanted is a run that is asked for on a socket, or why what came is none.
type wanted struct {
	in    RunAgentInput
	wrong error
}

// serve runs one after the other what comes on a socket. What is none is told in its place: within another run it would say
// that this one has failed. So is not that too many wait, which ends the socket.
func (x API) serve(ctx context.Context, s *sockets.Socket) {
	waiting := sockets.Inbox[wanted]{Most: mostWaiting, Deal: func(ctx context.Context, w wanted) { x.run(ctx, s, w) }}
	for {
		data, err := s.ReadText()
		if err != nil {
			return
		}
		in, err := form.Read(data)
		switch {
		case err != nil:
		case in.Type == "cancel":
			x.cancel(ctx, s)
			continue
		case in.Type != "" && in.Type != "run":
			err = fault.Field("type", "must be run or cancel")
		}
		if !waiting.Put(ctx, s, wanted{in, err}) {
			s.Close(sockets.Refused, "too many runs wait")
			return
		}
	}
}

func (x API) run(ctx context.Context, s *sockets.Socket, w wanted) {
	send := func(event fields) error {
		if err := s.SendJSON(event); err != nil {
			return err
		}
		return s.Drained(ctx)
	}
	b, err := x.begin(ctx, w.in, w.wrong)
	if err != nil {
		(&run{send: send}).failed(shownError(ctx, err))
		s.Gone(b.over)
		return
	}
	b.tell(send, func() {}) // sockets have signs of life of their own
}

// cancel ends the turn that runs; where none does there is nothing to be said.
func (x API) cancel(ctx context.Context, s *sockets.Socket) {
	within, done, err := rest.LongAnswerOf(ctx).Request(ctx, rest.Asked{})
	defer done()
	if s.Gone(err) {
		return
	}
	if err == nil {
		err = x.Chat.Cancel(within, rest.PrincipalOf(ctx).SessionID)
	}
	if err != nil && !fault.Is(err, fault.Conflict) {
		rest.Logger(ctx).Warn("a run was not cancelled", "requestId", rest.CorrelationID(within), "error", err)
	}
}
