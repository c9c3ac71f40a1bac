package checks

import (
	"slices"

	"github.com/parley-platform/parley/cmd/chaos/load"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
)

// conversation is what the log says of one thread.
type conversation struct {
	received []string // texts, in their order
	queued   []string // replies
	sent     []int    // how often each reply was noted as taken
	begun    []int    // how many attempts there were at each
	failed   []int    // how often it was given up
	strange  int      // events of replies that are not there
	state    threads.State
}

// Written checks that each message that a provider was told to have been taken is in its thread once, in
// the order in which it was written, and was answered once, in that order: by the log, and by what the
// provider took, who took a reply again only where an attempt was in doubt.
func Written(f *Fold, writers []load.Writer, took func(load.Writer) []string, mac func(purpose string, parts ...string) []byte,
	tenant string, out *Findings) {
	all := map[string]*conversation{}
	folded(f, threads.Threads, func(stream string, after threads.State, _ *eventstore.Record, p event.Payload) {
		c := all[stream]
		if c == nil {
			c = &conversation{}
			all[stream] = c
		}
		c.sees(p)
		c.state = after
	})
	for _, w := range writers {
		c := all[threads.Stream(mac, tenant, w.Connection(), w.Thread)]
		if c == nil {
			c = &conversation{}
		}
		c.judge(w, took(w), out)
	}
}

func (c *conversation) sees(p event.Payload) {
	switch e := p.(type) {
	case threads.Received:
		c.received = append(c.received, e.Text)
	case threads.Queued:
		c.queued, c.sent, c.begun, c.failed = append(c.queued, e.Parts...), append(c.sent, 0), append(c.begun, 0), append(c.failed, 0)
	case threads.Started:
		c.counts(c.begun, e.Reply)
	case threads.PartSent:
		c.counts(c.sent, e.Reply)
	case threads.Failed:
		c.counts(c.failed, e.Reply)
	}
}

// counts counts what became of a reply.
func (c *conversation) counts(of []int, reply int) {
	if reply < 1 || reply > len(of) {
		c.strange++
		return
	}
	of[reply-1]++
}

func (c *conversation) judge(w load.Writer, took []string, out *Findings) {
	var answers []string
	for _, text := range w.Sent {
		answers = append(answers, load.Heard(text))
	}
	if !slices.Equal(c.received, w.Sent) {
		out.Lost += max(0, len(w.Sent)-len(c.received))
		out.Add("messages", "%s of %s wrote %q, and the log has %q", w.To, w.Kind, w.Sent, c.received)
	}
	if !slices.Equal(c.queued, answers) {
		out.Add("messages", "%s of %s was answered with %q, which should be %q", w.To, w.Kind, c.queued, answers)
	}
	if c.strange > 0 {
		out.Add("messages", "%s of %s: %d events are of replies that nobody had queued", w.To, w.Kind, c.strange)
	}
	if load.Once(w.Kind) {
		c.judgeOnce(w, answers, took, out)
		return
	}
	if n := len(c.state.Waiting) + len(c.state.Replies) + len(c.state.Failed); n > 0 {
		out.Add("messages", "%s of %s: %d messages wait, %d replies are on their way, %d failed", w.To, w.Kind, len(c.state.Waiting),
			len(c.state.Replies), len(c.state.Failed))
	}
	for i, n := range c.sent {
		if n != 1 {
			out.Add("messages", "%s of %s: reply %d was noted %d times as taken", w.To, w.Kind, i+1, n)
		}
	}
	if once := slices.Compact(slices.Clone(took)); !slices.Equal(once, answers) {
		out.Add("messages", "%s of %s: the provider took %q, in place of %q", w.To, w.Kind, once, answers)
	}
	times := map[string]int{}
	for _, text := range took {
		times[text]++
	}
	for i, text := range c.queued {
		if times[text] > c.begun[i] {
			out.Doubled++
			out.Add("messages", "%s of %s: the provider took %q %d times, in %d attempts", w.To, w.Kind, text, times[text], c.begun[i])
		}
	}
}

// judgeOnce is for kinds whose attempts in doubt are given up: each reply was taken once at most, in its
// order, and what was not is known to have failed.
func (c *conversation) judgeOnce(w load.Writer, answers, took []string, out *Findings) {
	if n := len(c.state.Waiting) + len(c.state.Replies); n > 0 {
		out.Add("messages", "%s of %s: %d messages wait, or replies are on their way", w.To, w.Kind, n)
	}
	at := 0
	for i, answer := range answers {
		if i >= len(c.sent) || c.sent[i]+c.failed[i] != 1 {
			out.Add("messages", "%s of %s: reply %d has neither been taken nor failed, or both", w.To, w.Kind, i+1)
			continue
		}
		is := at < len(took) && took[at] == answer
		if is {
			at++
		}
		if c.sent[i] == 1 && !is {
			out.Add("messages", "%s of %s: reply %d was noted as taken, and the provider has %q", w.To, w.Kind, i+1, took)
		}
	}
	if at < len(took) {
		out.Doubled++
		out.Add("messages", "%s of %s: the provider took %q, of %q", w.To, w.Kind, took, answers)
	}
}
