package campaigns

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/pacing"
)

// commits takes what endings send, and holds each commit until it is let go.
type commits struct {
	*testing.T
	of   endingsOf
	x    *endings
	sent chan []int
	let  chan error
}

func newCommits(t *testing.T) *commits {
	return &commits{T: t, of: endingsOf{"acme", "tr-1"}, x: newEndings(), sent: make(chan []int), let: make(chan error)}
}

func (c *commits) tell(ctx context.Context, contact int) <-chan error {
	out := make(chan error, 1)
	go func() {
		out <- c.x.tell(ctx, c.of, pacing.Finish{Contact: contact}, func(all []pacing.Finish) error {
			var contacts []int
			for _, f := range all {
				contacts = append(contacts, f.Contact)
			}
			c.sent <- contacts
			return <-c.let
		})
	}()
	return out
}

func (c *commits) await(waiting int) {
	c.Helper()
	require.Eventually(c, func() bool {
		c.x.mu.Lock()
		defer c.x.mu.Unlock()
		return len(c.x.waiting[c.of]) == waiting
	}, 10*time.Second, time.Millisecond)
}

// Given an outcome whose commit is on its way, when others come meanwhile, then they are
// the next commit, and each hears how its own went.
func TestOutcomesThatComeMeanwhileAreOneCommit(t *testing.T) {
	c := newCommits(t)
	first := c.tell(t.Context(), 0)
	require.Equal(t, []int{0}, <-c.sent)
	second := c.tell(t.Context(), 1)
	c.await(1)
	third := c.tell(t.Context(), 2)
	c.await(2)
	c.let <- nil
	require.NoError(t, <-first)
	require.Equal(t, []int{1, 2}, <-c.sent)
	away := errors.New("away")
	c.let <- away
	require.ErrorIs(t, <-second, away)
	require.ErrorIs(t, <-third, away)

	again := c.tell(t.Context(), 1)
	require.Equal(t, []int{1}, <-c.sent, "after an error the next is sent")
	c.let <- nil
	require.NoError(t, <-again)
	require.Empty(t, c.x.waiting)
	require.Empty(t, c.x.busy)
}

// Given outcomes that wait, when the handler of one has no more time, then it is not sent,
// and the others are.
func TestAnOutcomeIsTakenBackWithItsHandler(t *testing.T) {
	c := newCommits(t)
	first := c.tell(t.Context(), 0)
	<-c.sent
	ctx, gone := context.WithCancel(t.Context())
	second := c.tell(ctx, 1)
	c.await(1)
	third := c.tell(t.Context(), 2)
	c.await(2)
	gone()
	require.ErrorIs(t, <-second, context.Canceled)
	c.let <- nil
	require.NoError(t, <-first)
	require.Equal(t, []int{2}, <-c.sent)
	c.let <- nil
	require.NoError(t, <-third)
}

// Given one whose turn it is to send and who leaves, then the next one sends.
func TestTheLeadIsGivenOn(t *testing.T) {
	x, of := newEndings(), endingsOf{"acme", "tr-1"}
	leader, next := x.join(of, pacing.Finish{}), x.join(of, pacing.Finish{})
	<-leader.lead
	x.leave(of, leader)
	<-next.lead
	x.leave(of, next)
	require.Empty(t, x.busy)
}

// Given a commit whose making panics, then those who wait for it hear an error, and the
// next outcome is sent.
func TestAPanicHoldsUpNoOutcomes(t *testing.T) {
	x, of := newEndings(), endingsOf{"acme", "tr-1"}
	require.Panics(t, func() {
		_ = x.tell(t.Context(), of, pacing.Finish{}, func([]pacing.Finish) error { panic("broken") })
	})
	require.NoError(t, x.tell(t.Context(), of, pacing.Finish{}, func([]pacing.Finish) error { return nil }))
}

// A commit has one correlation, so outcomes of two do not go together.
func TestOutcomesOfTwoStartsAreTwoCommits(t *testing.T) {
	c, other := newCommits(t), newCommits(t)
	other.x, other.of = c.x, endingsOf{"acme", "tr-2"}
	first, second := c.tell(t.Context(), 0), other.tell(t.Context(), 1)
	require.Equal(t, []int{0}, <-c.sent)
	require.Equal(t, []int{1}, <-other.sent)
	c.let <- nil
	other.let <- nil
	require.NoError(t, <-first)
	require.NoError(t, <-second)
}
