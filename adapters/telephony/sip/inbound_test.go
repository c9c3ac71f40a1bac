package sip_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

const ann = "<sip:+15550000001@[local_ip]>"

// desk takes calls: it notes what was offered, and does with each what it is told.
type desk struct {
	*caller
	mu      sync.Mutex
	offers  []calls.Offer
	stories []string
	done    chan struct{} // a value for each call that is over
}

func (d *desk) over(t *testing.T, n int) {
	t.Helper()
	for range n {
		select {
		case <-d.done:
		case <-time.After(30 * time.Second):
			require.Fail(t, "a call does not end")
		}
	}
}

func (d *desk) offered() []calls.Offer {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.offers
}

func (d *desk) story() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.stories, "; ")
}

// newDesk is an agent at which calls come in from 127.0.0.1.
func newDesk(t *testing.T, do func(*sip.Incoming, calls.Offer) string, change ...func(*sip.Trunk)) *desk {
	return deskOf(newCaller(t, "192.0.2.1", append([]func(*sip.Trunk){local}, change...)...), do)
}

func local(tr *sip.Trunk) { tr.Sources = []string{"127.0.0.0/8"} }

func deskOf(c *caller, do func(*sip.Incoming, calls.Offer) string) *desk {
	d := &desk{caller: c, done: make(chan struct{}, 100)}
	d.Takes(func(_ context.Context, o calls.Offer, in *sip.Incoming) {
		d.mu.Lock()
		d.offers = append(d.offers, o)
		d.mu.Unlock()
		story := do(in, o)
		d.mu.Lock()
		d.stories = append(d.stories, story)
		d.mu.Unlock()
		d.done <- struct{}{}
	})
	return d
}

var answersTo = calls.LegRequest{CallID: "c-1", SID: "c-1", TenantID: "acme", Trunk: "main"}

// picksUp rings, answers, and follows the call to its end.
func picksUp(t *testing.T) func(*sip.Incoming, calls.Offer) string {
	return func(in *sip.Incoming, _ calls.Offer) string {
		_ = in.Ring(t.Context())
		if err := in.Answer(t.Context(), answersTo); err != nil {
			return err.Error()
		}
		return (&heardLeg{t: t, Leg: in.Leg}).over()
	}
}

func rejects(code int, phrase string) func(*sip.Incoming, calls.Offer) string {
	return func(in *sip.Incoming, _ calls.Offer) string {
		_ = in.Reject(context.Background(), code, phrase)
		return fmt.Sprint(code)
	}
}

func TestACallComesIn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, picksUp(t))
	peer := Calls(t, d.Port(), "+15550100", Invites(ann, Sound(answer)), MayBeTold(100), MayBeTold(180), Told(200), SaysACK(ann, ""),
		Pause(300), Asks("BYE", ann, 2, ""), Told(200))
	peer.Satisfied()
	d.over(t, 1)
	require.Equal(t, "answered, established, hung-up", d.story())
	o := d.offered()[0]
	require.Equal(t, []any{"acme", "main", "tel:+15550000001", "+15550100", false}, []any{o.TenantID, o.Trunk, o.Person, o.Called, o.Full})
	require.NotEmpty(t, o.ProviderID)
	require.NotEmpty(t, o.Tag)
	require.Contains(t, o.Branch, "z9hG4bK")
}

