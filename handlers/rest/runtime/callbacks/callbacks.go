// Package callbacks has the operation by which the answer to a call of a tool comes later, from
// outside.
//
// It never decides which answer counts: the stream of the session does.
package callbacks

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

// API is what the operation needs.
type API struct {
	rest.Commands
	Turns *driving.Turns
}

// Declare adds it.
func Declare(api *rest.API, x API) {
	rest.Declare(api, rest.Operation{
		ID: "answer-callback", Method: http.MethodPost, Path: acts.CallbackPath + "{callbackId}", Tags: []string{"Callbacks"},
		Summary: "Answer a call of a tool that waits for it",
		Description: "The id is given to whoever is called, as `callback.id` and `callback.url`, and opens this callback alone. The " +
			"first answer counts, and is given to the agent; the session goes on at once. A repeat is answered with " +
			"`already_processed`. When nothing waits any more (the time of the tool is over, the session has ended or was reset) it is " +
			"410. After 503 it is safe to try again.",
		Requirement: access.Public, Unkeyed: true, // its id is its key
		Refusals: []fault.Code{fault.Unauthorized, fault.NotFound, fault.Gone, fault.NotExecuted, fault.OutcomeUnknown, fault.Unavailable},
	}, x.answer)
}

type answerIn struct {
	CallbackID string            `path:"callbackId" maxLength:"128"`
	Signature  string            `header:"x-callback-signature" maxLength:"128" doc:"sha256=<hex>: the HMAC-SHA256 of the body under the secret that SIGN_WITH of the tool names; of tools that have one it is required."`
	Body       jsontext.Anything `required:"true" doc:"Any JSON, which the agent is given as the tool's result."`
}

type answerOut struct {
	Body struct {
		OK     bool   `json:"ok"`
		Status string `json:"status" enum:"processed,already_processed"`
	}
}

func (x API) answer(ctx context.Context, in *answerIn) (*answerOut, error) {
	by := x.Caller(ctx)
	by.Actor = "callback"
	processed, err := x.Turns.CallBack(ctx, by, driving.CalledBack{ID: in.CallbackID, Body: rest.RawBody(ctx), Signature: in.Signature})
	if err != nil {
		return nil, err
	}
	out := &answerOut{}
	out.Body.OK, out.Body.Status = true, "already_processed"
	if processed {
		out.Body.Status = "processed"
	}
	return out, nil
}
