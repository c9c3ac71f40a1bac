package sip

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"
)

const registerFor = 120 // seconds

// Reach asks the peer of a trunk for a sign of life. Any answer is one, but for those that say that nobody is there.
func (a *Agent) Reach(ctx context.Context, tenant, name string) error {
	t, err := a.cfg.Trunk(ctx, tenant, name)
	if err != nil {
		return err
	}
	req, by, err := a.outside(ctx, t, sip.OPTIONS, sip.GenerateTagN(24), 1)
	if err != nil {
		return err
	}
	req.AppendHeader(sip.NewHeader("Accept", sdpType))
	res, err := by.once(ctx, req)
	switch {
	case err != nil:
		return err
	case res.StatusCode == 503 || res.StatusCode == 408 || res.StatusCode == 504:
		return fmt.Errorf("%d %s", res.StatusCode, res.Reason)
	}
	return nil
}

// Register makes us known to the peer of a trunk, and gives the time for which it will know us. Where the trunk led elsewhere
// before, we take leave there.
func (a *Agent) Register(ctx context.Context, tenant, name string) (time.Duration, error) {
	t, err := a.cfg.Trunk(ctx, tenant, name)
	if err != nil {
		return 0, err
	}
	of, was := a.registered(tenant, name)
	if was != nil && !sameRegistrar(*was, t) {
		a.takeLeave(ctx, of, *was)
	}
	held, err := a.register(ctx, of, t, registerFor)
	if err != nil {
		return 0, err
	}
	a.mu.Lock()
	of.as = &t
	a.mu.Unlock()
	return held, nil
}

// Unregister takes that back, as the trunk was then: it may be no more.
func (a *Agent) Unregister(ctx context.Context, tenant, name string) error {
	of, was := a.registered(tenant, name)
	a.mu.Lock()
	delete(a.registrations, tenant+"\x00"+name)
	a.mu.Unlock()
	if was == nil {
		return nil
	}
	_, err := a.register(ctx, of, *was, 0)
	return err
}

// registration is what our requests to one registrar have in common: by that it tells a new one from one that comes late, and knows
// them for those of one client.
type registration struct {
	callID string
	asked  uint32 // the number of the last request
	as     *Trunk // with which we registered; nil: we did not
}

// registered is what is known of a trunk's registrar, and as what we are registered with it; nil: we are not.
func (a *Agent) registered(tenant, name string) (of *registration, as *Trunk) {
	a.mu.Lock()
	defer a.mu.Unlock()
	of = a.registrations[tenant+"\x00"+name]
	if of == nil {
		of = &registration{callID: sip.GenerateTagN(24)}
		a.registrations[tenant+"\x00"+name] = of
	}
	return of, of.as
}

// sameRegistrar is whether a registration with one of the trunks takes the place of that with the other.
func sameRegistrar(a, b Trunk) bool {
	return a.Address == b.Address && a.Transport == b.Transport && a.Username == b.Username && a.domain() == b.domain() &&
		a.hop() == b.hop()
}

const leaveWithin = 2 * time.Second

// takeLeave has a registrar forget us, if it answers soon; else it does so when the registration runs out.
func (a *Agent) takeLeave(ctx context.Context, of *registration, was Trunk) {
	ctx, cancel := context.WithTimeout(ctx, leaveWithin)
	defer cancel()
	if _, err := a.register(ctx, of, was, 0); err != nil {
		a.cfg.Log.Info("a registration was left to run out", "tenant", was.TenantID, "trunk", was.Name, "error", err)
	}
}

