package siptest

import (
	"bufio"
	"fmt"
	"net"
	"net/netip"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Callee is a peer over UDP that says every message by itself, to whoever spoke to it last. It sends no sound.
type Callee struct {
	*net.UDPConn
	t testing.TB

	mu      sync.Mutex
	peer    netip.AddrPort
	request textproto.MIMEHeader // the last
	body    string               // of the last message
	cseq    int
}

// Listens is one that waits for what the test says.
func Listens(t testing.TB) *Callee {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(Host)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &Callee{UDPConn: conn, t: t, cseq: 10}
}

// Hears reads up to a message whose first line begins so.
func (c *Callee) Hears(begins string) textproto.MIMEHeader {
	c.t.Helper()
	require.NoError(c.t, c.SetReadDeadline(time.Now().Add(patience)))
	for {
		line, headers, err := c.next()
		require.NoError(c.t, err, begins)
		if strings.HasPrefix(line, begins) {
			return headers
		}
	}
}

// Next waits for a message, however long, and gives its headers.
func (c *Callee) Next() (textproto.MIMEHeader, error) {
	_, headers, err := c.next()
	return headers, err
}

func (c *Callee) next() (line string, headers textproto.MIMEHeader, err error) {
	buf := make([]byte, 1<<16)
	n, from, err := c.ReadFromUDPAddrPort(buf)
	if err != nil {
		return "", nil, err
	}
	line, rest, _ := strings.Cut(string(buf[:n]), "\r\n")
	if headers, err = textproto.NewReader(bufio.NewReader(strings.NewReader(rest))).ReadMIMEHeader(); err != nil {
		return "", nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, c.body, _ = strings.Cut(rest, "\r\n\r\n")
	if c.peer = from; !strings.HasPrefix(line, "SIP/2.0") {
		c.request = headers
	}
	return line, headers, nil
}

const calleeTag = ";tag=callee"

// Answers answers the last request. more are headers, each with its line's end.
func (c *Callee) Answers(line, more, body string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := c.request.Get("To")
	if !strings.Contains(to, "tag=") {
		to += calleeTag
	}
	c.says(fmt.Sprintf("SIP/2.0 %s\r\nVia: %s\r\nFrom: %s\r\nTo: %s\r\nCall-ID: %s\r\nCSeq: %s\r\nContact: <sip:callee@%s>\r\n%s",
		line, c.request.Get("Via"), c.request.Get("From"), to, c.request.Get("Call-ID"), c.request.Get("CSeq"), c.LocalAddr(), more), body)
}

// Asks sends a request in the dialog of the last one that it heard. more are headers, each with its line's end.
func (c *Callee) Asks(method, more, body string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cseq++
	local := c.request.Get("To")
	if !strings.Contains(local, "tag=") {
		local += calleeTag
	}
	c.says(fmt.Sprintf("%[1]s sip:x@%[2]s SIP/2.0\r\nVia: SIP/2.0/UDP %[3]s;branch=z9hG4bK%[4]d\r\nFrom: %[5]s\r\nTo: %[6]s\r\n"+
		"Call-ID: %[7]s\r\nCSeq: %[4]d %[1]s\r\nContact: <sip:callee@%[3]s>\r\nMax-Forwards: 70\r\n%[8]s", method, c.peer, c.LocalAddr(),
		c.cseq, local, c.request.Get("From"), c.request.Get("Call-ID"), more), body)
}

// Acknowledges sends the ACK of an answer to an INVITE of its own, by the number of that.
func (c *Callee) Acknowledges(cseq, more, body string) {
	number, err := strconv.Atoi(strings.TrimSuffix(cseq, " INVITE"))
	require.NoError(c.t, err)
	c.mu.Lock()
	c.cseq = number - 1
	c.mu.Unlock()
	c.Asks("ACK", more, body)
	c.mu.Lock()
	c.cseq = number + 10 // behind whatever it has asked
	c.mu.Unlock()
}

// Notifies tells what came of a REFER: the state of the subscription, and the first line of an answer.
func (c *Callee) Notifies(state, line string) {
	c.Asks("NOTIFY", "Event: refer\r\nSubscription-State: "+state+"\r\nContent-Type: message/sipfrag\r\n", line)
}

// says sends a message. Who does not hear it asks again, or fails.
func (c *Callee) says(head, body string) {
	_, _ = c.WriteToUDPAddrPort(fmt.Appendf(nil, "%sContent-Length: %d\r\n\r\n%s", head, len(body), body), c.peer)
}

// PicksUp is a callee that takes one call, and whatever is asked in it by whoever has it, until somebody hangs up: over is
// closed then.
func PicksUp(t testing.TB) (c *Callee, over <-chan struct{}) {
	t.Helper()
	c, done := Listens(t), make(chan struct{})
	sdp := fmt.Sprintf("v=0\r\no=- 1 1 IN IP4 %[1]s\r\ns=-\r\nc=IN IP4 %[1]s\r\nt=0 0\r\nm=audio %[2]d RTP/AVP 0\r\n", Host, FreePort(t))
	go func() {
		var once sync.Once
		for {
			line, headers, err := c.next()
			if err != nil { // the test is over
				return
			}
			switch method, _, _ := strings.Cut(line, " "); method {
			case "ACK":
			case "INVITE":
				c.Answers("200 OK", "Content-Type: application/sdp\r\n", sdp)
			case "SIP/2.0":
				if strings.HasSuffix(headers.Get("CSeq"), "BYE") {
					once.Do(func() { close(done) })
				}
			case "BYE":
				c.Answers("200 OK", "", "")
				once.Do(func() { close(done) })
			default:
				c.Answers("200 OK", "", "")
			}
		}
	}()
	return c, done
}

// Options is the answer to an OPTIONS of a stranger at a port, without a call.
func Options(t testing.TB, port int) (status string) {
	t.Helper()
	c := Listens(t)
	c.peer = netip.AddrPortFrom(netip.MustParseAddr(Host), uint16(port))
	c.request = textproto.MIMEHeader{"From": {"<sip:parley@" + Host + ">"}, "To": {"<sip:trunk@" + Host + ">;tag=asks"},
		"Call-Id": {c.LocalAddr().String()}}
	require.NoError(t, c.SetReadDeadline(time.Now().Add(patience)))
	c.Asks("OPTIONS", "", "")
	line, _, err := c.next()
	require.NoError(t, err)
	return line
}
