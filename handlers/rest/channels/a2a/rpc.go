package a2a

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	protocol "github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
)

type rpcIn struct {
	ConnectionID string `path:"connectionId" doc:"A connection's id."`
	Version      string `header:"A2A-Version" maxLength:"32" doc:"Of the protocol: 0.3 unless said." example:"1.0"`

	queried string
}

// Resolve reads the version from the query too, for who cannot set a header. The document has it once:
// generators make one name of both.
func (in *rpcIn) Resolve(ctx huma.Context) []error {
	in.queried = ctx.Query("A2A-Version")
	return nil
}

// asked is a request of the protocol, however it came.
type asked struct {
	version protocol.Version
	method  protocol.Method
	params  json.RawMessage
}

// rpc answers a request of JSON-RPC.
func (x API) rpc(ctx context.Context, in *rpcIn) (*huma.StreamResponse, error) {
	named := in.Version
	if named == "" {
		named = in.queried
	}
	v, refusal := protocol.VersionOf(named)
	if refusal != nil && named[0] > '0' {
		v = protocol.V1 // who names a later one reads errors as these have them
	}
	request, malformed := protocol.ReadRequest(rest.RawBody(ctx))
	if refusal == nil || request.ID == nil {
		refusal = cmp.Or(malformed, refusal)
	}
	if request.Bare {
		key, _ := rest.Idempotency(ctx)
		request = request.Named(x.NewID(ctx, "message "+hex.EncodeToString(key.Hash)).String())
	}
	a := asked{version: v, method: protocol.SendMessage, params: request.Params}
	if refusal == nil && !request.Bare {
		a.method, refusal = v.Method(request.Method)
	}
	form := rpcForm{v, request.ID}
	if refusal != nil {
		return form.whole(nil, refusal), nil
	}
	return x.do(ctx, a, form), nil
}

// do answers a request: at once, or as a stream.
func (x API) do(ctx context.Context, a asked, form rpcForm) *huma.StreamResponse {
	switch a.method {
	case protocol.Stream:
		sending, ref, err := x.send(ctx, a)
		if err != nil {
			return form.whole(nil, x.refusal(ctx, err))
		}
		return x.stream(ctx, ref, sending.History, form)
	case protocol.Subscribe:
		ref, history, err := x.subscribed(ctx, a)
		if err != nil {
			return form.whole(nil, x.refusal(ctx, err))
		}
		return x.stream(ctx, ref, history, form)
	}
	result, err := x.result(ctx, a)
	if err != nil {
		return form.whole(nil, x.refusal(ctx, err))
	}
	return form.whole(result, nil)
}

func (x API) result(ctx context.Context, a asked) (any, error) {
	switch a.method {
	case protocol.SendMessage:
		return x.say(ctx, a)
	case protocol.GetTask:
		return x.get(ctx, a)
	case protocol.ListTasks:
		return x.list(ctx, a)
	case protocol.CancelTask:
		return x.cancel(ctx, a)
	case protocol.SetPush:
		return x.setPush(ctx, a)
	case protocol.GetPush:
		return x.getPush(ctx, a)
	case protocol.ListPushes:
		return x.listPushes(ctx, a)
	case protocol.DeletePush:
		return x.deletePush(ctx, a)
	}
	return nil, protocol.Refuse(protocol.NoExtendedCard, "the agent says no more of itself than its public card does")
}

// rpcForm is how requests are answered by JSON-RPC.
type rpcForm struct {
	version protocol.Version
	id      json.RawMessage
}

func (f rpcForm) event(result any) any { return protocol.Result(f.id, result) }

func (f rpcForm) fault(e *protocol.Error) any { return f.version.Refused(f.id, e) }

// whole is a response that is no stream.
func (f rpcForm) whole(result any, refusal *protocol.Error) *huma.StreamResponse {
	answer := f.event(result)
	if refusal != nil {
		answer = f.fault(refusal)
	}
	return rest.ByHand(func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		_ = rest.MarshalPlainly(w, answer) // who does not read it is gone
	})
}

// refusal is an error as the protocol says it.
func (x API) refusal(ctx context.Context, err error) *protocol.Error {
	if own := (*protocol.Error)(nil); errors.As(err, &own) {
		return own
	}
	f := (*fault.Error)(nil)
	if !errors.As(err, &f) {
		f = fault.New(fault.Internal, "an unexpected failure").Because(err)
		rest.Logger(ctx).Error("a request of another agent failed", "requestId", rest.CorrelationID(ctx), "error", err)
	}
	out := protocol.Refuse(protocol.InternalError, "%s", f.Message)
	out.Reason, out.After = string(f.Code), f.Retry.Milliseconds()
	switch f.Code {
	case fault.NotFound:
		out.Code, out.Reason = protocol.TaskNotFound, ""
	case fault.Validation:
		out.Code, out.Reason = protocol.InvalidParams, ""
		if len(f.Details) > 0 {
			out.Field = f.Details[0].Field
		}
	}
	return out
}