func (a *Agent) register(ctx context.Context, of *registration, t Trunk, seconds int) (time.Duration, error) {
	a.mu.Lock()
	of.asked++
	next := of.asked
	a.mu.Unlock()
	req, by, err := a.outside(ctx, t, sip.REGISTER, of.callID, next)
	if err != nil {
		return 0, err
	}
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		of.asked = max(of.asked, req.CSeq().SeqNo)
	}()
	contact := a.contact(t.Username, t.Transport)
	req.AppendHeader(&contact)
	req.AppendHeader(sip.NewHeader("Expires", strconv.Itoa(seconds)))
	res, err := by.ask(ctx, t, req, nil)
	if err == nil && res.StatusCode == 423 { // it knows nobody for so short a time
		if least := res.GetHeader("Min-Expires"); least != nil {
			if n, bad := strconv.Atoi(strings.TrimSpace(least.Value())); bad == nil && n > seconds && n <= 86_400 {
				req.RemoveHeader("Expires")
				req.RemoveHeader("Via")
				req.AppendHeader(sip.NewHeader("Expires", least.Value()))
				req.CSeq().SeqNo++
				seconds = n
				res, err = by.ask(ctx, t, req, nil)
			}
		}
	}
	switch {
	case err != nil:
		return 0, err
	case !res.IsSuccess():
		return 0, fmt.Errorf("%d %s", res.StatusCode, res.Reason)
	}
	return granted(res, contact.Address, seconds), nil
}

// granted is for how long a registrar knows us: it says so beside our contact, or for all.
func granted(res *sip.Response, ours sip.Uri, asked int) time.Duration {
	seconds := asked
	if h := res.GetHeader("Expires"); h != nil {
		if n, err := strconv.Atoi(strings.TrimSpace(h.Value())); err == nil && n > 0 {
			seconds = min(n, asked)
		}
	}
	for _, h := range res.GetHeaders("Contact") {
		for one := range strings.SplitSeq(h.Value(), ",") {
			var uri sip.Uri
			var params sip.HeaderParams
			_, err := sip.ParseAddressValue(strings.TrimSpace(one), &uri, &params)
			if err != nil || uri.Host != ours.Host || uri.Port != ours.Port {
				continue
			}
			text, _ := params.Get("expires")
			if n, err := strconv.Atoi(text); err == nil && n > 0 {
				seconds = min(n, asked)
			}
		}
	}
	return time.Duration(max(seconds, 10)) * time.Second
}

// outside makes a request to a trunk that belongs to no call: which of those with this id it is.
func (a *Agent) outside(ctx context.Context, t Trunk, method sip.RequestMethod, id string, number uint32) (req *sip.Request, by sender,
	err error) {
	if by, err = a.sender(t, t.Transport); err != nil {
		return nil, by, err
	}
	first, err := a.locate(ctx, t.hop(), t.Transport)
	if err != nil {
		return nil, by, err
	}
	to := sip.Uri{Scheme: "sip", Host: t.domain()}
	if host, port := hostPort(t.Address, t.Transport); method != sip.REGISTER || t.FromDomain == "" {
		to.Host = host
		if strings.HasSuffix(t.Address, ":"+strconv.Itoa(port)) {
			to.Port = port
		}
	}
	req = sip.NewRequest(method, to)
	req.SetTransport(strings.ToUpper(string(t.Transport)))
	user := cmp.Or(t.Username, "parley")
	own := fmt.Sprintf("<sip:%s@%s>", escaped(user), t.domain())
	req.AppendHeader(sip.NewHeader("From", own+";tag="+sip.GenerateTagN(16)))
	if method == sip.REGISTER {
		req.AppendHeader(sip.NewHeader("To", own))
	} else {
		req.AppendHeader(sip.NewHeader("To", "<"+to.String()+">"))
		contact := a.contact(user, t.Transport)
		req.AppendHeader(&contact)
	}
	req.AppendHeader(sip.NewHeader("Call-ID", id+"@"+a.host))
	req.AppendHeader(&sip.CSeqHeader{SeqNo: number, MethodName: method})
	forwards := sip.MaxForwardsHeader(70)
	req.AppendHeader(&forwards)
	req.AppendHeader(sip.NewHeader("User-Agent", "Parley"))
	req.SetDestination(first.String())
	return req, by, nil
}
