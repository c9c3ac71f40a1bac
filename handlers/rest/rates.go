package rest

import (
	"context"
	"maps"
	"math"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/parley-platform/parley/domain/fault"
)

// Class is a rate that operations count against, per tenant.
type Class string

// The classes of the core. Slices may name more in Config.Rates.
const (
	Requests  Class = "requests"  // all operations that do not say otherwise
	Unmetered Class = "unmetered" // never refused, and without headers
	Strangers Class = "strangers" // requests without a good credential, by the address that they come from
	Messages  Class = "messages"  // of one session
)

// Rate is how much of a class one tenant may do, on all nodes together. A tenant
// that was idle may do all of it at once. Messages are counted one by one: no time of
// this length has more of them, whenever it begins.
type Rate struct {
	Limit int           // requests
	Per   time.Duration // in which time
}

// DefaultRates are those of docs/api-rules.md "Rates".
var DefaultRates = map[Class]Rate{
	Requests:  {Limit: 1000, Per: time.Second},
	Strangers: {Limit: 500, Per: time.Second},
	Messages:  {Limit: 60, Per: time.Minute},
}

// maxStrangers is how many addresses are told apart. The others share one rate: an
// attacker who has many addresses must not fill the memory with them.
const maxStrangers = 10_000

// sweepEvery is how often buckets of idle tenants are dropped.
const sweepEvery = time.Minute

// meters hold one bucket per class and tenant, of tokens or of what was taken. Each node takes its share of
// the live nodes; a bucket that is full again is the same as none and is dropped.
type meters struct {
	rates map[Class]Rate
	nodes func() int
	now   func() time.Time

	mu      sync.Mutex
	buckets map[meterKey]*bucket
	swept   time.Time
}

type meterKey struct {
	class  Class
	tenant string
}

type bucket struct {
	limiter *rate.Limiter
	share   int         // of the class's limit, for which the limiter is set
	taken   []time.Time // of Messages, in place of tokens: when each of those that count was
}

func newMeters(overrides map[Class]Rate, nodes func() int, now func() time.Time) *meters {
	rates := maps.Clone(DefaultRates)
	maps.Copy(rates, overrides)
	if nodes == nil {
		nodes = func() int { return 1 }
	}
	return &meters{rates: rates, nodes: nodes, now: now, buckets: map[meterKey]*bucket{}, swept: now()}
}

// reading is the state of a bucket after a request was counted.
type reading struct {
	limit     int           // of the class, for all nodes
	remaining int           // for all nodes, if the others are as busy as this one
	full      time.Time     // when the whole limit is there again
	wait      time.Duration // until the next request is possible; zero: it was counted
}

// count takes one request of the tenant, if there is one left.
func (m *meters) count(class Class, tenant string) reading { return m.countWithin(class, tenant, 0) }

