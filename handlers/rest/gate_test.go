package rest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

// The gate may close while a request is under way. What was read since then may be
// part of the truth, so neither a refusal nor a list that rests on it is answered.
func TestARequestThatTheGateOvertookIsAnsweredByTheGate(t *testing.T) {
	shut := fault.New(fault.CatchingUp, "behind").After(time.Second)
	for name, c := range map[string]struct {
		answer error // of the handler, while the gate closes
		code   fault.Code
	}{
		"a resource that may be there":        {fault.New(fault.NotFound, "no such thing"), fault.CatchingUp},
		"a setup that may be there":           {fault.Field("trunk", "is not a trunk of the account"), fault.CatchingUp},
		"a query that broke":                  {errors.New("relation does not exist"), fault.CatchingUp},
		"a list":                              {nil, fault.CatchingUp},
		"what the log says stands":            {fault.New(fault.OutcomeUnknown, "it may yet land"), fault.OutcomeUnknown},
		"what was said of the log stands too": {fault.New(fault.NotExecuted, "it was not sent"), fault.NotExecuted},
		"a command that could not read":       {fault.New(fault.NotExecuted, "not read").Because(eventstore.ErrUnread), fault.CatchingUp},
	} {
		t.Run(name, func(t *testing.T) {
			var gate error
			w := resttest.NewWorld(t, func(cfg *rest.Config) { cfg.Gate = func() error { return gate } })
			rest.Declare(w.Api, rest.Operation{ID: "read", Method: http.MethodGet, Path: "/things", Summary: "Read", Requirement: access.Public},
				func(context.Context, *struct{}) (*resttest.Text, error) {
					gate = shut
					return &resttest.Text{Body: "part of the things"}, c.answer
				})
			a := w.Call("GET", "/things", "")
			require.Equal(t, http.StatusServiceUnavailable, a.Status, a.Text)
			require.Equal(t, c.code, a.Code())
		})
	}
}

// A command that could not read what it decides on is told what a query is told. What
// became of its change on the log is another matter, though the same network failed.
func TestACommandWithoutReadModelsIsCatchingUp(t *testing.T) {
	gone := errors.New("connection refused")
	for name, c := range map[string]struct {
		cause error
		code  fault.Code
	}{
		"the read models are away":         {fmt.Errorf("loading a-1: %w: %w", eventstore.ErrUnread, gone), fault.CatchingUp},
		"the read models have other ideas": {fmt.Errorf("loading a-1: %w: %w", eventstore.ErrUnread, errors.New("boom")), fault.NotExecuted},
		"the log is away":                  {gone, fault.NotExecuted},
	} {
		t.Run(name, func(t *testing.T) {
			w := resttest.NewWorld(t, func(cfg *rest.Config) { cfg.Away = func(err error) bool { return errors.Is(err, gone) } })
			rest.Declare(w.Api, rest.Operation{ID: "do", Method: http.MethodPost, Path: "/deeds", Summary: "Do", Requirement: access.Public},
				func(context.Context, *struct{}) (*resttest.Text, error) {
					return nil, fault.New(fault.NotExecuted, "not done").After(time.Second).Because(c.cause)
				})
			a := w.Call("POST", "/deeds", "")
			require.Equal(t, http.StatusServiceUnavailable, a.Status, a.Text)
			require.Equal(t, c.code, a.Code())
			require.Equal(t, "1", a.Header.Get("Retry-After"))
		})
	}
}

func TestReadModelsOutOfReachAreCatchingUp(t *testing.T) {
	gone := errors.New("connection refused")
	w := resttest.NewWorld(t, func(cfg *rest.Config) { cfg.Away = func(err error) bool { return errors.Is(err, gone) } })

	w.Down = gone
	a := w.Call("GET", "/sessions", "", "x-api-key", resttest.FullKey)
	require.Equal(t, http.StatusServiceUnavailable, a.Status, a.Text)
	require.Equal(t, fault.CatchingUp, a.Code())
	require.Equal(t, "1", a.Header.Get("Retry-After"))
	require.NotContains(t, a.Text, "refused")

	w.Down = fmt.Errorf("reading an API key: %w", context.DeadlineExceeded) // nobody says no, nobody answers
	a = w.Call("GET", "/sessions", "", "x-api-key", resttest.FullKey)
	require.Equal(t, http.StatusServiceUnavailable, a.Status, a.Text)
	require.Equal(t, fault.CatchingUp, a.Code())

	w.Down = errors.New("another failure")
	require.Equal(t, http.StatusInternalServerError, w.Call("GET", "/sessions", "", "x-api-key", resttest.FullKey).Status)
}

// A command whose effect is on the log keeps its answer: the caller would repeat it.
func TestACommandThatWasDoneKeepsItsAnswer(t *testing.T) {
	var gate error
	w := resttest.NewWorld(t, func(cfg *rest.Config) { cfg.Gate = func() error { return gate } })
	rest.Declare(w.Api, rest.Operation{ID: "do", Method: http.MethodPost, Path: "/deeds", Summary: "Do", Requirement: access.Public},
		func(context.Context, *struct{}) (*resttest.Text, error) {
			gate = fault.New(fault.CatchingUp, "behind")
			return &resttest.Text{Body: "done"}, nil
		})
	require.Equal(t, http.StatusOK, w.Call("POST", "/deeds", "").Status)
}
