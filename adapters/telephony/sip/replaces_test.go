package sip_test

import (
	"context"
	"fmt"
	"net"
	"net/textproto"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	sipgo "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/trunks"
)

// connectsFrom is a peer of another address of this machine.
func connectsFrom(t *testing.T, c *caller, address string) *talker {
	t.Helper()
	by := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	conn, err := by.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", c.Port()))
	require.NoError(t, err)
	return talks(t, "TCP", conn)
}

// inPlaceOf is the header of who goes on with the call of a peer.
func (p *talker) inPlaceOf(tag, from string) string {
	return fmt.Sprintf("Replaces: %s;from-tag=%s;to-tag=%s", p.LocalAddr(), from, tag)
}

// tellsDialogs picks up, follows the call to its end, and tells of its dialogs as they are established: the first one, and those of who
// goes on with it.
func tellsDialogs(t *testing.T, dialogs int) (do func(*sip.Incoming, calls.Offer) string, established <-chan calls.Dialog) {
	told := make(chan calls.Dialog, dialogs)
	return func(in *sip.Incoming, _ calls.Offer) string {
		_ = in.Answer(t.Context(), answersTo)
		l := &heardLeg{t: t, Leg: in.Leg}
		for range dialogs {
			told <- *l.until(calls.FactEstablished).Dialog
		}
		return l.over()
	}, told
}

// Given a call, when the trunk's peer has somebody else go on with it, then the call is theirs: who was on it is hung up, the sound
// and the dialog are those of the other, and it ends when they hang up. That is no new call, and is done while none is taken.
func TestSomebodyGoesOnWithACall(t *testing.T) {
	for name, describesLast := range map[string]bool{"described": false, "described in the ACK": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var drains atomic.Bool
			follows, moved := tellsDialogs(t, 2)
			d := newDesk(t, follows)
			d.Refuses(drains.Load)
			first, second := connects(t, d.caller), connects(t, d.caller)
			tag := first.calls()
			was := <-moved
			drains.Store(true)
			second.more = first.inPlaceOf(tag, "theirs") + "\r\nRequire: replaces\r\n"
			offer, answer := strings.Replace(pcmu, "40000", "40010", 1), ""
			if describesLast {
				offer, answer = answer, offer
			}
			second.asks("INVITE", "", offer, 1)
			told := second.hears("SIP/2.0 200")
			require.Contains(t, told.Get("Supported"), "replaces")
			_, next, _ := strings.Cut(told.Get("To"), "tag=")
			require.NotEqual(t, tag, next)
			second.more = ""
			second.asks("ACK", next, answer, 1)
			first.hears("BYE")
			is := <-moved
			require.Equal(t, []any{second.LocalAddr().String(), "127.0.0.1:40010", was.Trunk}, []any{is.CallID, is.RTP, is.Trunk})
			first.asks("BYE", tag, "", 2) // which crossed ours
			first.hears("SIP/2.0 481")
			second.asks("OPTIONS", next, "", 2)
			second.hears("SIP/2.0 200")
			second.asks("BYE", next, "", 3)
			second.hears("SIP/2.0 200")
			d.over(t, 1)
			require.Equal(t, "answered, established, established, hung-up", d.story())
			require.Len(t, d.offered(), 1)
		})
	}
}

