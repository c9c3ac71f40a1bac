package sip

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// referral is what the peer was asked: to call somebody in our place (RFC 3515). It tells by NOTIFY what comes of it.
type referral struct {
	of    string // in whose name that is told; empty: a node before asked
	first uint32 // number of the request that asked
	alone bool   // nothing was asked before in the dialog: what names no request means this one
	rang  bool
	over  chan struct{} // closed: the peer has told what came of it, or that it will not
}

// crossing is how long a peer that has hung up may still tell what came of our request: the two cross.
const crossing = 2 * time.Second

var errReferring = errors.New("the peer was asked to call somebody already, and has not told what came of it")

// Refers reports whether people come onto the call by its trunk, which is asked to call them.
func (l *Leg) Refers() bool { return l.transfers(trunks.TransfersRefer) }

// Attends reports whether the trunk is asked to join a person whom we have called with the call.
func (l *Leg) Attends() bool { return l.transfers(trunks.TransfersAttended) }

func (l *Leg) transfers(way trunks.Transfers) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dialog != nil && l.dialog.trunk.Transfers == way
}

// Refer asks the peer to call somebody, as a call names its target, and to let us go. code and phrase are its
// answer: a 2xx says that it tries, and a fact what came of it, of whom it was asked for. An error means that there was no answer, or that
// it was asked before and has not told: nothing takes a request back, and of two nobody could tell whom it calls.
func (l *Leg) Refer(ctx context.Context, target, of string) (code int, phrase string, err error) {
	return l.refer(ctx, of, func(d *dialog) (string, error) {
		if prefix := d.trunk.refuses(target); prefix != "" {
			return "", fmt.Errorf("%w: %s", errNumberRefused, prefix)
		}
		return uriOf(d.trunk, target), nil
	})
}

// errNotThere is of two legs of which one peer cannot know both.
var errNotThere = errors.New("the other leg is none over the same trunk in which somebody talks")

// ReferTo asks the peer to talk with who is on another leg over its trunk, in our place (RFC 5589), as Refer does.
func (l *Leg) ReferTo(ctx context.Context, other any, of string) (code int, phrase string, err error) {
	with, is := other.(*Leg)
	if !is {
		return 0, "", errNotThere
	}
	with.mu.Lock()
	to := with.dialog
	with.mu.Unlock()
	if to == nil || with.over() {
		return 0, "", errNotThere
	}
	return l.refer(ctx, of, func(d *dialog) (string, error) {
		if trunkKey(to.trunk) != trunkKey(d.trunk) {
			return "", errNotThere
		}
		with := to.now()
		target, _, _ := strings.Cut(with.Target, "?")
		return target + "?Replaces=" + escapedHeader(with.CallID+";to-tag="+tagOf(with.Remote)+";from-tag="+tagOf(with.Local)), nil
	})
}

// escapedHeader is a value of a header in a URI.
func escapedHeader(value string) string {
	return strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
}

// refer asks the peer for whom to names.
func (l *Leg) refer(ctx context.Context, of string, to func(*dialog) (string, error)) (code int, phrase string, err error) {
	d, asked, err := l.refers(of)
	if err != nil {
		return 0, "", err
	}
	defer func() {
		if err != nil || code >= 300 {
			l.mu.Lock()
			asked.end()
			l.mu.Unlock()
		}
	}()
	target, err := to(d)
	if err != nil {
		return 0, "", err
	}
	contact := l.agent.contact(d.trunk.Username, trunks.Transport(d.now().Transport))
	res, err := pastGlare(ctx, func() (*sip.Response, error) {
		return d.ask(ctx, sip.REFER, "", nil, &contact, sip.NewHeader("Refer-To", "<"+target+">"),
			sip.NewHeader("Referred-By", "<"+uriIn(d.now().Local)+">"))
	})
	if err != nil {
		return 0, "", fmt.Errorf("asking the peer to call somebody: %w", err)
	}
	if res.StatusCode == sip.StatusCallTransactionDoesNotExists { // the peer has hung up
		l.gone.Do(func() { close(l.byed) })
	}
	return res.StatusCode, res.Reason, nil
}

// awaits takes what the peer tells of a request of the node that had the call before, whatever its number was. Of one for
// somebody who is not wanted any more it takes nothing, and has the peer say of which request it tells: 481 ends the subscription.
func (l *Leg) awaits(q calls.LegQuery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case q.Referred:
		l.referral = &referral{first: 1, alone: !q.ReferredBefore, over: make(chan struct{})}
	case q.ReferredBefore:
		l.referral = &referral{first: math.MaxUint32, over: make(chan struct{})}
		l.referral.end()
	}
}

