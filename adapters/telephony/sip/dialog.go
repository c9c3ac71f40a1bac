package sip

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"

	"github.com/emiago/sipgo/sip"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// allowed is what peers may send us.
const allowed = "INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK, NOTIFY"

// dialog is how we speak in the dialog of a leg: what an event holds of it, and where it goes.
type dialog struct {
	agent *Agent
	by    sender
	back  *sender // to where the call came from: by its own connection; nil: there is none
	trunk Trunk
	first netip.AddrPort // where the call was sent: what names an address that we do not connect to is sent there

	mu    sync.Mutex
	of    calls.Dialog
	heard uint32 // the number of the peer's last INVITE or UPDATE; 0: of none
}

// now is the dialog as it is.
func (d *dialog) now() calls.Dialog {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.of
}

// count is the number of the next request.
func (d *dialog) count() uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of.CSeq++
	return d.of.CSeq
}

// late reports whether a request of the peer's that changes the call comes behind one of a greater number (RFC 3261, 12.2.2): what it
// says held before, and does not any more.
func (d *dialog) late(r *sip.Request) bool {
	if r.CSeq() == nil {
		return false
	}
	number := r.CSeq().SeqNo
	d.mu.Lock()
	defer d.mu.Unlock()
	if number < d.heard {
		return true
	}
	d.heard = number
	return false
}

// request makes one in the dialog. cseq 0 is the next; an ACK has that of its INVITE.
func (d *dialog) request(ctx context.Context, method sip.RequestMethod, cseq uint32) (*sip.Request, error) {
	if cseq == 0 {
		cseq = d.count()
	}
	of := d.now()
	var target sip.Uri
	if err := sip.ParseUri(of.Target, &target); err != nil {
		return nil, fmt.Errorf("the peer's contact cannot be read: %w", err)
	}
	hop, routes := target, of.Routes
	if len(routes) > 0 {
		var params sip.HeaderParams
		hop = sip.Uri{}
		if _, err := sip.ParseAddressValue(routes[0], &hop, &params); err != nil {
			return nil, fmt.Errorf("the peer's route cannot be read: %w", err)
		}
		if !hop.UriParams.Has("lr") { // a strict router: it is the target, and the target is the last route
			routes = append(routes[1:len(routes):len(routes)], "<"+of.Target+">")
			target = hop
		}
	}
	r := sip.NewRequest(method, target)
	r.SetTransport(strings.ToUpper(of.Transport))
	r.AppendHeader(sip.NewHeader("From", of.Local))
	r.AppendHeader(sip.NewHeader("To", of.Remote))
	r.AppendHeader(sip.NewHeader("Call-ID", of.CallID))
	r.AppendHeader(&sip.CSeqHeader{SeqNo: cseq, MethodName: method})
	forwards := sip.MaxForwardsHeader(70)
	r.AppendHeader(&forwards)
	for _, route := range routes {
		r.AppendHeader(sip.NewHeader("Route", route))
	}
	r.SetDestination(d.toward(ctx, hop).String())
	return r, nil
}

// toward is where a request for a hop is sent. A peer may name an address of its own network, or of ours: then it goes where the
// call went. By our own socket the library keeps whoever connected last.
func (d *dialog) toward(ctx context.Context, hop sip.Uri) netip.AddrPort {
	over := trunks.Transport(d.now().Transport)
	if at, ok := numeric(hop, over); ok {
		if d.agent.cfg.Allow(at.Addr()) && !d.agent.own(at) {
			return at
		}
		return d.first
	}
	address := hop.Host
	if hop.Port > 0 {
		address = fmt.Sprintf("%s:%d", hop.Host, hop.Port)
	}
	at, err := d.agent.locate(ctx, address, over)
	if err != nil || d.agent.own(at) {
		return d.first
	}
	return at
}

// sender is what a request in the dialog is sent by.
func (d *dialog) sender(r *sip.Request) sender {
	if d.back != nil && r.Destination() == d.first.String() {
		return *d.back
	}
	return d.by
}