// Given a call that came by many proxies, then it is answered all the same: an answer goes the way of its request, however long it is.
// A request that is too long for a datagram goes by TCP, and as a datagram to who takes it by nothing else.
func TestLongMessages(t *testing.T) {
	t.Parallel()
	d := newDesk(t, picksUp(t))
	proxies := strings.Repeat("Record-Route: <sip:127.0.0.1:9;lr;ftag="+strings.Repeat("x", 100)+">\n", 20)
	Calls(t, d.Port(), "+15550100", Invites(ann, Sound(answer), proxies), MayBeTold(100), MayBeTold(180), Told(200), SaysACK(ann, ""),
		Asks("BYE", ann, 2, ""), Told(200)).Satisfied()

	peer := Listens(t)
	leg := newCaller(t, peer.LocalAddr().String()).dialsURI(t, "sip:"+strings.Repeat("x", 1000)+"@127.0.0.1")
	peer.Hears("INVITE")
	peer.Answers("486 Busy Here", "", "")
	require.Equal(t, "rejected 486 Busy Here", leg.over())

	both := Listens(t)
	tcp, err := net.Listen("tcp", both.LocalAddr().String())
	require.NoError(t, err)
	defer func() { _ = tcp.Close() }()
	leg = newCaller(t, both.LocalAddr().String()).dialsURI(t, "sip:"+strings.Repeat("x", 1000)+"@127.0.0.1")
	conn, err := tcp.Accept()
	require.NoError(t, err)
	begins := make([]byte, 6)
	_, err = io.ReadFull(conn, begins)
	require.NoError(t, err)
	require.Equal(t, "INVITE", string(begins))
	require.NoError(t, conn.Close())
	require.Equal(t, "rejected 503 ", leg.over())
}

func TestCallsThatComeInEndInManyWays(t *testing.T) {
	hangsUp := func(in *sip.Incoming, _ calls.Offer) string {
		_ = in.Answer(t.Context(), answersTo)
		l := &heardLeg{t: t, Leg: in.Leg}
		l.until(calls.FactEstablished)
		_ = in.HangUp(t.Context())
		return l.over()
	}
	waits := func(in *sip.Incoming, _ calls.Offer) string {
		_ = in.Ring(t.Context())
		f := <-in.Facts()
		return string(f.Kind)
	}
	answersAllTheSame := func(in *sip.Incoming, o calls.Offer) string {
		gone := waits(in, o)
		_ = in.Answer(t.Context(), answersTo)
		return gone
	}
	// 487 is told until it is acknowledged, and nothing else is: a caller who hears another answer ends the scenario.
	givesUp := []string{Invites(ann, Sound(answer)), MayBeTold(100), Told(180), Cancels(ann), "<recv response=\"200\"/>\n",
		"<recv response=\"487\"/>\n", Pause(1500), SaysACK(ann, "")}
	for name, c := range map[string]struct {
		do     func(*sip.Incoming, calls.Offer) string
		change func(*sip.Trunk)
		script []string
		want   string
	}{
		"we hang up": {hangsUp, nil, []string{Invites(ann, Sound(answer)), MayBeTold(100), Told(200), SaysACK(ann, ""), BYE, ReplyOK},
			"answered, established"},
		"the caller gives up": {waits, nil, []string{Invites(ann, Sound(answer)), MayBeTold(100), Told(180), Cancels(ann),
			"<recv response=\"200\"/>\n", "<recv response=\"487\"/>\n", SaysACK(ann, "")}, "hung-up"},
		"the caller gives up, and acknowledges that late":   {waits, nil, givesUp, "hung-up"},
		"the caller gives up, and is answered all the same": {answersAllTheSame, nil, givesUp, "hung-up"},
		"the caller describes the sound last": {picksUp(t), nil, []string{Invites(ann, ""), MayBeTold(100), MayBeTold(180), Told(200),
			SaysACK(ann, Sound(answer)), Pause(300), Asks("BYE", ann, 2, ""), Told(200)}, "answered, established, hung-up"},
		"a REFER that asks us to call somebody": {picksUp(t), nil, []string{Invites(ann, Sound(answer)), MayBeTold(100), MayBeTold(180),
			Told(200), SaysACK(ann, ""), Asks("REFER", ann, 2, "Refer-To: <sip:+19005550000@192.0.2.9>\n"), Told(603),
			Asks("BYE", ann, 3, ""), Told(200)}, "answered, established, hung-up"},
		"nobody says a last word": {func(*sip.Incoming, calls.Offer) string { return "left" }, nil, []string{Invites(ann, Sound(answer)),
			MayBeTold(100), Told(500), SaysACK(ann, "")}, "left"},
		"nobody": {rejects(404, "Not Found"), nil, []string{Invites(ann, Sound(answer)), MayBeTold(100), Told(404), SaysACK(ann, "")}, "404"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := []func(*sip.Trunk){}
			if c.change != nil {
				change = append(change, c.change)
			}
			d := newDesk(t, c.do, change...)
			peer := Calls(t, d.Port(), "+15550100", c.script...)
			peer.Satisfied()
			d.over(t, 1)
			require.Equal(t, c.want, d.story())
		})
	}
}

