package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
)

// Completing is one request to a model.
type Completing struct {
	CompletionsAPI
	figures  completions.Figures // what is known before it
	request  completions.Request
	models   Models
	keyed    bool // the answer is kept
	streamed bool
	answer   completions.Answer
	again    *AnswerShown // the answer of an earlier request, and in the end that of this one
}

// Begin refuses what can be refused before a model is asked for the project at hand, and finds
// the answer that an earlier request with the same key got. A session may be empty.
func (x CompletionsAPI) Begin(ctx context.Context, session string, request completions.Request) (*Completing, error) {
	what := "completion"
	if who := rest.PrincipalOf(ctx); who.Kind == access.SDKCredential {
		if session = cmp.Or(session, who.SessionID); session != who.SessionID {
			return nil, unknownSession()
		}
		what += " of " + session // what another page was answered under the same key is not for this one
	}
	if err := rest.PrincipalOf(ctx).MayChat(); err != nil {
		return nil, err
	}
	a, project := &Completing{CompletionsAPI: x, request: request}, rest.ProjectOf(ctx)
	_, a.keyed = rest.Idempotency(ctx)
	a.figures = completions.Figures{CompletionID: x.NewID(ctx, what).String(), TenantID: project.TenantID, ProjectID: project.ID,
		SessionID: session}
	if err := a.find(ctx); err != nil || a.again != nil {
		return a, err
	}
	var limits projectsettings.Limits
	var err error
	if a.models, limits, err = x.ModelsHere(ctx); err != nil {
		return nil, err
	}
	if err := a.models.Check(a.request); err != nil {
		return nil, err
	}
	if err := x.Budgets.Room(ctx, project.TenantID, project.ID); err != nil {
		return nil, err
	}
	return a, rest.CountMessage(ctx, session, limits.MessagesPerMinute)
}

// ModelsHere are those that the project at hand may ask, and its limits. Where there is no
// project at hand, they are those of all of the account's.
func (x CompletionsAPI) ModelsHere(ctx context.Context) (Models, projectsettings.Limits, error) {
	tenant, project := rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID
	held, err := x.Settings.Held(ctx, tenant, project, "")
	if err != nil {
		return nil, held.Limits, err
	}
	here, err := x.Models.Of(ctx, tenant, project, held.Models)
	return here, held.Limits, err
}

// ID is that of the completion.
func (a *Completing) ID() string { return a.figures.CompletionID }

// Whole is the answer, when it is there and recorded.
func (a *Completing) Whole(ctx context.Context) (*AnswerShown, error) {
	if a.again == nil {
		rest.LongAnswerOf(ctx).MayTakeLong()
		if err := a.run(ctx, func(completions.Piece) error { return nil }); err != nil {
			return nil, err
		}
	}
	return a.again, nil
}

// find looks for an answer that was kept. The same key with another body is refused here.
func (a *Completing) find(ctx context.Context) error {
	done, is, err := rest.Repeated(ctx, a.Commands, completions.Completions, completions.Completions.Stream(a.figures.CompletionID))
	if err != nil || !is {
		return err
	}
	return a.load(ctx, done.State)
}

