package driving

import (
	"context"
	"errors"
	"github.com/parley-platform/parley/handlers/acts"
	"time"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
)

// ModelsOf is for whom models are asked: a project, by what its settings were when the deployment
// was made.
type ModelsOf struct {
	Tenant, Project string
	Deployment      string // empty: by what they are now
	Session, Agent  string // who asks; empty: nobody does yet
}

// Answerer are the models that a project may ask.
type Answerer interface {
	// Check refuses a request that no model is for.
	Check(completions.Request) error
	Complete(ctx context.Context, r completions.Request, emit func(completions.Piece) error) (completions.Finish, error)
}

// CanRun refuses what needs a model that this server has not; the first of the programs that does
// is named. Which models there are is asked once for all of them.
func (t *Turns) CanRun(ctx context.Context, of ModelsOf, programs ...*dsl.Program) (err error) {
	var models Answerer
	for _, p := range programs {
		if !p.NeedsModel() {
			continue
		}
		if models == nil && t.Models != nil {
			if models, err = t.Models(ctx, of); err != nil {
				return err
			}
		}
		if models == nil {
			return fault.New(fault.Unavailable, "the agent %s needs a model, which this server has not", p.Agent)
		}
		if what := lacking(models, p); what != "" {
			return fault.New(fault.Unavailable, "the agent %s needs %s, and by the project's settings and this server there is none", p.Agent, what)
		}
	}
	return nil
}

// lacking says what a program asks that no model is for; empty if there are models for all of it.
func lacking(models Answerer, p *dsl.Program) string {
	if models.Check(completions.Request{Tier: p.Model.Tier, ModelID: p.Model.ID}) != nil {
		switch {
		case p.Model.ID != "":
			return "the model " + p.Model.ID
		case p.Model.Tier != "":
			return "a model of the tier " + p.Model.Tier
		}
		return "a model"
	}
	if tier := p.Model.ExtractTier; tier != "" && p.Extracts() && models.Check(completions.Request{Tier: tier}) != nil {
		return "a model of the tier " + tier
	}
	return ""
}

// modelBroke is the code of what failed without one of its own.
const modelBroke = "UNAVAILABLE"

// ask asks a model, within the time that the agent gives it. say is told what it says; nil: nobody.
func (t *Turns) ask(ctx context.Context, of ModelsOf, q *turns.Question, say func(text string)) *sessions.ModelAnswered {
	if t.Models == nil {
		return &sessions.ModelAnswered{Failed: modelBroke}
	}
	ctx, cancel := context.WithTimeout(ctx, q.Timeout)
	defer cancel()
	if err := t.mayAsk(ctx, of); err != nil {
		nothing := int64(0)
		return &sessions.ModelAnswered{Failed: failedAs(ctx, err), CostPico: &nothing}
	}
	models, err := t.Models(ctx, of)
	if err != nil {
		return &sessions.ModelAnswered{Failed: failedAs(ctx, err)}
	}
	begin := time.Now()
	var a completions.Answer
	asked := q.Request
	if t.Files != nil {
		asked.Show = t.show
	}
	finish, err := models.Complete(ctx, asked, func(p completions.Piece) error {
		a.Take(p)
		if say != nil && p.Kind == completions.TextDelta {
			say(p.Text)
		}
		return nil
	})
	if err != nil {
		finish.Chosen = a.Chosen
	}
	if err != nil || finish.Usage.Estimated {
		finish.Usage = a.Estimate(q.Request).Told(finish.Usage)
	}
	f := completions.Figures{}.Counted(finish)
	out := &sessions.ModelAnswered{ModelID: f.ModelID, Provider: f.Provider, Model: f.Model, TokensIn: f.TokensIn, TokensOut: f.TokensOut,
		Estimated: f.Estimated, PriceVersion: f.PriceVersion, CostPico: f.Cost, TookMs: time.Since(begin).Milliseconds()}
	if err != nil {
		out.Failed = failedAs(ctx, err)
		return out
	}
	out.Text, out.Finish = a.Text(), finish.Reason
	for _, c := range a.Calls() {
		out.ToolCalls = append(out.ToolCalls, sessions.ModelCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return out
}

// countFor is for how long the log is asked to take a figure: the end of the process waits for it.
const countFor = 5 * time.Second

// count says what a model had taken whose answer nobody waits for any more, if one had begun: the
// log knows whether it was cut off, or was answered all the same.
func (d *drive) count(ctx context.Context, e *end) {
	if e.answer == nil || e.answer.ModelID == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countFor)
	defer cancel()
	cut := sessions.CountCut{CallID: e.asked, Took: *e.answer, At: d.Now()}
	if _, err := d.record(ctx, cut.Decide); err != nil {
		acts.Logger(ctx).Warn("what a model took that was cut off could not be counted", "stream", d.stream, "error", err)
	}
}

// mayAsk refuses a question for which the project has no money left.
func (t *Turns) mayAsk(ctx context.Context, of ModelsOf) error {
	if t.Budgets == nil {
		return nil
	}
	return t.Budgets.Room(ctx, of.Tenant, of.Project)
}

// failedAs is the code of what went wrong; nothing of it is in a provider's words.
func failedAs(ctx context.Context, err error) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return sessions.CodeTimeout
	}
	return string(fault.CodeOf(err))
}

// pictures is where what users give to sessions is kept.
type pictures interface {
	// Read gives what has a name, if it is no larger; fault.NotFound: it is not there.
	Read(ctx context.Context, name string, most int64) ([]byte, error)
}

// show reads a picture for the model that is asked. It may have been erased since its message.
func (t *Turns) show(ctx context.Context, p completions.Picture) ([]byte, error) {
	content, err := t.Files.Read(ctx, p.Blob, completions.LargestPicture)
	if err != nil && !fault.Is(err, fault.NotFound) {
		acts.Logger(ctx).Warn("a picture cannot be shown to a model", "attachment", p.AttachmentID, "error", err)
	}
	return content, err
}