// Given a CANCEL that is here before its INVITE is at work, as both come at once or one datagram overtakes the other, then it is
// taken all the same, and the caller is told nothing but that the call is over. One of no call is told so.
func TestACancelThatIsEarly(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(in *sip.Incoming, _ calls.Offer) string {
		f := <-in.Facts()
		_ = in.Ring(t.Context())
		_ = in.Answer(t.Context(), answersTo)
		_ = in.Reject(t.Context(), 404, "Not Found")
		return string(f.Kind)
	})
	for _, order := range [][]string{{"CANCEL", "INVITE"}, {"INVITE", "CANCEL"}} {
		conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", d.Port()))
		require.NoError(t, err)
		p := talks(t, "UDP", conn)
		for _, method := range order {
			sdp := ""
			if method == "INVITE" {
				sdp = pcmu
			}
			p.asks(method, "", sdp, 1)
		}
		told := map[string]string{}
		for len(told) < 2 {
			line, h := p.next()
			if code := strings.Fields(line)[1]; code >= "200" {
				told[h.Get("CSeq")] = code
			}
		}
		require.Equal(t, map[string]string{"1 CANCEL": "200", "1 INVITE": "487"}, told)
		d.over(t, 1)
		require.Contains(t, p.told(), " 487 ", "which is told until it is acknowledged")
		p.asks("CANCEL", "", "", 2)
		require.Equal(t, "2 CANCEL", p.hears("SIP/2.0 481").Get("CSeq"))
	}
	require.Equal(t, "hung-up; hung-up", d.story())
}

// What is refused before it is a call: nobody is offered it.
func TestWhatIsNoCall(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*sip.Trunk)
		invite string
		code   int
	}{
		"from nowhere that a trunk is": {func(tr *sip.Trunk) { tr.Sources = []string{"192.0.2.0/24"} }, Invites(ann, Sound(answer)), 403},
		"no codec of ours": {nil, Invites(ann, strings.ReplaceAll(Sound(answer),
			"AVP 0 101\na=rtpmap:0 PCMU/8000", "AVP 9 101")), 488},
		"a torn description":                         {nil, Invites(ann, "this is none\n"), 488},
		"sound that points inward":                   {nil, Invites(ann, strings.Replace(Sound(answer), "[media_ip]", "10.0.0.1", 1)), 488},
		"sound that is to be encrypted":              {nil, Invites(ann, strings.ReplaceAll(Sound(answer), "RTP/AVP", "RTP/SAVP")), 488},
		"sound that is not encrypted, and has to be": {func(tr *sip.Trunk) { tr.SRTP = trunks.SRTPRequire }, Invites(ann, Sound(answer)), 488},
		"an extension that is not here":              {nil, Invites(ann, Sound(answer), "Require: 100rel, timer\n"), 420},
		"in place of another call":                   {nil, Invites(ann, Sound(answer), "Replaces: x;to-tag=y;from-tag=z\n"), 481},
		"a name for it that is too long": {nil, strings.Replace(Invites(ann, Sound(answer)), "tag=[pid]", "tag="+
			strings.Repeat("x", 300), 1), 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := []func(*sip.Trunk){}
			if c.change != nil {
				change = append(change, c.change)
			}
			d := newDesk(t, picksUp(t), change...)
			peer := Calls(t, d.Port(), "+15550100", c.invite, MayBeTold(100), Told(c.code), SaysACK(ann, ""))
			peer.Satisfied()
			require.Empty(t, d.offered())
		})
	}
}

