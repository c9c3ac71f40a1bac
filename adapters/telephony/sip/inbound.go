package sip

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/numbers"
	"github.com/parley-platform/parley/domain/trunks"
)

// Takes hands the calls that come in to somebody, who has each to its end.
func (a *Agent) Takes(take func(ctx context.Context, o calls.Offer, in *Incoming)) {
	a.Invited(func(r *sip.Request, tx sip.ServerTransaction) {
		in, o, code := a.incoming(r, tx)
		if in == nil {
			if code != 0 {
				a.turnAway(r, tx, code, refusals[code])
			}
			return
		}
		done := make(chan struct{})
		a.later(func(ctx context.Context) { // the library waits for the end of its handler
			defer close(done)
			defer in.release()
			in.offered(func() { take(ctx, o, in) })
		})
		<-done
	})
}

// refusals are the phrases of what is told before a call is one.
var refusals = map[int]string{400: "Bad Request", 403: "Forbidden", 420: "Bad Extension", 481: "Call/Transaction Does Not Exist",
	486: "Busy Here", 488: "Not Acceptable Here", 491: "Request Pending", 503: "Service Unavailable", 603: "Decline"}

// Refuses has calls, and trunks that ask whether any may come, told to come again, while a node says so: it ends, and has its
// calls end before. What belongs to a call goes on.
func (a *Agent) Refuses(closed func() bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refuses = closed
}

func retrySoon() sip.Header { return sip.NewHeader("Retry-After", "1") }

// incoming makes a leg of a request that rings here. Without one, code is what is to be answered; 0:
// that was done.
func (a *Agent) incoming(r *sip.Request, tx sip.ServerTransaction) (in *Incoming, o calls.Offer, code int) {
	at, ok := from(r)
	if !ok || r.CallID() == nil || r.From() == nil || r.To() == nil || r.Via() == nil || r.CSeq() == nil {
		return nil, o, 400
	}
	of := a.trunksAt(a.working, at.Addr(), r.Recipient.User)
	switch tag, _ := r.From().Params.Get("tag"); {
	case len(of) == 0:
		return nil, o, 403
	case tag == "" || contactOf(r) == "" || len(r.CallID().Value()) > calls.LongestProviderID || len(tag) > calls.LongestProviderID:
		return nil, o, 400
	case r.GetHeader("Require") != nil && required(r) != "":
		answer(r, tx, 420, refusals[420], sip.NewHeader("Unsupported", required(r)))
		return nil, o, 0
	case a.sources.flooding(at.Addr(), time.Now()):
		answer(r, tx, 503, refusals[503], retrySoon())
		return nil, o, 0
	}
	t := a.whose(of, r)
	if opened, err := a.cfg.Trunk(a.working, t.TenantID, t.Name); err == nil { // with its password
		t = opened
	}
	o = calls.Offer{TenantID: t.TenantID, Trunk: t.Name, ProviderID: r.CallID().Value(), Person: caller(t, r), Called: called(t, r)}
	o.Tag, _ = r.From().Params.Get("tag")
	o.Branch, _ = r.Via().Params.Get("branch")
	l := newLeg(a, calls.LegRequest{TenantID: t.TenantID, Trunk: t.Name})
	in = &Incoming{Leg: l, request: r, tx: tx, cancelled: make(chan struct{})}
	if err := in.prepare(t, at); err != nil {
		a.cfg.Log.Info("a call came in that this node cannot take", "trunk", t.Name, "tenant", t.TenantID, "error", err)
		in.release()
		if errors.Is(err, errNoPort) || fault.Is(err, fault.QueueFull) {
			answer(r, tx, 503, refusals[503], retrySoon())
			return nil, o, 0
		}
		return nil, o, 488
	}
	o.Full = in.full
	return in, o, 0
}

// cancelWaits is how long a CANCEL waits for its INVITE.
const cancelWaits = 500 * time.Millisecond

// cancel takes a CANCEL for which the library knew no INVITE; of a call that rings here it takes it itself (incoming.go). The two may be
// here in the other order: each request is a goroutine's of its own, and one datagram may overtake another.
func (a *Agent) cancel(r *sip.Request, tx sip.ServerTransaction) {
	if a.knows(r) {
		if invite := a.invites.of(a.working, r); invite != nil {
			answer(r, tx, 200, "OK")
			_ = invite.Receive(r) // no word that it cannot take
			return
		}
	}
	a.turnAway(r, tx, 481, refusals[481])
}

// invites are the INVITEs that are being answered, by their transactions, and who waits for one to cancel it.
type invites struct {
	mu      sync.Mutex
	here    map[string]cancellable
	waiting map[string]chan cancellable
}

// cancellable is a transaction of the library.
type cancellable interface{ Receive(r *sip.Request) error }

// comes notes an INVITE until it has its answer.
func (all *invites) comes(r *sip.Request, tx sip.ServerTransaction) (answered func()) {
	key, invite := transactionOf(r), tx.(cancellable)
	all.mu.Lock()
	defer all.mu.Unlock()
	all.here[key] = invite
	if waits, is := all.waiting[key]; is {
		delete(all.waiting, key)
		waits <- invite
	}
	return func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		delete(all.here, key)
	}
}

