package driving

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"github.com/parley-platform/parley/handlers/acts"
	"strings"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
)

// CalledBack is an answer as it came in.
type CalledBack struct {
	ID        string
	Body      []byte
	Signature string // sha256=<hex of the HMAC of the body>; looked at where the tool says SIGN_WITH
}

// CallBack takes an answer, and goes on with the turn that waits for it. The stream of the
// session decides who was first: an answer, the end of its time, a cancel, a reset or the end of the
// session. processed is false for an answer that came before.
func (t *Turns) CallBack(ctx context.Context, by acts.Caller, in CalledBack) (processed bool, err error) {
	session, call, ok := t.CallbackOf(in.ID)
	if !ok {
		return false, unknownCallback()
	}
	stream := sessions.Sessions.Stream(session)
	leave, err := t.answers.Enter(ctx, stream, by.Tenant) // else they would make each other decide again and again
	if err != nil {
		return false, err
	}
	defer leave()
	for range 2 { // once more where another was faster
		told, err := eventstore.Read(ctx, t.Store, sessions.Sessions, stream)
		if err != nil {
			return false, err
		}
		open := told.State.Talk.Running.Call(call)
		if open == nil {
			return false, t.past(ctx, stream, call, in)
		}
		programs, err := t.verified(ctx, told.State, *open, in)
		if err != nil {
			return false, err
		}
		by.Tenant = told.Tenant
		now := t.Now()
		if late := told.State.Talk.Suspended(); late != nil && late.CallID == call && !now.Before(late.ExpiresAt) {
			// it may be taken by another node at this moment: the stream says so, which is asked as the timer asks it
			if _, err := t.GoOn(ctx, by, stream, now); err != nil {
				return false, err
			}
			continue
		}
		ended, err := in.outcome()
		if err != nil {
			return false, err
		}
		try, first := t.Try(), false
		decide := turns.Outcome{CallID: call, Ended: ended, Programs: programs, At: now, Try: try}.Decide
		_, err = t.resume(ctx, by, stream, func(s sessions.State) ([]event.Payload, error) {
			events, err := decide(s)
			first = len(events) > 0
			return events, err
		}, try)
		if err != nil || first {
			return first, err
		}
	}
	return false, nil
}

// verified are the session's programs, if the answer is signed as the tool wants it.
func (t *Turns) verified(ctx context.Context, s sessions.State, of sessions.CallOpened, in CalledBack) (turns.Programs, error) {
	programs, err := t.Programs.Of(ctx, s.TenantID, s.ProjectID, s.Talk.Manifest)
	if err != nil {
		return nil, err
	}
	tool := (*dsl.Tool)(nil)
	if p := programs[of.Agent]; p != nil {
		tool = p.Tool(of.Tool)
	}
	if tool == nil || tool.SignWith == "" {
		return programs, nil
	}
	secrets, err := t.Secrets.Open(ctx, s.TenantID, s.ProjectID, s.Talk.Environment, of.Tool, []string{tool.SignWith})
	if missing := (*acts.SecretMissing)(nil); errors.As(err, &missing) {
		return nil, fault.New(fault.Unavailable, "the secret that signs the answers of this tool is not there any more, or has expired")
	}
	if err != nil {
		return nil, err
	}
	hash := hmac.New(sha256.New, []byte(secrets[tool.SignWith]))
	hash.Write(in.Body)
	given, err := hex.DecodeString(strings.TrimPrefix(in.Signature, "sha256="))
	if err != nil || !strings.HasPrefix(in.Signature, "sha256=") || !hmac.Equal(given, hash.Sum(nil)) {
		return nil, fault.New(fault.Unauthorized,
			"x-callback-signature must be sha256=<hex of the HMAC-SHA256 of the body> under the secret that the tool names")
	}
	return programs, nil
}

// past is the answer to who comes when nothing waits any more: nil if there was an answer before.
func (t *Turns) past(ctx context.Context, stream, call string, in CalledBack) error {
	told, err := eventstore.Recent(ctx, t.Store, sessions.Sessions, stream, eventstore.BackTo(func(p event.Payload) bool {
		opened, is := p.(sessions.CallOpened)
		return is && opened.CallID == call
	}))
	if err != nil {
		return err
	}
	var of sessions.CallOpened
	answered := false
	for _, e := range told.Events {
		switch e := e.Payload.(type) {
		case sessions.CallOpened:
			if e.CallID == call {
				of = e
			}
		case sessions.CallEnded:
			answered = answered || e.CallID == call && e.Later
		}
	}
	if !of.Later {
		return unknownCallback()
	}
	if _, err := t.verified(ctx, told.State, of, in); err != nil || answered {
		return err
	}
	return goneCallback()
}

func unknownCallback() error { return fault.New(fault.NotFound, "there is no such callback") }

func goneCallback() error {
	return fault.New(fault.Gone,
		"nothing waits for this answer any more: it came too late, the turn was cancelled, or the session has ended or was reset")
}

// outcome is what an answer means for the turn. One that is too large is told to the agent as a failure.
func (in CalledBack) outcome() (sessions.CallEnded, error) {
	var compact bytes.Buffer
	if len(in.Body) == 0 {
		return sessions.CallEnded{}, fault.New(fault.BadRequest, "the body is empty: it must be JSON, which the agent is given")
	}
	if json.Compact(&compact, in.Body) != nil {
		return sessions.CallEnded{}, fault.New(fault.BadRequest, "the body must be JSON, which the agent is given")
	}
	if compact.Len() > sessions.LargestResult {
		return sessions.CallEnded{Outcome: sessions.CallFailed, Code: sessions.CodeTooLarge, Later: true}, nil
	}
	return sessions.CallEnded{Outcome: sessions.CallOK, Result: compact.Bytes(), Later: true}, nil
}
