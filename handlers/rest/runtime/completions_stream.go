package runtime

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/eventstream"
)

const (
	chatHeartbeat = 15 * time.Second
	chatPatience  = 10 * time.Second // with a reader that takes nothing
)

// StreamForm is how the events of a stream tell an answer.
type StreamForm interface {
	Piece(to *EventWriter, p completions.Piece)
	// End tells how it ended: an answer that could not be recorded is an error, and is not told.
	End(ctx context.Context, to *EventWriter, err error, whole *AnswerShown)
}

// Stream is the answer as it is made, in a form.
func (a *Completing) Stream(ctx context.Context, form StreamForm) *huma.StreamResponse {
	a.streamed = true
	return rest.ByHand(func(w http.ResponseWriter) {
		long := rest.LongAnswerOf(ctx)
		long.MayTakeLong()
		running, cancel := context.WithCancel(ctx)
		defer cancel()
		defer long.EndsWithNode(cancel)()
		a.serve(running, w, form)
	})
}

// serve runs the answer beside the connection, which this goroutine alone writes to. It
// returns when the answer is recorded, also when the caller left before.
func (a *Completing) serve(ctx context.Context, w http.ResponseWriter, form StreamForm) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := OpenEvents(w)
	defer out.Close()
	if a.again != nil {
		a.repeat(ctx, out, form)
		return
	}
	pieces, ended := make(chan completions.Piece), make(chan error, 1)
	go func() {
		defer func() { // what happens here must not end the node
			if r := recover(); r != nil {
				rest.Logger(ctx).Error("a completion panicked", "panic", r)
				ended <- fault.New(fault.Internal, "an unexpected failure")
			}
		}()
		ended <- a.run(ctx, func(p completions.Piece) error {
			select {
			case pieces <- p:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	beat := time.NewTicker(cmp.Or(a.Heartbeat, chatHeartbeat))
	defer beat.Stop()
	for {
		select {
		case p := <-pieces:
			form.Piece(out, p)
			beat.Reset(cmp.Or(a.Heartbeat, chatHeartbeat))
		case <-beat.C:
			out.Beat()
		case err := <-ended:
			form.End(ctx, out, err, a.again)
			return
		}
		if out.failed != nil {
			cancel() // nobody reads: what was produced until now is counted
		}
	}
}

// repeat tells an answer that was kept, in one delta of each kind.
func (a *Completing) repeat(ctx context.Context, out *EventWriter, form StreamForm) {
	x := a.again
	form.Piece(out, completions.Piece{Kind: completions.Begun, Chosen: completions.Chosen{ModelID: x.Model, Provider: x.Provider,
		Source: "replay"}})
	if x.Content != "" {
		form.Piece(out, completions.Piece{Kind: completions.TextDelta, Text: x.Content})
	}
	for _, c := range x.ToolCalls {
		call := completions.ToolCall(c)
		for _, kind := range []completions.Kind{completions.ToolStarted, completions.ToolArguments, completions.ToolEnded} {
			form.Piece(out, completions.Piece{Kind: kind, Call: call})
		}
	}
	form.End(ctx, out, nil, x)
}

// EventWriter writes Server-Sent Events, until one cannot be written.
type EventWriter struct {
	to     *eventstream.Writer
	failed error
}

type metadata struct {
	ModelID  string `json:"modelId"`
	Provider string `json:"provider"`
	Source   string `json:"source"`
}

// answerStreams are those that are open in this process.
var answerStreams = prometheus.NewGauge(prometheus.GaugeOpts{Name: "parley_answer_streams",
	Help: "Turns and completions that are being told piece by piece, to who asked on this node."})

// OpenEvents begins a stream, which must be closed.
func OpenEvents(w http.ResponseWriter) *EventWriter {
	answerStreams.Inc()
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	o := &EventWriter{to: eventstream.Open(w, chatPatience)}
	o.write(func() error { return o.to.Remark("begun") })
	return o
}

// Close says that nothing more is told.
func (o *EventWriter) Close() { answerStreams.Dec() }

// namedEvents are the form of stream-chat.
type namedEvents struct{}

// Piece implements StreamForm.
func (namedEvents) Piece(o *EventWriter, p completions.Piece) {
	type called struct {
		ID        string  `json:"id"`
		Name      string  `json:"name,omitempty"`
		Arguments *string `json:"arguments,omitempty"`
	}
	switch p.Kind {
	case completions.Begun:
		o.Event("metadata", metadata{p.Chosen.ModelID, p.Chosen.Provider, p.Chosen.Source})
	case completions.TextDelta:
		o.Event("text_delta", map[string]string{"delta": p.Text})
	case completions.ToolStarted:
		o.Event("tool_call_start", called{ID: p.Call.ID, Name: p.Call.Name})
	case completions.ToolArguments:
		o.Event("tool_call_delta", called{ID: p.Call.ID, Arguments: &p.Call.Arguments})
	case completions.ToolEnded:
		o.Event("tool_call_end", called{p.Call.ID, p.Call.Name, &p.Call.Arguments})
	}
}

// End implements StreamForm.
func (namedEvents) End(ctx context.Context, o *EventWriter, err error, x *AnswerShown) {
	if err != nil {
		o.Event("error", map[string]string{"error": shownError(ctx, err)})
		return
	}
	o.Event("usage", map[string]int64{"inputTokens": x.Usage.InputTokens, "outputTokens": x.Usage.OutputTokens})
	o.Event("complete", struct {
		ShownUsage
		LatencyMs int64 `json:"latencyMs"`
	}{x.Usage, x.LatencyMs})
}

// shownError is an error in words that may be shown.
func shownError(ctx context.Context, err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		f = fault.New(fault.Internal, "an unexpected failure").Because(err)
	}
	rest.Logger(ctx).Warn("a completion failed", "requestId", rest.CorrelationID(ctx), "code", f.Code, "message", f.Message,
		"cause", f.Cause)
	return f.Message
}

// Event writes an event, whose name may be empty.
func (o *EventWriter) Event(name string, data any) {
	o.write(func() error { return o.to.Event(name, data) })
}

// Tell writes an event without a name, and says whether it could.
func (o *EventWriter) Tell(data any) error {
	o.Event("", data)
	return o.failed
}

// Beat is a sign of life.
func (o *EventWriter) Beat() { o.write(o.to.Beat) }

// Data writes an event without a name, whose data are a line of text.
func (o *EventWriter) Data(line string) { o.write(func() error { return o.to.Line(line) }) }

func (o *EventWriter) write(event func() error) {
	if o.failed == nil {
		o.failed = event()
	}
}
