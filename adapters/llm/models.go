package llm

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/sony/gobreaker/v2"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/projectsettings"
)

// Model is one that callers may choose.
type Model struct {
	ID       string // as callers name it
	Provider string // the name of its provider
	By       Provider
	Named    string // as its provider calls it
	Pricing  completions.Pricing
	Sees     bool // pictures

	breaker *gobreaker.TwoStepCircuitBreaker[struct{}]
}

// Models are those of a server, or of one of its projects. The zero value has none.
type Models struct {
	byID   map[string]*Model
	tiers  map[string][]*Model
	chosen projectsettings.Models // by the project
	pause  time.Duration          // before the first repetition
}

const (
	wholeAnswer  = 10 * time.Minute
	repetitions  = 2
	firstPause   = 250 * time.Millisecond
	longestPause = 10 * time.Second // a provider that asks for a longer one is not asked again
	failures     = 5                // one after the other, behind which a model rests
	rest         = 30 * time.Second
)

// NewModels puts models together. Of a tier the next is asked when one fails before it began.
func NewModels(all []Model, tiers map[string][]string) *Models {
	out := &Models{byID: map[string]*Model{}, tiers: map[string][]*Model{}, pause: firstPause}
	for _, m := range all {
		m.breaker = newBreaker()
		out.byID[m.ID] = &m
	}
	for tier, ids := range tiers {
		for _, id := range ids {
			out.tiers[tier] = append(out.tiers[tier], out.byID[id])
		}
	}
	return out
}

func newBreaker() *gobreaker.TwoStepCircuitBreaker[struct{}] {
	return gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{Timeout: rest,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failures }})
}

// OneModel answers in every tier.
func OneModel(m Model) *Models {
	tiers := map[string][]string{}
	for _, tier := range completions.Tiers() {
		tiers[tier] = []string{m.ID}
	}
	return NewModels([]Model{m}, tiers)
}

// LocalModel is the one of a server that is told of no other. It costs nothing.
func LocalModel() Model {
	return Model{ID: ProviderLocal, Provider: ProviderLocal, By: Local{}, Named: ProviderLocal,
		Pricing: completions.Pricing{Version: ProviderLocal}}
}

// Offered are those that a request may name, by their ids.
func (x *Models) Offered() []completions.Chosen {
	out := []completions.Chosen{}
	for _, id := range slices.Sorted(maps.Keys(x.byID)) {
		out = append(out, completions.Chosen{ModelID: id, Provider: x.byID[id].Provider})
	}
	return out
}

// Check refuses a request that no model is for.
func (x *Models) Check(r completions.Request) error {
	_, _, err := x.choose(r)
	return err
}

func (x *Models) choose(r completions.Request) (from []*Model, source string, err error) {
	if len(x.byID) == 0 {
		return nil, "", fault.New(fault.Unavailable, "the server has no model: its operator has set none up")
	}
	if r.ModelID != "" {
		if m := x.byID[r.ModelID]; m != nil {
			return []*Model{m}, "request", nil
		}
		return nil, "", fault.Field("modelId", "is no model of the project or of this server")
	}
	tier, source := r.Tier, "tier"
	if tier == "" {
		if x.chosen.Default != "" {
			return x.byDefault()
		}
		tier, source = cmp.Or(x.chosen.DefaultTier, completions.Balanced), "default"
	}
	if from = x.tiers[tier]; len(from) == 0 {
		return nil, "", fault.New(fault.Unavailable, "there is no model in the tier %s", tier)
	}
	return from, source, nil
}

func (x *Models) byDefault() (from []*Model, source string, err error) {
	if m := x.byID[x.chosen.Default]; m != nil {
		return []*Model{m}, "default", nil
	}
	return nil, "", fault.New(fault.Unavailable, "the project's settings name the model %s by default, and there is none of that id",
		x.chosen.Default)
}