// Given a call, then who may not go on with it hears why, as far as it is theirs to know, and the call is as it was.
func TestWhoDoesNotGoOnWithACall(t *testing.T) {
	t.Parallel()
	follows, established := tellsDialogs(t, 1)
	d := deskOf(newCaller(t, "192.0.2.1", func(tr *sip.Trunk) { tr.Sources = []string{"127.0.0.1/32"} }), follows)
	d.trunks.change("other", func(tr *sip.Trunk) { tr.Name, tr.Sources = "other", []string{"127.0.0.2/32"} })
	first := connects(t, d.caller)
	tag := first.calls()
	<-established // before which nobody goes on with it
	mine := first.inPlaceOf(tag, "theirs")
	torn := strings.Replace(pcmu, "RTP/AVP 0", "RTP/AVP 77", 1)
	asks := 0
	refused := func(by *talker, replaces, sdp string) string {
		t.Helper()
		asks++
		by.more = replaces + "\r\n"
		by.asks("INVITE", "", sdp, asks)
		line := by.told()
		for strings.HasPrefix(line, "SIP/2.0 100") {
			line = by.told()
		}
		by.more = ""
		by.asks("ACK", "x", "", asks)
		return strings.Fields(line + " nothing")[1]
	}
	peer, stranger, another := connects(t, d.caller), connectsFrom(t, d.caller, "127.0.0.3"), connectsFrom(t, d.caller, "127.0.0.2")
	for name, c := range map[string]struct {
		by       *talker
		replaces string
		sdp      string
		code     string
	}{
		"no such call":                 {peer, "Replaces: nobody;from-tag=theirs;to-tag=" + tag, pcmu, "481"},
		"no such tag of ours":          {peer, first.inPlaceOf("x", "theirs"), pcmu, "481"},
		"no such tag of theirs":        {peer, first.inPlaceOf(tag, "x"), pcmu, "481"},
		"the tags the other way round": {peer, first.inPlaceOf("theirs", tag), pcmu, "481"},
		"the call of another trunk":    {another, mine, pcmu, "481"},
		"a stranger":                   {stranger, mine, pcmu, "403"},
		"only while it rings":          {peer, mine + ";early-only", pcmu, "486"},
		"two calls":                    {peer, mine + "\r\n" + mine, pcmu, "400"},
		"two calls in one":             {peer, mine + "," + strings.TrimPrefix(mine, "Replaces: "), pcmu, "400"},
		"no tags":                      {peer, "Replaces: " + first.LocalAddr().String(), pcmu, "400"},
		"nothing":                      {peer, "Replaces: ;", pcmu, "400"},
		"what else it wants":           {peer, mine + "\r\nRequire: replaces, 100rel", pcmu, "420"},
		"no sound of ours":             {peer, mine, torn, "488"},
		"sound that points inward":     {peer, mine, strings.Replace(pcmu, "c=IN IP4 127.0.0.1", "c=IN IP4 10.0.0.1", 1), "488"},
	} {
		require.Equal(t, c.code, refused(c.by, c.replaces, c.sdp), name)
	}
	first.asks("OPTIONS", tag, "", 2)
	first.hears("SIP/2.0 200")
	first.asks("BYE", tag, "", 3)
	first.hears("SIP/2.0 200")
	d.over(t, 1)
	require.Equal(t, "answered, established, hung-up", d.story())
	require.Equal(t, "603", refused(peer, mine, pcmu), "it is over")
}

// Given two nodes, when somebody goes on at the one with a call of the other, then they hear where it is, and have it there. Of a call
// that no node has, and while nobody knows which nodes there are, they hear that.
func TestSomebodyGoesOnWithACallOfAnotherNode(t *testing.T) {
	t.Parallel()
	nodes, away := make([]sip.Neighbour, 2), fault.New(fault.Unavailable, "no database")
	var failed atomic.Bool
	open := func(name string) *caller {
		return callerWith(t, func(cfg *sip.Config) {
			cfg.Node = name
			cfg.Nodes = func(context.Context) ([]sip.Neighbour, error) {
				if failed.Load() {
					return nil, away
				}
				return nodes, nil
			}
		}, "192.0.2.1", local)
	}
	one, other := open("node-1"), open("node-2")
	nodes[0], nodes[1] = sip.Neighbour{Node: "node-1", At: one.Address()}, sip.Neighbour{Node: "node-2", At: other.Address()}
	follows, moved := tellsDialogs(t, 2)
	d := deskOf(one, follows)
	first := connects(t, one)
	tag := first.calls()
	<-moved
	asks, user := 0, "ann%40pbx"
	goesOn := func(at *caller, tag, hears string) (*talker, textproto.MIMEHeader) {
		t.Helper()
		asks++
		by := connects(t, at)
		by.user = user
		by.more = first.inPlaceOf(tag, "theirs") + "\r\n"
		by.asks("INVITE", "", pcmu, asks)
		return by, by.hears("SIP/2.0 " + hears)
	}
	_, told := goesOn(other, tag, "302")
	user = ""
	var to sipgo.Uri
	require.NoError(t, sipgo.ParseUri(strings.Trim(told.Get("Contact"), "<>"), &to))
	over, _ := to.UriParams.Get("transport")
	again, _ := to.Headers.Get("Replaces")
	again, err := url.PathUnescape(again)
	require.NoError(t, err)
	require.Equal(t, []string{"ann%40pbx", one.Address(), "tcp", first.inPlaceOf(tag, "theirs")},
		[]string{to.User, fmt.Sprintf("%s:%d", to.Host, to.Port), over, "Replaces: " + again})

	goesOn(other, "x"+tag, "481")
	goesOn(one, "x"+tag, "481")
	goesOn(one, tag+"x", "481")
	for _, at := range []string{"", other.Address()} { // a node of a version before, and one by the same address
		nodes[0].At = at
		goesOn(other, tag, "481")
	}
	failed.Store(true)
	goesOn(other, tag, "503")

	second, told := goesOn(one, tag, "200")
	_, next, _ := strings.Cut(told.Get("To"), "tag=")
	second.more = ""
	second.asks("ACK", next, "", asks)
	first.hears("BYE")
	<-moved
	second.asks("BYE", next, "", asks+1)
	second.hears("SIP/2.0 200")
	d.over(t, 1)
}