// ask sends a request in the dialog, and waits for its answer.
func (d *dialog) ask(ctx context.Context, method sip.RequestMethod, kind string, body []byte, more ...sip.Header) (*sip.Response, error) {
	req, err := d.request(ctx, method, 0)
	if err != nil {
		return nil, err
	}
	if method == sip.INVITE || method == sip.UPDATE {
		contact := d.agent.contact(d.trunk.Username, trunks.Transport(d.now().Transport))
		req.AppendHeader(&contact)
		req.AppendHeader(sip.NewHeader("Allow", allowed))
		req.AppendHeader(sip.NewHeader("Supported", "timer, replaces"))
	}
	for _, h := range more {
		req.AppendHeader(h)
	}
	if body != nil {
		req.AppendHeader(sip.NewHeader("Content-Type", kind))
	}
	req.SetBody(body)
	return d.sender(req).ask(ctx, d.trunk, req, d.count)
}

// acknowledge sends the ACK of a 2xx. It has the number of its INVITE, whatever was sent since.
func (d *dialog) acknowledge(ctx context.Context, invite uint32, body []byte) error {
	ack, err := d.request(ctx, sip.ACK, invite)
	if err != nil {
		return err
	}
	if body != nil {
		ack.AppendHeader(sip.NewHeader("Content-Type", sdpType))
	}
	ack.SetBody(body)
	return d.sender(ack).write(ack)
}

// bye ends the dialog. One that the peer does not know is over already.
func (d *dialog) bye(ctx context.Context) error {
	res, err := d.ask(ctx, sip.BYE, "", nil)
	if err != nil {
		return fmt.Errorf("ending a call at its peer: %w", err)
	}
	if !res.IsSuccess() && res.StatusCode != sip.StatusCallTransactionDoesNotExists && res.StatusCode != sip.StatusRequestTimeout {
		return fmt.Errorf("ending a call at its peer: %d %s", res.StatusCode, res.Reason)
	}
	return nil
}

// learn takes what an answer or a request of the peer says of where it is. It reports whether that has changed.
func (d *dialog) learn(m headed) bool {
	contact := contactOf(m)
	if contact == "" {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	changed := d.of.Target != contact
	d.of.Target = contact
	return changed
}

func contactOf(m headed) string {
	h := m.GetHeader("Contact")
	if h == nil {
		return ""
	}
	var uri sip.Uri
	var params sip.HeaderParams
	if _, err := sip.ParseAddressValue(h.Value(), &uri, &params); err != nil || uri.Host == "" {
		return ""
	}
	return uri.String()
}

var errNoDialog = errors.New("the answer names no dialog: it has no tag, or no contact")

// dialogOf is the dialog that an answer to our INVITE makes. A provisional one makes an early dialog.
func (a *Agent) dialogOf(by sender, t Trunk, first netip.AddrPort, invite *sip.Request, res *sip.Response) (*dialog, error) {
	to := res.To()
	if to == nil || !to.Params.Has("tag") {
		return nil, errNoDialog
	}
	target := contactOf(res)
	if target == "" && res.IsSuccess() {
		target = invite.Recipient.String() // it has to be there, and some leave it out
	}
	d := &dialog{agent: a, by: by, trunk: t, first: first, of: calls.Dialog{CallID: invite.CallID().Value(), Local: invite.From().Value(),
		Remote: to.Value(), Target: target, CSeq: invite.CSeq().SeqNo, Transport: string(t.Transport)}}
	if d.of.Target == "" {
		return nil, errNoDialog
	}
	recorded := res.GetHeaders("Record-Route")
	for i := len(recorded) - 1; i >= 0; i-- {
		parts := strings.Split(recorded[i].Value(), ",")
		for k := len(parts) - 1; k >= 0; k-- {
			d.of.Routes = append(d.of.Routes, strings.TrimSpace(parts[k]))
		}
	}
	return d, nil
}

// headed is a request or an answer.
type headed interface {
	GetHeader(name string) sip.Header
	GetHeaders(name string) []sip.Header
}

// tagOf is the tag in the value of a From or a To.
func tagOf(address string) string {
	var uri sip.Uri
	var params sip.HeaderParams
	if _, err := sip.ParseAddressValue(address, &uri, &params); err != nil {
		return ""
	}
	tag, _ := params.Get("tag")
	return tag
}

func dialogKey(callID, tag string) string { return callID + "\n" + tag }