// countWithin is count where there may be fewer than the class says; 0: as it says.
func (m *meters) countWithin(class Class, tenant string, most int) reading {
	r, nodes, now := m.rates[class], max(m.nodes(), 1), m.now()
	if most > 0 {
		r.Limit = min(r.Limit, most)
	}
	share := max(r.Limit/nodes, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep(now)
	key := meterKey{class, tenant}
	b := m.buckets[key]
	if b == nil {
		b = &bucket{limiter: rate.NewLimiter(perSecond(share, r.Per), share), share: share}
		m.buckets[key] = b
	}
	if class == Messages {
		b.share = share
		return b.each(now, r, nodes)
	}
	if b.share != share {
		b.limiter.SetLimitAt(now, perSecond(share, r.Per))
		b.limiter.SetBurstAt(now, share)
		b.share = share
	}
	taken := b.limiter.AllowN(now, 1)
	tokens := b.limiter.TokensAt(now)
	out := reading{limit: r.Limit, full: now.Add(refill(float64(share)-tokens, b.limiter))}
	out.remaining = min(max(int(tokens), 0)*nodes, r.Limit)
	if !taken {
		out.remaining, out.wait = 0, max(refill(1-tokens, b.limiter), time.Millisecond)
	}
	return out
}

// each counts one by one.
func (b *bucket) each(now time.Time, r Rate, nodes int) reading {
	b.taken = slices.DeleteFunc(b.taken, func(at time.Time) bool { return !at.Add(r.Per).After(now) })
	out := reading{limit: r.Limit}
	if n := len(b.taken); n < b.share {
		b.taken = append(b.taken, now)
		out.remaining = min((b.share-n-1)*nodes, r.Limit)
	} else {
		out.wait = max(b.taken[n-b.share].Add(r.Per).Sub(now), time.Millisecond)
	}
	out.full = b.taken[len(b.taken)-1].Add(r.Per)
	return out
}

// full says that the bucket is as one that was never taken from.
func (b *bucket) full(now time.Time, per time.Duration) bool {
	if n := len(b.taken); n > 0 {
		return !b.taken[n-1].Add(per).After(now)
	}
	return b.limiter.TokensAt(now) >= float64(b.share)
}

func perSecond(share int, per time.Duration) rate.Limit {
	return rate.Limit(float64(share) / per.Seconds())
}

func refill(tokens float64, l *rate.Limiter) time.Duration {
	return time.Duration(math.Ceil(tokens / float64(l.Limit()) * float64(time.Second)))
}

func (m *meters) sweep(now time.Time) {
	if now.Sub(m.swept) < sweepEvery {
		return
	}
	m.swept = now
	for key, b := range m.buckets {
		if b.full(now, m.rates[key.class].Per) {
			delete(m.buckets, key)
		}
	}
}

// meter counts the request and says in the headers what is left. Its refusal is
// spoken after those on fields, which come before 429.
func (a *API) meter(x *exchange, r *http.Request) (*http.Request, error) {
	got, err := a.countFor(x)
	if got == nil {
		return r, nil
	}
	got.tell(x.answer.Header())
	x.overRate = err
	return r, nil
}

// tell says in the headers of an answer how its rate stands.
func (r reading) tell(h http.Header) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(r.limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(r.remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(int64(math.Ceil(float64(r.full.UnixMilli())/1000)), 10))
}

// countFor counts one request of an exchange, and refuses one too many; nil: it is of no rate.
func (a *API) countFor(x *exchange) (*reading, error) {
	if x.principal.TenantID == "" || x.op.Class == Unmetered {
		return nil, nil
	}
	got := a.rates.count(x.op.Class, x.principal.TenantID)
	if got.wait > 0 {
		return &got, fault.New(fault.RateLimit, "more than %d %s in %s", got.limit, x.op.Class, a.rates.rates[x.op.Class].Per).After(got.wait)
	}
	return &got, nil
}

// CountMessage counts a message of a session of the project at hand, and refuses what is too
// much: most in the time of the class, where that is fewer than the server takes; 0: as many. An
// empty session is none. The headers of a refusal are of the rate that refuses: those of the account have much left.
func CountMessage(ctx context.Context, session string, most int) error {
	x := exchangeOf(ctx)
	if session == "" || x.api == nil {
		return nil
	}
	rates := x.api.rates
	of := x.principal.TenantID + " " + ProjectOf(ctx).ID + " " + session // a key names sessions of its project alone
	if got := rates.countWithin(Messages, of, most); got.wait > 0 {
		if x.answer != nil {
			got.tell(x.answer.Header())
		}
		return fault.New(fault.RateLimit, "more than %d %s of the session in %s", got.limit, Messages, rates.rates[Messages].Per).After(got.wait)
	}
	return nil
}

// meterStranger counts a request without a good credential. Behind a proxy all of them
// come from its address and share its rate, which callers with a good one never meet.
func (a *API) meterStranger(r *http.Request) error {
	if a.rates.rates[Strangers].Limit <= 0 {
		return nil
	}
	if got := a.rates.count(Strangers, a.rates.strangerAt(r.RemoteAddr)); got.wait > 0 {
		return fault.New(fault.RateLimit, "too many requests without a valid credential").After(got.wait)
	}
	return nil
}

// strangerAt names whom an address belongs to: the /64 of IPv6, of which one host has all.
func (m *meters) strangerAt(remote string) string {
	const others = "others"
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return others
	}
	bits := 32
	if at.Addr().Unmap().Is6() {
		bits = 64
	}
	net, err := at.Addr().Unmap().Prefix(bits)
	if err != nil {
		return others
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.buckets[meterKey{Strangers, net.String()}] == nil && len(m.buckets) >= maxStrangers {
		return others
	}
	return net.String()
}
