package sip_test

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	"github.com/parley-platform/parley/domain/calls"
)

// talker is a peer on a connection that says every byte by itself.
type talker struct {
	net.Conn
	t    *testing.T
	over string
	at   string // that its contact names
	user string // whom it asks for; empty: +15550100
	more string // headers of its requests, each with its line's end
	r    *bufio.Reader
}

func connects(t *testing.T, c *caller) *talker {
	t.Helper()
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", c.Port()))
	require.NoError(t, err)
	return talks(t, "TCP", conn)
}

func talks(t *testing.T, over string, conn net.Conn) *talker {
	t.Helper()
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	return &talker{Conn: conn, t: t, over: over, at: conn.LocalAddr().String(), r: bufio.NewReader(conn)}
}

// asks sends a request of its own dialog; tag is ours, and empty outside of it.
func (p *talker) asks(method, tag, sdp string, cseq int) {
	p.t.Helper()
	to, kind := "<sip:+15550100@127.0.0.1>", ""
	if tag != "" {
		to += ";tag=" + tag
	}
	if sdp != "" {
		kind = "Content-Type: application/sdp\r\n"
	}
	branch := method
	if method == "CANCEL" {
		branch = "INVITE" // it is of that one's transaction
	}
	_, err := fmt.Fprintf(p, "%[1]s sip:%[10]s@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/%[8]s %[2]s;branch=z9hG4bK%[11]s%[3]d\r\n"+
		"From: <sip:+15550000001@127.0.0.1>;tag=theirs\r\nTo: %[4]s\r\nCall-ID: %[2]s\r\nCSeq: %[3]d %[1]s\r\n"+
		"Contact: <sip:ann@%[9]s;transport=%[8]s>\r\nMax-Forwards: 70\r\n%[5]sContent-Length: %[6]d\r\n\r\n%[7]s",
		method, p.LocalAddr(), cseq, to, kind+p.more, len(sdp), sdp, p.over, p.at, cmp.Or(p.user, "+15550100"), branch)
	require.NoError(p.t, err)
}

// calls begins a call, and gives our tag.
func (p *talker) calls() (tag string) {
	p.t.Helper()
	p.asks("INVITE", "", pcmu, 1)
	_, tag, _ = strings.Cut(p.hears("SIP/2.0 200").Get("To"), "tag=")
	p.asks("ACK", tag, "", 1)
	return tag
}

// answers gives a request its answer.
func (p *talker) answers(asked textproto.MIMEHeader, answer string) {
	p.t.Helper()
	_, err := fmt.Fprintf(p, "SIP/2.0 %s\r\nVia: %s\r\nFrom: %s\r\nTo: %s;tag=r\r\nCall-ID: %s\r\nCSeq: %s\r\nContent-Length: 0\r\n\r\n",
		answer, asked.Get("Via"), asked.Get("From"), asked.Get("To"), asked.Get("Call-ID"), asked.Get("CSeq"))
	require.NoError(p.t, err)
}

// hears reads what comes up to a message whose first line begins so.
func (p *talker) hears(begins string) textproto.MIMEHeader {
	p.t.Helper()
	for {
		if line, headers := p.next(); strings.HasPrefix(line, begins) {
			return headers
		}
	}
}

// told is the first line of the next message.
func (p *talker) told() string {
	p.t.Helper()
	line, _ := p.next()
	return line
}

func (p *talker) next() (line string, headers textproto.MIMEHeader) {
	p.t.Helper()
	line, err := p.r.ReadString('\n')
	require.NoError(p.t, err)
	headers, err = textproto.NewReader(p.r).ReadMIMEHeader()
	require.NoError(p.t, err)
	n, _ := strconv.Atoi(headers.Get("Content-Length"))
	_, err = io.CopyN(io.Discard, p.r, int64(n))
	require.NoError(p.t, err)
	return strings.TrimSpace(line), headers
}

const pcmu = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 0\r\n"

// Given a call over TCP on a trunk that is dialled over UDP, and somebody else who connects during it, then our requests in the
// call go to its peer, and where that names our own socket, too.
func TestAStrangerWhoConnectsGetsNothingOfACall(t *testing.T) {
	for name, ours := range map[string]bool{"its own end": false, "our own socket": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			isHungUp(t, ours)
		})
	}
}

func isHungUp(t *testing.T, ours bool) {
	connected := make(chan struct{})
	d := newDesk(t, func(in *sip.Incoming, _ calls.Offer) string {
		_ = in.Answer(t.Context(), answersTo)
		<-connected
		_ = in.HangUp(t.Context())
		return (&heardLeg{t: t, Leg: in.Leg}).over()
	})
	peer := connects(t, d.caller)
	if ours {
		peer.at = fmt.Sprintf("127.0.0.1:%d", d.Port())
	}
	peer.asks("INVITE", "", pcmu, 1)
	_, tag, _ := strings.Cut(peer.hears("SIP/2.0 200").Get("To"), "tag=")
	peer.asks("ACK", tag, "", 1)
	stranger := connects(t, d.caller)
	stranger.asks("OPTIONS", "", "", 1)
	stranger.hears("SIP/2.0 200")
	close(connected)
	peer.hears("BYE")
	d.over(t, 1)
	require.Equal(t, "answered, established", d.story())
}

// Given a stranger who connects and sends what is no request, then nobody tells him so.
func TestAStrangerWhoConnectsIsNotToldWhatIsTorn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, picksUp(t), func(tr *sip.Trunk) { tr.Sources = []string{"192.0.2.0/24"} })
	stranger := connects(t, d.caller)
	_, err := io.WriteString(stranger, "OPTIONS sip:x@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK1\r\n"+
		"Content-Length: 0\r\n\r\n")
	require.NoError(t, err)
	told, err := io.ReadAll(stranger)
	require.NoError(t, err)
	require.Empty(t, told)
}
