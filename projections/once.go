package projections

import (
	"context"
	"sync"
	"time"
)

// remembered is for how long a piece of work takes an answer for true.
const remembered = time.Second

type workKey struct{}

// work is what one piece of work was answered.
type work struct {
	mu      sync.Mutex
	answers map[any]dated
}

type dated struct {
	answer any
	until  time.Time
}

// OneWork is ctx as that of one piece of work, which it may be already: a request with the turn that it
// begins, or a turn. What it asks by Once it asks once a second.
func OneWork(ctx context.Context) context.Context {
	if workOf(ctx) != nil {
		return ctx
	}
	return context.WithValue(ctx, workKey{}, &work{})
}

// OtherWork is ctx as that of whatever is done from now on: each part of it is a piece of work by itself.
func OtherWork(ctx context.Context) context.Context {
	return context.WithValue(ctx, workKey{}, (*work)(nil))
}

func workOf(ctx context.Context) *work {
	w, _ := ctx.Value(workKey{}).(*work)
	return w
}

// Once asks what a key stands for, unless the same piece of work was answered within the last second. It is
// for what several steps of one work need, that changes seldom, and that nobody changes in that work: the
// settings of a project are asked for five times by a turn that a model leads, and how far Settings are by most
// requests three times. An answer is shared, so whoever gets it leaves it as it is; a refusal is no answer. Outside of
// a piece of work each asks.
func Once[K comparable, V any](ctx context.Context, key K, ask func() (V, error)) (V, error) {
	w := workOf(ctx)
	if w == nil {
		return ask()
	}
	began := time.Now()
	w.mu.Lock()
	known, is := w.answers[key]
	w.mu.Unlock()
	if is && began.Before(known.until) {
		return known.answer.(V), nil
	}
	answer, err := ask()
	if err == nil {
		Known(ctx, key, began, answer)
	}
	return answer, err
}

// Known tells the piece of work an answer that came along with another: Once takes it for one that was asked for then.
func Known[K comparable, V any](ctx context.Context, key K, asked time.Time, answer V) {
	w := workOf(ctx)
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.answers == nil {
		w.answers = map[any]dated{}
	}
	w.answers[key] = dated{answer, asked.Add(remembered)}
}