// Complete has a model answer, in at most ten minutes. Before a model has begun, what may go
// well the next time is repeated twice, with pauses, and then the next model of the tier is
// asked; behind that an error ends the answer, which names the model that was asked last. A model
// that refuses a request with pictures is asked once more without. An error of emit is returned as it is.
func (x *Models) Complete(ctx context.Context, r completions.Request, emit func(completions.Piece) error) (finish completions.Finish,
	err error) {
	from, source, err := x.choose(r)
	if err != nil {
		return completions.Finish{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, wholeAnswer)
	defer cancel()
	pictures := &album{request: r}
	for _, m := range from {
		a := &asking{model: m, request: pictures.of(ctx, m), emit: emit,
			chosen: completions.Chosen{ModelID: m.ID, Provider: m.Provider, Source: source}}
		if finish, err = a.patiently(ctx, x.pause); a.refusesPictures(ctx, err) {
			a.request = withoutPictures(a.request)
			finish, err = a.patiently(ctx, x.pause)
		}
		if err == nil || a.begun || ctx.Err() != nil || a.wrong(err) {
			return finish, a.fault(err)
		}
		err = a.fault(err)
	}
	return finish, err
}

// asking is one model that is asked once, or a few times.
type asking struct {
	model   *Model
	request completions.Request
	emit    func(completions.Piece) error
	chosen  completions.Chosen
	begun   bool
	left    error // of emit: nobody takes the pieces any more
}

func (a *asking) patiently(ctx context.Context, pause time.Duration) (completions.Finish, error) {
	pauses := backoff.NewExponentialBackOff(backoff.WithInitialInterval(pause), backoff.WithMaxInterval(longestPause),
		backoff.WithRandomizationFactor(1), backoff.WithMaxElapsedTime(0))
	for try := 0; ; try++ {
		finish, err := a.once(ctx)
		status, asked := answered(err)
		wait := max(pauses.NextBackOff(), asked)
		if err == nil || a.begun || try == repetitions || !passing(status) || wait > longestPause || errors.Is(err, errResting) {
			return finish, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return finish, err
		}
	}
}

// errResting says that a model failed too often lately to be asked.
var errResting = errors.New("the model failed several times one after the other, and is not asked for a while")

func (a *asking) once(ctx context.Context) (completions.Finish, error) {
	done, err := a.model.breaker.Allow()
	if err != nil {
		return completions.Finish{}, errResting
	}
	ended, err := a.model.By.Stream(ctx, a.model.Named, a.request, a.take)
	if a.left != nil || ctx.Err() != nil || a.wrong(err) {
		done(nil) // says nothing of the model
	} else {
		done(err)
	}
	finish := completions.Finish{Chosen: a.chosen, Model: ended.Model, Reason: ended.Reason, Usage: ended.Usage, Pricing: a.model.Pricing}
	if !finish.Usage.Credible() {
		finish.Usage, ended.Counted = completions.Usage{}, false
	}
	if !ended.Counted {
		finish.Usage.Estimated = true
	}
	return finish, err
}

func (a *asking) take(p completions.Piece) error {
	if p.Kind == completions.Begun {
		a.begun, p.Chosen = true, a.chosen
	}
	if err := a.emit(p); err != nil {
		a.left = err
	}
	return a.left
}

// answered is the status that a provider answered with, 0 if it did not.
func answered(err error) (status int, wait time.Duration) {
	var no interface {
		Answered() (int, time.Duration)
	}
	if errors.As(err, &no) {
		return no.Answered()
	}
	return 0, 0
}

// passing reports whether the next try may go well.
func passing(status int) bool {
	return status == 0 || status >= 500 ||
		slices.Contains([]int{http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests}, status)
}

// wrong reports whether the request itself was refused: no other model would take it.
func (a *asking) wrong(err error) bool {
	status, _ := answered(err)
	return slices.Contains([]int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}, status)
}

// refusesPictures reports whether a request was refused that has pictures: one of them may be none that the model can
// read, or it sees none whatever was said of it.
func (a *asking) refusesPictures(ctx context.Context, err error) bool {
	return a.wrong(err) && !a.begun && a.left == nil && ctx.Err() == nil && hasPictures(a.request)
}

// fault is what callers are told. Nothing of it is in a provider's words.
func (a *asking) fault(err error) error {
	switch {
	case a.left != nil:
		return a.left
	case err == nil:
		return nil
	}
	who := a.model.Provider
	status, wait := answered(err)
	switch {
	case a.wrong(err):
		return fault.New(fault.Validation, "the provider %s refused the request with status %d", who, status).Because(err)
	case status == http.StatusTooManyRequests:
		return fault.New(fault.RateLimit, "too many requests to the provider %s", who).After(max(wait, time.Second)).Because(err)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fault.New(fault.Unavailable, "the provider %s does not accept the key", who).Because(err)
	case status == http.StatusNotFound:
		return fault.New(fault.Unavailable, "the provider %s does not have the model %s", who, a.model.ID).Because(err)
	}
	return fault.New(fault.Unavailable, "the model %s of the provider %s did not answer to the end", a.model.ID, who).After(
		max(wait, time.Second)).Because(err)
}