// Given a call with somebody, and another with a person over the same trunk, then the trunk is asked to have the first talk with the
// second in our place.
func TestAPeerTakesAPersonOver(t *testing.T) {
	t.Parallel()
	person := SIPp(t, Scenario(ReplySDP(200, "OK", Sound(answered)), ACK, BYE, ReplyOK), 1)
	const replaces = `\?Replaces=[^%]+%40127.0.0.1%3Bto-tag%3D[A-Za-z0-9]+%3Bfrom-tag%3D[A-Za-z0-9]+>`
	to := "<sip:callee@" + at(person) + ";transport=UDP" + replaces
	line := SIPp(t, Scenario(ReplySDP(200, "OK", Sound(answered)), ACK, Matching("REFER", map[string]string{"Refer-To": to}),
		Answers(202, "Accepted"), Notifies(8, active, "SIP/2.0 100 Trying"), OK, Notifies(9, ended, "SIP/2.0 200 OK"), OK, BYE, ReplyOK), 1)
	attended := func(tr *sip.Trunk) { tr.Transfers = trunks.TransfersAttended }
	c := newCaller(t, at(line), attended)
	leg := c.dials(t)
	leg.until(calls.FactEstablished)
	require.Equal(t, []bool{true, false}, []bool{leg.Attends(), leg.Refers()})
	c.trunks.change("main", func(tr *sip.Trunk) { tr.Address = at(person) })
	other, err := c.Dial(t.Context(), calls.LegRequest{CallID: "c-1", SID: "s-2", TenantID: "acme", Target: "tel:+15550000002", Trunk: "main"})
	require.NoError(t, err)
	with := &heardLeg{t: t, Leg: other}
	with.until(calls.FactEstablished)
	code, _, err := leg.ReferTo(t.Context(), other, "t-1")
	require.NoError(t, err)
	require.Equal(t, 202, code)
	require.Equal(t, 200, leg.until(calls.FactTransferred).Code)
	require.NoError(t, leg.HangUp(t.Context()))
	require.NoError(t, with.HangUp(t.Context()))
	require.Equal(t, "answered, established, transferred 200 OK", leg.over())
	with.over()
	line.Satisfied()
	person.Satisfied()
	for _, no := range []any{other, leg.Leg, "no leg"} {
		_, _, err = leg.ReferTo(t.Context(), no, "t-1")
		require.Error(t, err, "they are over")
	}
}

// Given a leg of another trunk, then the peer is not asked for it.
func TestAPeerDoesNotKnowACallOfAnotherTrunk(t *testing.T) {
	t.Parallel()
	talks := Scenario(ReplySDP(200, "OK", Sound(answered)), ACK, BYE, ReplyOK)
	one, two := SIPp(t, talks, 1), SIPp(t, talks, 1)
	c := newCaller(t, at(one))
	c.trunks.change("spare", func(tr *sip.Trunk) { tr.Name, tr.Address = "spare", at(two) })
	leg := c.dials(t)
	leg.until(calls.FactEstablished)
	other, err := c.Dial(t.Context(), calls.LegRequest{SID: "s-2", TenantID: "acme", Target: "tel:+15550000002", Trunk: "spare"})
	require.NoError(t, err)
	with := &heardLeg{t: t, Leg: other}
	with.until(calls.FactEstablished)
	_, _, err = leg.ReferTo(t.Context(), other, "t-1")
	require.ErrorContains(t, err, "none over the same trunk")
	for _, l := range []*heardLeg{leg, with} {
		require.NoError(t, l.HangUp(t.Context()))
		l.over()
	}
	one.Satisfied()
	two.Satisfied()
}