// Who calls, and whom, as different trunks write it.
func TestWhoCallsWhom(t *testing.T) {
	german := func(tr *sip.Trunk) { tr.NumberFormat, tr.Country = "national", "49" }
	registered := func(tr *sip.Trunk) { tr.Username, tr.Register = "4711", true }
	for name, c := range map[string]struct {
		change         func(*sip.Trunk)
		number, from   string
		more           []string
		person, called string
	}{
		"numbers in full": {nil, "+4930123456", "<sip:+4930654321@[local_ip]>", nil, "tel:+4930654321", "+4930123456"},
		"national ones":   {german, "030123456", "<sip:030654321@[local_ip]>", nil, "tel:+4930654321", "+4930123456"},
		"from abroad":     {german, "030123456", "<sip:0044207123456@[local_ip]>", nil, "tel:+44207123456", "+4930123456"},
		"anonymous":       {nil, "+4930123456", "\"Anonymous\" <sip:anonymous@anonymous.invalid>", nil, "", "+4930123456"},
		"asserted": {nil, "+4930123456", "<sip:anonymous@anonymous.invalid>", []string{"P-Asserted-Identity: <sip:+4930654321@pbx>\n"},
			"tel:+4930654321", "+4930123456"},
		"asserted, and hidden": {nil, "+4930123456", "<sip:anonymous@anonymous.invalid>", []string{"P-Asserted-Identity: <tel:+4930654321>\n",
			"Privacy: id\n"}, "", "+4930123456"},
		"by a name":            {nil, "sales.desk", "<sip:ann@pbx.example>", nil, "sip:ann@pbx.example", "sales.desk"},
		"by a name with signs": {nil, "sales.desk", "<sip:ann%40desk@pbx.example>", nil, "sip:ann%40desk@pbx.example", "sales.desk"},
		"at our registration":  {registered, "4711", ann, nil, "tel:+15550000001", "+4711"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := []func(*sip.Trunk){}
			if c.change != nil {
				change = append(change, c.change)
			}
			d := newDesk(t, rejects(486, "Busy Here"), change...)
			Calls(t, d.Port(), c.number, Invites(c.from, Sound(answer), c.more...), MayBeTold(100), Told(486), SaysACK(c.from, "")).Satisfied()
			d.over(t, 1)
			o := d.offered()[0]
			require.Equal(t, []string{c.person, c.called}, []string{o.Person, o.Called})
		})
	}
}

// A trunk that has its calls at a time says so with the next one.
func TestATrunkThatIsFull(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(in *sip.Incoming, o calls.Offer) string {
		if o.Full {
			return rejects(486, "Busy Here")(in, o)
		}
		return picksUp(t)(in, o)
	}, func(tr *sip.Trunk) { tr.MaxCalls = 1 })
	first := Calls(t, d.Port(), "+15550100", Invites(ann, Sound(answer)), MayBeTold(100), MayBeTold(180), Told(200), SaysACK(ann, ""),
		Pause(4000), Asks("BYE", ann, 2, ""), Told(200))
	require.Eventually(t, func() bool { return len(d.offered()) == 1 }, 20*time.Second, 10*time.Millisecond)
	Calls(t, d.Port(), "+15550100", Invites(ann, Sound(answer)), MayBeTold(100), Told(486), SaysACK(ann, "")).Satisfied()
	first.Satisfied()
	d.over(t, 2)
	require.Equal(t, "486; answered, established, hung-up", d.story())
}

// counting is what this node counts with others.
type counting struct {
	mu  sync.Mutex
	all []string
}

func (c *counting) notes(words ...string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, strings.Join(words, " "))
	return nil
}

func (c *counting) Take(_ context.Context, trunk, leg string, judge func(int, int, time.Duration) error) error {
	if err := judge(0, 0, 0); err != nil {
		return err
	}
	return c.notes("take", trunk, leg)
}

func (c *counting) Have(_ context.Context, trunk, leg, was string) error {
	return c.notes("have", trunk, leg, was)
}

func (c *counting) Give(_ context.Context, trunk, leg string) error {
	return c.notes("give", trunk, leg)
}

func (c *counting) Over(_ context.Context, trunk, leg string) error {
	return c.notes("over", trunk, leg)
}

func (c *counting) Leave(_ context.Context, trunk, leg string) error {
	return c.notes("leave", trunk, leg)
}

func (c *counting) Renew(context.Context, []string, []string) error { return nil }

