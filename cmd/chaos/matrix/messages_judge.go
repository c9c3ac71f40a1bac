package matrix

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/chaos/checks"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
)

// unfinishedThread is what the conversation of a message still lacks; empty: nothing.
func (r *Run) unfinishedThread(f *checks.Fold, t *turn) string {
	thread, _ := checks.At(f, threads.Threads, threads.Threads.StreamID(t.thread(r.mac, r.env["ACCOUNT_ID"])))
	s, past := checks.At(f, sessions.Sessions, t.session)
	said := 0
	for _, p := range past {
		if is[sessions.Said](p) {
			said++
		}
	}
	switch {
	case thread.Received == 0:
		return "its message is not there"
	case len(thread.Waiting) > 0:
		return "its message waits"
	case s.Talk.Running != nil || s.Talk.Turns == 0:
		return "its turn has not ended"
	case thread.Queued < said:
		return "a reply is not queued"
	case len(thread.Replies) > 0:
		return "a reply is on its way"
	}
	return ""
}

// writesAfter says something more in a conversation, and waits for the answer.
func (r *Run) writesAfter(ctx context.Context, t *turn) {
	t.took = r.talk.texts(t)
	t.spoke = len(t.took)
	if err := r.delivers(ctx, t, t.After, 2); err != nil {
		r.Add("answer", "%s: what was written afterwards was not taken: %v", t.name, err)
		return
	}
	for deadline := time.Now().Add(time.Minute); ; {
		if now := r.talk.texts(t); len(now) > t.spoke {
			t.later = strings.Join(now[t.spoke:], "\n")
			return
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			r.Add("answer", "%s: what was written afterwards has no answer", t.name)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// judgeThread: the provider took every reply once, in their order. Where the node died when it had
// asked, or may have, the provider may have taken the one reply twice; of a text message, which costs,
// it may rather have taken none.
func (r *Run) judgeThread(f *checks.Fold, t *turn) {
	calm, got := r.calm[t.Name].took, t.took
	once := t.Channel == "twilio_sms"
	if t.status != 200 {
		r.Add("answer", "%s: its provider had no answer to it", t.name)
	}
	if slices.Equal(got, calm) {
		return
	}
	switch {
	case t.unsureReply() && !once && len(got) == len(calm)+1 && slices.Equal(slices.Compact(slices.Clone(got)), calm):
	case t.unsureReply() && once && len(got) == len(calm)-1 && within(got, calm):
	default:
		r.Add("reply", "%s (%s): the provider took %q, and %q without a kill", t.name, t.heldAt(), got, calm)
	}
	_, past := checks.At(f, threads.Threads, threads.Threads.StreamID(t.thread(r.mac, r.env["ACCOUNT_ID"])))
	received := 0
	for _, p := range past {
		if is[threads.Received](p) {
			received++
		}
	}
	if received > 2 {
		r.Add("reply", "%s: its messages were taken %d times", t.name, received)
	}
}

// within is whether some texts are others in their order, with some left out.
func within(some, all []string) bool {
	for _, text := range all {
		if len(some) > 0 && some[0] == text {
			some = some[1:]
		}
	}
	return len(some) == 0
}

// heldAt is the step at which the turn was held.
func (t *turn) heldAt() string {
	if t.place.When == asked || t.place.Nth > len(t.steps) {
		return t.place.When
	}
	return t.place.When + " " + t.steps[t.place.Nth-1]
}

// unsureReply is whether the node died between a provider's being asked, or about to be, and the note
// of what came of it. What is held keeps other commits of its stream from coming.
func (t *turn) unsureReply() bool {
	if t.place.When == asked {
		return true
	}
	open := 0
	for _, step := range t.before() {
		switch {
		case strings.Contains(step, "reply-attempt-started"):
			open++
		case strings.Contains(step, "reply-part-sent"):
			open--
		}
	}
	return open > 0
}
