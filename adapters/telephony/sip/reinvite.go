package sip

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/emiago/sipgo/sip"
)

const (
	glare     = 300 * time.Millisecond // while the peer itself changes something
	mostGlare = 3
)

// pastGlare asks again while the peer itself changes something.
func pastGlare(ctx context.Context, ask func() (*sip.Response, error)) (*sip.Response, error) {
	for tries := 1; ; tries++ {
		res, err := ask()
		if err != nil || res.StatusCode != 491 || tries == mostGlare {
			return res, err
		}
		select {
		case <-time.After(glare):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// reinvite describes our sound in the dialog anew, and goes by what the peer answers: where it is, its sound, and the session's
// timer. changed says that it is not as it was. Requests that cross each other are told so, and ours is sent again.
func (l *Leg) reinvite(ctx context.Context, d *dialog, more ...sip.Header) (res *sip.Response, changed bool, err error) {
	l.mu.Lock()
	l.offer.version++ // the last answer may have said less than this
	body, was := l.offer.text(), l.theirs
	l.mu.Unlock()
	res, err = pastGlare(ctx, func() (*sip.Response, error) { return l.asks(ctx, d, body, more) })
	if err != nil || !res.IsSuccess() {
		return res, false, err
	}
	at, moved := time.Now(), d.learn(res)
	if err = d.acknowledge(ctx, res.CSeq().SeqNo, nil); err != nil {
		return nil, false, err
	}
	if len(res.Body()) > 0 || !l.media.started() {
		if err = l.hear(res.Body(), d.first.Addr()); err != nil {
			return nil, false, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expires = sessionOf(res, at)
	return res, moved || !was.same(l.theirs), nil
}

// asks sends a re-INVITE. The peer's own are told to wait meanwhile.
func (l *Leg) asks(ctx context.Context, d *dialog, body []byte, more []sip.Header) (*sip.Response, error) {
	defer l.waits()()
	return d.ask(ctx, sip.INVITE, sdpType, body, more...)
}

// waits lets the peer's re-INVITEs wait until something is done.
func (l *Leg) waits() (done func()) {
	add := func(n int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.asking += n
	}
	add(1)
	return func() { add(-1) }
}

// again refreshes the session. A peer that will not have it now is asked once more before the session runs out.
func (l *Leg) again(d *dialog) error {
	l.mu.Lock()
	expires := l.expires
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(l.agent.working, byePatience)
	defer cancel()
	res, changed, err := l.reinvite(ctx, d, sip.NewHeader("Session-Expires", strconv.Itoa(int(expires.interval.Seconds()))+";refresher=uac"))
	switch {
	case err != nil:
		return fmt.Errorf("the session was not refreshed: %w", err)
	case res.IsSuccess():
		l.holds()
		if changed {
			l.establish()
		}
		return nil
	case res.StatusCode == 481 || res.StatusCode == 408 || expires.late:
		return fmt.Errorf("the session was not refreshed: %d %s", res.StatusCode, res.Reason)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.expires == expires { // else the peer has refreshed it meanwhile
		l.expires.late = true
	}
	return nil
}

// unawaited takes an answer that nobody waits for any more. One to a re-INVITE of ours is repeated as long as its acknowledgement
// is lost, and its peer ends the call at last if it gets none.
func (a *Agent) unawaited(res *sip.Response) {
	from, to, of := res.From(), res.To(), res.CSeq()
	if !res.IsSuccess() || from == nil || to == nil || of == nil || of.MethodName != sip.INVITE || res.CallID() == nil {
		return
	}
	a.mu.Lock()
	l := a.dialogs[dialogKey(res.CallID().Value(), tagOf(from.Value()))]
	a.mu.Unlock()
	if l == nil {
		a.later(func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, byePatience)
			defer cancel()
			a.tooLate(ctx, res)
		})
		return
	}
	l.mu.Lock()
	d := l.dialog
	l.mu.Unlock()
	if tagOf(to.Value()) != tagOf(d.now().Remote) {
		return
	}
	a.later(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, byePatience)
		defer cancel()
		_ = d.acknowledge(ctx, of.SeqNo, nil) // it is asked for again
	})
}