// of is the INVITE that a CANCEL is of; nil: it does not come.
func (all *invites) of(ctx context.Context, cancel *sip.Request) cancellable {
	key, comes := transactionOf(cancel), make(chan cancellable, 1)
	all.mu.Lock()
	invite := all.here[key]
	if invite == nil {
		all.waiting[key] = comes
	}
	all.mu.Unlock()
	if invite != nil {
		return invite
	}
	ctx, end := context.WithTimeout(ctx, cancelWaits)
	defer end()
	select {
	case invite = <-comes:
	case <-ctx.Done():
		all.mu.Lock()
		defer all.mu.Unlock()
		select {
		case invite = <-comes: // at the last moment
		default:
			delete(all.waiting, key)
		}
	}
	return invite
}

// transactionOf names that of an INVITE, which its CANCEL has, too.
func transactionOf(r *sip.Request) string {
	if r.Via() == nil || r.CallID() == nil || r.CSeq() == nil {
		return ""
	}
	branch, _ := r.Via().Params.Get("branch")
	return strings.Join([]string{branch, r.Via().SentBy(), r.CallID().Value(), strconv.FormatUint(uint64(r.CSeq().SeqNo), 10)}, " ")
}

// required are the extensions that a request wants of us, and that are not here.
func required(r *sip.Request) string {
	var missing []string
	for _, h := range r.GetHeaders("Require") {
		for one := range strings.SplitSeq(h.Value(), ",") {
			if one = strings.TrimSpace(one); one != "" && one != "timer" && one != "replaces" {
				missing = append(missing, one)
			}
		}
	}
	return strings.Join(missing, ", ")
}

// whose is the trunk of several that a call is for: the one in whose account somebody has the number.
func (a *Agent) whose(of []Trunk, r *sip.Request) Trunk {
	if len(of) == 1 || a.cfg.Numbered == nil {
		return of[0]
	}
	numbers := make([]Number, len(of))
	for i, t := range of {
		numbers[i] = Number{t.TenantID, called(t, r)}
	}
	return of[max(a.cfg.Numbered(a.working, numbers), 0)]
}

// called is the number that a request is for, in full: that of the request itself, or, where the
// peer calls us by the name that we registered, that of the To header.
func called(t Trunk, r *sip.Request) string {
	user := r.Recipient.User
	if t.named(user) && r.To().Address.User != "" {
		user = r.To().Address.User
	}
	user, _, _ = strings.Cut(user, ";")
	return strings.TrimPrefix(stored(t.Plan(), user), "tel:")
}

// stored is a number in full, or the user as it is.
func stored(plan numbers.Plan, user string) string {
	if number := plan.Stored(user); number != "" {
		return number
	}
	return user
}

// caller is who calls: by From, and by P-Asserted-Identity where that says nothing. Only those are
// asked here who are known. Who does not want to be shown is nobody.
func caller(t Trunk, r *sip.Request) string {
	if h := r.GetHeader("Privacy"); h != nil && strings.Contains(strings.ToLower(h.Value()), "id") {
		return ""
	}
	shown := identity(t, r.From().Address)
	if shown != "" {
		return shown
	}
	for _, h := range r.GetHeaders("P-Asserted-Identity") {
		var uri sip.Uri
		var params sip.HeaderParams
		if _, err := sip.ParseAddressValue(h.Value(), &uri, &params); err != nil {
			continue
		}
		if who := identity(t, uri); who != "" {
			return who
		}
	}
	return ""
}

func identity(t Trunk, uri sip.Uri) string {
	user := unescaped(uri.User)
	if uri.Scheme == "tel" && user == "" {
		user = uri.Host
	}
	if strings.EqualFold(user, "anonymous") || strings.HasSuffix(strings.ToLower(uri.Host), "anonymous.invalid") || user == "" {
		return ""
	}
	if number := t.Plan().Stored(user); number != "" {
		return number
	}
	if len(user)+len(uri.Host) > 255 {
		return ""
	}
	return "sip:" + escaped(user) + "@" + uri.Host
}

// dialogHere is the dialog that a request makes, with our tag.
func (a *Agent) dialogHere(r *sip.Request, t Trunk, in *Incoming) (*dialog, error) {
	by, err := a.sender(t, over(r))
	if err != nil {
		return nil, err
	}
	d := &dialog{agent: a, by: by, trunk: t, first: in.source, of: calls.Dialog{CallID: r.CallID().Value(),
		Local: r.To().Value() + ";tag=" + in.tag, Remote: r.From().Value(), Target: contactOf(r), CSeq: rand.Uint32N(10_000),
		Transport: string(over(r))}}
	if r.CSeq() != nil {
		d.heard = r.CSeq().SeqNo
	}
	if over(r) == trunks.TLS {
		d.back = a.back(in.source)
	}
	for _, h := range r.GetHeaders("Record-Route") {
		for one := range strings.SplitSeq(h.Value(), ",") {
			d.of.Routes = append(d.of.Routes, strings.TrimSpace(one))
		}
	}
	return d, nil
}

// over is the transport of a request.
func over(r *sip.Request) trunks.Transport {
	if t := trunks.Transport(strings.ToLower(r.Transport())); slices.Contains([]trunks.Transport{trunks.UDP, trunks.TCP, trunks.TLS}, t) {
		return t
	}
	return trunks.UDP
}
