package runtime

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
)

const (
	eventStreamFormat = "text/event-stream"
	chatHeartbeat     = 15 * time.Second
	chatPatience      = 10 * time.Second // with a reader that takes nothing
)

// serve runs the answer beside the connection, which this goroutine alone writes to. It
// returns when the answer is recorded, also when the caller left before.
func (a *completing) serve(ctx context.Context, w http.ResponseWriter) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &chatWriter{w: w, control: http.NewResponseController(w)}
	out.open()
	if a.again != nil {
		a.repeat(out)
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
			out.piece(p)
			beat.Reset(cmp.Or(a.Heartbeat, chatHeartbeat))
		case <-beat.C:
			out.write([]byte(": heartbeat\n\n"))
		case err := <-ended:
			out.end(ctx, err, a.again)
			return
		}
		if out.failed != nil {
			cancel() // nobody reads: what was produced until now is counted
		}
	}
}

// repeat tells an answer that was kept, in one delta of each kind.
func (a *completing) repeat(out *chatWriter) {
	x := a.again
	out.event("metadata", metadata{x.Model, x.Provider, "replay"})
	if x.Content != "" {
		out.piece(completions.Piece{Kind: completions.TextDelta, Text: x.Content})
	}
	for _, c := range x.ToolCalls {
		call := completions.ToolCall(c)
		for _, kind := range []completions.Kind{completions.ToolStarted, completions.ToolArguments, completions.ToolEnded} {
			out.piece(completions.Piece{Kind: kind, Call: call})
		}
	}
	out.end(context.Background(), nil, x)
}

// chatWriter writes events, until one cannot be written.
type chatWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	failed  error
}

type metadata struct {
	ModelID  string `json:"modelId"`
	Provider string `json:"provider"`
	Source   string `json:"source"`
}

func (o *chatWriter) open() {
	h := o.w.Header()
	h.Set("Content-Type", eventStreamFormat)
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	h.Set("Connection", "close") // its deadlines are not those of a next request
	o.write([]byte(": begun\n\n"))
}

func (o *chatWriter) piece(p completions.Piece) {
	type called struct {
		ID        string  `json:"id"`
		Name      string  `json:"name,omitempty"`
		Arguments *string `json:"arguments,omitempty"`
	}
	switch p.Kind {
	case completions.Begun:
		o.event("metadata", metadata{p.Chosen.ModelID, p.Chosen.Provider, p.Chosen.Source})
	case completions.TextDelta:
		o.event("text_delta", map[string]string{"delta": p.Text})
	case completions.ToolStarted:
		o.event("tool_call_start", called{ID: p.Call.ID, Name: p.Call.Name})
	case completions.ToolArguments:
		o.event("tool_call_delta", called{ID: p.Call.ID, Arguments: &p.Call.Arguments})
	case completions.ToolEnded:
		o.event("tool_call_end", called{p.Call.ID, p.Call.Name, &p.Call.Arguments})
	}
}

// end writes the last event: an answer that could not be recorded is an error.
func (o *chatWriter) end(ctx context.Context, err error, x *answerShown) {
	if err != nil {
		o.event("error", map[string]string{"error": shownError(ctx, err)})
		return
	}
	o.event("usage", map[string]int64{"inputTokens": x.Usage.InputTokens, "outputTokens": x.Usage.OutputTokens})
	o.event("complete", struct {
		shownUsage
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

func (o *chatWriter) event(name string, data any) {
	var b bytes.Buffer
	b.WriteString("event: " + name + "\ndata: ")
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(data); err != nil { // never: texts and numbers
		o.failed = err
		return
	}
	b.WriteString("\n")
	o.write(b.Bytes())
}

func (o *chatWriter) write(data []byte) {
	if o.failed != nil {
		return
	}
	_ = o.control.SetWriteDeadline(time.Now().Add(chatPatience))
	if _, o.failed = o.w.Write(data); o.failed == nil {
		o.failed = o.control.Flush()
	}
}
