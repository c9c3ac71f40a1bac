package voice

import (
	"context"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/acts"
)

// ahead hears what a model says while it says it, and has its sentences spoken that are whole: when
// they are on the log, and may be said, they are sound already. Of what is never said nothing is heard.
// A nil one hears nothing.
type ahead struct {
	c     *conversation
	heard *acts.Hearing
	call  string // of the model
	text  string // that it has said so far
	made  int    // sentences of it that are spoken
}

// hearAhead begins, where it is of use.
func (c *conversation) hearAhead() (a *ahead, stop func()) {
	if c.leg.sound == nil || c.leg.sound.by == nil {
		return nil, func() {}
	}
	a = &ahead{c: c, heard: c.turns.Hear(c.stream)}
	return a, a.heard.Stop
}

// C gives a value when there may be something to prepare.
func (a *ahead) C() <-chan struct{} {
	if a == nil {
		return nil
	}
	return a.heard.C()
}

// prepare has spoken what has become whole. The last sentence may go on.
func (a *ahead) prepare(ctx context.Context) {
	for _, d := range a.heard.Take() {
		if d.CallID != a.call {
			a.call, a.text, a.made = d.CallID, "", 0
		}
		a.text += d.Text
		whole := calls.Sentences(a.text)
		for ; a.made < len(whole)-1; a.made++ {
			a.c.leg.sound.by.Prepare(ctx, whole[a.made], a.c.agent.Language)
		}
	}
}