// Given a call that came in, then it counts by the id that every node knows, from its answer to its end; one that another node goes on
// with is not said to be over.
func TestByWhatACallThatCameInCounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ends func(*sip.Incoming)
		want []string
	}{
		"hung up":        {func(in *sip.Incoming) { _ = in.HangUp(t.Context()) }, []string{"give acme/main c-1"}},
		"another has it": {func(in *sip.Incoming) { in.Abandon() }, []string{}},
		"not picked up":  {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counts := &counting{}
			d := deskOf(callerWith(t, func(cfg *sip.Config) { cfg.Together = counts }, "192.0.2.1", local,
				func(tr *sip.Trunk) { tr.MaxCalls = 5 }), func(in *sip.Incoming, o calls.Offer) string {
				if c.ends == nil {
					return rejects(480, "Temporarily Unavailable")(in, o)
				}
				_ = in.Answer(t.Context(), answersTo)
				l := &heardLeg{t: t, Leg: in.Leg}
				l.until(calls.FactEstablished)
				c.ends(in)
				return l.over()
			})
			steps := []string{Invites(ann, Sound(answer)), MayBeTold(100)}
			if c.ends == nil {
				steps = append(steps, Told(480), SaysACK(ann, ""))
			} else {
				steps = append(steps, Told(200), SaysACK(ann, ""))
			}
			if name == "hung up" {
				steps = append(steps, `<recv request="BYE"/>`, ReplyOK)
			}
			Calls(t, d.Port(), "+15550100", steps...).Satisfied()
			d.over(t, 1)
			require.NoError(t, d.Close(t.Context())) // behind all that was begun
			require.Regexp(t, `^take acme/main \w{24}$`, counts.all[0])
			tag := strings.TrimPrefix(counts.all[0], "take acme/main ")
			want := []string{"give acme/main " + tag}
			if c.ends != nil {
				want = append([]string{"have acme/main c-1 " + tag}, c.want...)
			}
			require.Equal(t, want, counts.all[1:])
		})
	}
}