// load reads a kept answer.
func (a *Completing) load(ctx context.Context, s completions.State) error {
	switch {
	case s.KeptTill.IsZero(): // it never was kept
		return forgotten()
	case !a.Now().Before(s.KeptTill):
		return fault.New(fault.Gone, "the answer to this Idempotency-Key was kept for seven days and is gone; ask with another key")
	case s.Blob == "":
		return forgotten()
	}
	file, err := a.Answers.Open(ctx, s.Blob)
	if fault.Is(err, fault.NotFound) { // the file goes before it is said that it went
		return forgotten()
	}
	if err != nil {
		return fmt.Errorf("reading a kept answer: %w", err)
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(file)
	if err != nil {
		return fmt.Errorf("reading a kept answer: %w", err)
	}
	var shown AnswerShown
	if err := json.Unmarshal(content, &shown); err != nil {
		return fmt.Errorf("reading a kept answer: %w", err)
	}
	a.again = &shown
	return nil
}

func forgotten() error {
	return fault.New(fault.Gone, "the answer to this Idempotency-Key is gone with whoever it was for; ask with another key")
}

// run has a model answer, and records what it took before it returns, also when nobody waits
// any more.
func (a *Completing) run(ctx context.Context, emit func(completions.Piece) error) error {
	begin := time.Now()
	finish, err := a.models.Complete(ctx, a.request, func(p completions.Piece) error {
		a.answer.Take(p)
		return emit(p)
	})
	took := time.Since(begin).Milliseconds()
	if err != nil || finish.Usage.Estimated {
		finish.Usage = a.answer.Estimate(a.request).Told(finish.Usage)
	}
	if err != nil {
		finish.Chosen = a.answer.Chosen
	}
	f := a.figures.Counted(finish)
	f.LatencyMs, f.Streamed = took, a.streamed
	behind := context.WithoutCancel(ctx)
	if err != nil {
		return a.fail(behind, f, err, ctx.Err() != nil)
	}
	return a.finish(behind, f, finish)
}

// fail records an answer that is not whole: the same key may ask again.
func (a *Completing) fail(ctx context.Context, f completions.Figures, cause error, left bool) error {
	if left {
		a.count(ctx, f, completions.Left)
		return fault.New(fault.Unavailable, "the answer was given up").Because(cause)
	}
	a.count(ctx, f, completions.Refused)
	return cause
}

// count records what was taken by an answer that is none to the request's key, on a stream of its own.
func (a *Completing) count(ctx context.Context, f completions.Figures, reason string) {
	f.CompletionID = uuid.NewString()
	cmd, by := completions.Fail{Figures: f, Reason: reason, At: a.Now()}, a.Caller(ctx)
	by.RequestID = ""
	if _, err := acts.Create(ctx, a.Log, by, completions.Completions, completions.Completions.Stream(f.CompletionID),
		cmd.Decide); err != nil {
		rest.Logger(ctx).Error("a completion that failed could not be recorded", "completion", f.CompletionID, "error", err)
	}
}

// finish records a whole answer, and keeps it if its request may be repeated.
func (a *Completing) finish(ctx context.Context, f completions.Figures, finish completions.Finish) error {
	shown := shownAnswer(f, a.answer.Text(), a.answer.Calls(), finish.Reason)
	cmd := completions.Record{Figures: f, FinishReason: finish.Reason, At: a.Now()}
	keeps, err := a.keeps(ctx)
	if err != nil {
		a.count(ctx, f, completions.Unkept)
		return err
	}
	if keeps {
		content, err := json.Marshal(shown)
		if err != nil {
			return fmt.Errorf("keeping an answer: %w", err)
		}
		if cmd.Blob, err = a.Answers.Put(ctx, completions.Folder(f.TenantID, f.CompletionID), "application/json", content); err != nil {
			a.count(ctx, f, completions.Unkept)
			return fault.New(fault.Unavailable, "the answer came and cannot be kept for its Idempotency-Key at the moment").Because(err)
		}
	}
	res, err := rest.Create(ctx, a.Commands, completions.Completions, completions.Completions.Stream(f.CompletionID), cmd.Decide)
	if err == nil {
		a.again = &shown
	}
	if lost := fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotExecuted) || err == nil && res.Replayed; lost && cmd.Blob != "" {
		a.leave(ctx, f.CompletionID, cmd.Blob)
		if res.State.Blob != cmd.Blob { // else it is this one, whose first try was recorded after all
			a.count(ctx, f, completions.Unkept)
		}
	}
	if err == nil && res.Replayed { // the same request at the same moment was faster
		return a.load(ctx, res.State)
	}
	return err
}

// keeps reports whether the answer is kept for who repeats the request. One that names a session whose customer was erased is not: a
// model takes longer than an erasure looks for what comes behind it.
func (a *Completing) keeps(ctx context.Context) (bool, error) {
	if !a.keyed || a.figures.SessionID == "" {
		return a.keyed, nil
	}
	of, err := eventstore.Read(ctx, a.Store, sessions.Sessions, sessions.Sessions.Stream(a.figures.SessionID))
	return of.Tenant != a.figures.TenantID || !of.State.Forgotten, err
}

// leave drops the file of an answer that was not recorded, unless it is the one that was: two answers that are the same to the letter
// have one name. What stays is a file that nothing names.
func (a *Completing) leave(ctx context.Context, id, blob string) {
	read, err := eventstore.Read(ctx, a.Store, completions.Completions, completions.Completions.Stream(id))
	if err == nil && read.State.Blob != blob {
		_ = a.Answers.Delete(ctx, blob)
	}
}

func shownAnswer(f completions.Figures, text string, calls []completions.ToolCall, reason string) AnswerShown {
	out := AnswerShown{Content: text, ToolCalls: rest.Shown(calls, func(c completions.ToolCall) ShownCall { return ShownCall(c) }),
		Model: f.ModelID, Provider: f.Provider, FinishReason: reason, LatencyMs: f.LatencyMs,
		Usage: ShownUsage{InputTokens: f.TokensIn, OutputTokens: f.TokensOut, TotalTokens: f.TokensIn + f.TokensOut}}
	if f.Cost != nil {
		cost := completions.Dollars(*f.Cost)
		out.Usage.EstimatedCost = &cost
	}
	return out
}