// enquire asks the peer what came of that request: it tells it, or knows nothing of it, or of the question.
func (l *Leg) enquire(d *dialog) {
	l.agent.later(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, byePatience)
		defer cancel()
		contact := l.agent.contact(d.trunk.Username, trunks.Transport(d.now().Transport))
		res, err := pastGlare(ctx, func() (*sip.Response, error) {
			return d.ask(ctx, sip.SUBSCRIBE, "", nil, &contact, sip.NewHeader("Event", "refer"), sip.NewHeader("Expires", "60"),
				sip.NewHeader("Accept", "message/sipfrag"))
		})
		switch {
		case err != nil && ctx.Err() == nil:
			l.agent.cfg.Log.Info("a peer was asked what came of a request of the node before, and did not answer", "trunk", d.trunk.Name,
				"error", err)
		case err == nil && !res.IsSuccess():
			l.agent.cfg.Log.Info("a peer does not say what came of a request of the node before", "trunk", d.trunk.Name,
				"code", res.StatusCode)
		}
	})
}

// refers begins a referral.
func (l *Leg) refers(name string) (*dialog, *referral, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.dialog == nil || l.over():
		return nil, nil, errNoDialog
	case l.referral.open():
		return nil, nil, errReferring
	}
	of := &referral{of: name, first: l.dialog.now().CSeq + 1, alone: l.referral == nil, over: make(chan struct{})}
	l.referral = of
	return l.dialog, of, nil
}

// open reports whether the peer has not told yet what came of it.
func (r *referral) open() bool {
	if r == nil {
		return false
	}
	select {
	case <-r.over:
		return false
	default:
		return true
	}
}

// end may be called twice, by who holds the leg's lock.
func (r *referral) end() {
	if r.open() {
		close(r.over)
	}
}

// notified takes what the peer tells of our request.
func (l *Leg) notified(r *sip.Request, tx sip.ServerTransaction) {
	kind, id := eventOf(r)
	if kind != "refer" {
		answer(r, tx, 489, "Bad Event", sip.NewHeader("Allow-Events", "refer"))
		return
	}
	l.mu.Lock()
	of := l.referral
	l.mu.Unlock()
	if of == nil || !of.named(id) {
		answer(r, tx, 481, "Subscription Does Not Exist")
		return
	}
	code, phrase, readable := statusOf(r)
	ended := subscriptionEnded(r)
	if !readable && !ended {
		answer(r, tx, 400, "Bad Request")
		return
	}
	answer(r, tx, 200, "OK")
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !of.open(): // twice, or behind its end
	case code >= 200:
		of.end()
		l.tell(calls.Fact{Kind: calls.FactTransferred, ID: of.of, Code: code, Phrase: phrase})
	case ended:
		of.end()
		l.tell(calls.Fact{Kind: calls.FactTransferred, ID: of.of})
	case code > 100 && !of.rang:
		of.rang = true
		l.tell(calls.Fact{Kind: calls.FactTransferred, ID: of.of, Code: code, Phrase: phrase})
	}
}

// named reports whether a notification is of this request, by its number; 0: it names none.
func (r *referral) named(id uint64) bool { return id >= uint64(r.first) || id == 0 && r.alone }

// leaves has a peer that hangs up leave; behind a request of ours that it has not told of, after a moment.
func (l *Leg) leaves() {
	l.mu.Lock()
	of := l.referral
	l.mu.Unlock()
	l.gone.Do(func() {
		if !of.open() {
			close(l.byed)
			return
		}
		l.agent.later(func(ctx context.Context) {
			defer close(l.byed)
			select {
			case <-of.over:
			case <-time.After(crossing):
			case <-ctx.Done():
			}
		})
	})
}

// eventOf is what a notification is about: its package, and the id of the subscription.
func eventOf(r *sip.Request) (kind string, id uint64) {
	h := r.GetHeader("Event")
	if h == nil {
		return "", 0
	}
	kind, params, _ := strings.Cut(h.Value(), ";")
	for one := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(one), "=")
		if strings.EqualFold(name, "id") {
			id, _ = strconv.ParseUint(value, 10, 32)
		}
	}
	return strings.ToLower(strings.TrimSpace(kind)), id
}

// statusOf is the first line of the answer that a notification holds (RFC 3420).
func statusOf(r *sip.Request) (code int, phrase string, ok bool) {
	h := r.ContentType()
	if h == nil || !strings.HasPrefix(strings.ToLower(strings.TrimSpace(h.Value())), "message/sipfrag") {
		return 0, "", false
	}
	line, _, _ := strings.Cut(string(r.Body()), "\n")
	status, is := strings.CutPrefix(strings.TrimSpace(line), "SIP/2.0 ")
	number, phrase, _ := strings.Cut(status, " ")
	code, err := strconv.Atoi(number)
	if !is || err != nil || len(number) != 3 || code < 100 || code > 699 {
		return 0, "", false
	}
	return code, phrase, true
}

func subscriptionEnded(r *sip.Request) bool {
	h := r.GetHeader("Subscription-State")
	return h != nil && strings.HasPrefix(strings.ToLower(strings.TrimSpace(h.Value())), "terminated")
}

// uriIn is the URI in the value of a From or a To.
func uriIn(value string) string {
	var uri sip.Uri
	var params sip.HeaderParams
	if _, err := sip.ParseAddressValue(value, &uri, &params); err != nil {
		return value
	}
	return uri.String()
}