// Given a call that comes in by TLS, then it is told to come there, and hung up over its own connection; who speaks an old TLS does
// not come in.
func TestACallComesInByTLS(t *testing.T) {
	t.Parallel()
	pair, authority := Authority(t)
	certificate, err := tls.X509KeyPair([]byte(pair), []byte(pair))
	require.NoError(t, err)
	believed := x509.NewCertPool()
	require.True(t, believed.AppendCertsFromPEM([]byte(authority)))
	d := deskOf(openCaller(t, &certificate, "192.0.2.1", local), func(in *sip.Incoming, _ calls.Offer) string {
		_ = in.Answer(t.Context(), answersTo)
		l := &heardLeg{t: t, Leg: in.Leg}
		l.until(calls.FactEstablished)
		_ = in.HangUp(t.Context())
		return l.over()
	})
	secure := fmt.Sprintf("%s:%d", Host, d.Port()+1)
	_, err = tls.Dial("tcp", secure, &tls.Config{RootCAs: believed, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
	require.ErrorContains(t, err, "protocol version")
	conn, err := tls.Dial("tcp", secure, &tls.Config{RootCAs: believed})
	require.NoError(t, err)
	peer := talks(t, "TLS", conn)
	peer.asks("INVITE", "", pcmu, 1)
	answered := peer.hears("SIP/2.0 200")
	require.Equal(t, fmt.Sprintf("<sip:%s;transport=tls>", secure), answered.Get("Contact"))
	_, tag, _ := strings.Cut(answered.Get("To"), "tag=")
	peer.asks("ACK", tag, "", 1)
	peer.hears("BYE")
	d.over(t, 1)
	require.Equal(t, "answered, established", d.story())
}

// Given a registrar, then all that we ask it is of one client, in one order, whatever it answers: so it takes the newest for what holds.
func TestARegistrarTellsOurRequestsApart(t *testing.T) {
	t.Parallel()
	registrar, err := net.Listen("tcp", Host+":0")
	require.NoError(t, err)
	defer func() { _ = registrar.Close() }()
	c := newCaller(t, registrar.Addr().String(), func(tr *sip.Trunk) { tr.Transport = trunks.TCP })
	done := make(chan error, 1)
	go func() {
		_, err := c.Register(t.Context(), "acme", "main")
		if err == nil {
			_, err = c.Register(t.Context(), "acme", "main")
		}
		done <- cmp.Or(err, c.Unregister(t.Context(), "acme", "main"))
	}()
	conn, err := registrar.Accept()
	require.NoError(t, err)
	peer := talks(t, "TCP", conn)
	first := ""
	for i, answer := range []string{"423 Interval Too Brief\r\nMin-Expires: 300", "200 OK", "200 OK", "200 OK"} {
		asked := peer.hears("REGISTER")
		first = cmp.Or(first, asked.Get("Call-ID"))
		require.Equal(t, []string{first, fmt.Sprintf("%d REGISTER", i+1), []string{"120", "300", "120", "0"}[i]},
			[]string{asked.Get("Call-ID"), asked.Get("CSeq"), asked.Get("Expires")})
		peer.answers(asked, answer)
	}
	require.NoError(t, <-done)
}

// Given a registrar that knows us, when the trunk leads elsewhere, or is no more, then that registrar is told that we are gone.
func TestARegistrarThatATrunkLeavesIsToldSo(t *testing.T) {
	t.Parallel()
	var at [2]net.Listener
	for i := range at {
		var err error
		at[i], err = net.Listen("tcp", Host+":0")
		require.NoError(t, err)
		defer func() { _ = at[i].Close() }()
	}
	over := func(tr *sip.Trunk) { tr.Transport = trunks.TCP }
	c := newCaller(t, at[0].Addr().String(), over)
	done := make(chan error, 1)
	go func() {
		_, first := c.Register(t.Context(), "acme", "main")
		c.trunks.change("main", func(tr *sip.Trunk) { tr.Address = at[1].Addr().String() })
		_, second := c.Register(t.Context(), "acme", "main")
		c.trunks.remove("main")
		left := c.Unregister(t.Context(), "acme", "main")
		done <- cmp.Or(first, second, left, c.Unregister(t.Context(), "acme", "main"))
	}()
	for i, expires := range [][]string{{"120", "0"}, {"120", "0"}} {
		conn, err := at[i].Accept()
		require.NoError(t, err)
		registrar := talks(t, "TCP", conn)
		for _, wanted := range expires {
			asked := registrar.hears("REGISTER")
			require.Equal(t, wanted, asked.Get("Expires"))
			registrar.answers(asked, "200 OK")
		}
	}
	require.NoError(t, <-done)
}

// Given a trunk by TLS at which we are registered, when a call comes in over our own connection, then it is hung up over that.
func TestACallComesInWhereWeAreRegistered(t *testing.T) {
	t.Parallel()
	pair, authority := Authority(t)
	certificate, err := tls.X509KeyPair([]byte(pair), []byte(pair))
	require.NoError(t, err)
	registrar, err := tls.Listen("tcp", Host+":0", &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12})
	require.NoError(t, err)
	defer func() { _ = registrar.Close() }()
	d := deskOf(newCaller(t, registrar.Addr().String(), func(tr *sip.Trunk) { tr.Transport, tr.CA = trunks.TLS, authority }),
		func(in *sip.Incoming, _ calls.Offer) string {
			_ = in.Answer(t.Context(), answersTo)
			l := &heardLeg{t: t, Leg: in.Leg}
			l.until(calls.FactEstablished)
			_ = in.HangUp(t.Context())
			return l.over()
		})
	registered := make(chan error, 1)
	go func() {
		_, err := d.Register(t.Context(), "acme", "main")
		registered <- err
	}()
	conn, err := registrar.Accept()
	require.NoError(t, err)
	peer := talks(t, "TLS", conn)
	asked := peer.hears("REGISTER")
	peer.answers(asked, "200 OK")
	require.NoError(t, <-registered)
	peer.asks("INVITE", "", pcmu, 1)
	_, tag, _ := strings.Cut(peer.hears("SIP/2.0 200").Get("To"), "tag=")
	peer.asks("ACK", tag, "", 1)
	peer.hears("BYE")
	d.over(t, 1)
	require.Equal(t, "answered, established", d.story())
}
