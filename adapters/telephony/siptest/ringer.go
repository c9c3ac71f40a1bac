package siptest

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"net/textproto"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Ringer is a caller over UDP that says every message by itself, to whoever spoke to it last in its call. It sends sound where that was
// described last.
type Ringer struct {
	*Callee
	Rings, Talks, Over <-chan struct{} // closed when it is told so; over: when somebody has hung up

	sound  *net.UDPConn
	to     atomic.Pointer[net.UDPAddr] // where its sound goes; nil: nobody has said
	speaks atomic.Pointer[[]byte]      // what it says, over and over; nil: nothing
	said   atomic.Int64                // packets that it has sent since it knows where
	left   atomic.Bool
}

// RingsUp calls a number at a port, and takes what is asked in the call by whoever has it.
func RingsUp(t testing.TB, port int, number string) *Ringer {
	t.Helper()
	sound, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(Host)})
	require.NoError(t, err)
	rings, talks, over, end := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	c := &Ringer{Callee: Listens(t), Rings: rings, Talks: talks, Over: over, sound: sound}
	t.Cleanup(func() { close(end); _ = sound.Close() })
	c.peer = netip.AddrPortFrom(netip.MustParseAddr(Host), uint16(port))
	id := strings.ReplaceAll(c.LocalAddr().String(), ":", "-")
	ours, theirs := "<sip:+4930123456@"+Host+">;tag=caller", fmt.Sprintf("<sip:+%s@%s>", number, c.peer)
	says := func(method, to, more, body string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.says(fmt.Sprintf("%[1]s sip:+%[2]s@%[3]s SIP/2.0\r\nVia: SIP/2.0/UDP %[4]s;branch=z9hG4bK%[1]s%[5]s\r\nFrom: %[6]s\r\nTo: %[7]s\r\n"+
			"Call-ID: %[5]s\r\nCSeq: 1 %[1]s\r\nContact: <sip:caller@%[4]s>\r\nMax-Forwards: 70\r\n%[8]s", method, number, c.peer,
			c.LocalAddr(), id, ours, to, more), body)
	}
	sdp := fmt.Sprintf("v=0\r\no=- 1 1 IN IP4 %[1]s\r\ns=-\r\nc=IN IP4 %[1]s\r\nt=0 0\r\nm=audio %[2]d RTP/AVP 0\r\n", Host,
		sound.LocalAddr().(*net.UDPAddr).Port)
	says("INVITE", theirs, "Content-Type: application/sdp\r\n", sdp)
	once := func(of chan struct{}) func() { return sync.OnceFunc(func() { close(of) }) }
	rung, talked, ended := once(rings), once(talks), once(over)
	go c.speak(end)
	go func() {
		for {
			line, headers, err := c.next()
			if err != nil { // the test is over
				return
			}
			c.describes()
			switch method, _, _ := strings.Cut(line, " "); {
			case method == "INVITE" && c.left.Load():
				c.Answers("481 Call/Transaction Does Not Exist", "", "")
			case method == "INVITE":
				c.Answers("200 OK", "Content-Type: application/sdp\r\n", sdp)
			case method == "ACK":
			case method == "BYE":
				c.Answers("200 OK", "", "")
				ended()
			case method != "SIP/2.0":
				c.Answers("200 OK", "", "")
			case strings.HasSuffix(headers.Get("CSeq"), "BYE"):
				ended()
			case !strings.HasSuffix(headers.Get("CSeq"), "INVITE"):
			case strings.Contains(line, " 180 "):
				rung()
			case strings.Contains(line, " 200 "):
				says("ACK", headers.Get("To"), "", "")
				c.mu.Lock() // as if it had been asked: what it asks next is asked in the dialog
				c.request = textproto.MIMEHeader{"From": {headers.Get("To")}, "To": {ours}, "Call-Id": {id}}
				c.mu.Unlock()
				talked()
			}
		}
	}()
	return c
}

// Says says something over and over, mu-law, until it says nothing.
func (c *Ringer) Says(sound []byte) {
	if sound == nil {
		c.speaks.Store(nil)
		return
	}
	c.speaks.Store(&sound)
}

// Said is how long it has spoken, or been silent, to somebody who hears it.
func (c *Ringer) Said() time.Duration { return time.Duration(c.said.Load()) * 20 * time.Millisecond }

// Leaves hangs up where nobody hears it: of the call it knows nothing any more.
func (c *Ringer) Leaves() { c.left.Store(true) }

var mediaPort = regexp.MustCompile(`m=audio (\d+)`)

// describes takes where the last message wants sound, if it says so.
func (c *Ringer) describes() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := mediaPort.FindStringSubmatch(c.body); m != nil {
		if to, err := net.ResolveUDPAddr("udp4", Host+":"+m[1]); err == nil {
			c.to.Store(to)
		}
	}
}

// speak sends a packet each 20 ms.
func (c *Ringer) speak(end <-chan struct{}) {
	every := time.NewTicker(20 * time.Millisecond)
	defer every.Stop()
	at := 0
	for n := uint16(0); ; n++ {
		select {
		case <-end:
			return
		case <-every.C:
		}
		to := c.to.Load()
		if to == nil {
			continue
		}
		b := binary.BigEndian.AppendUint16([]byte{0x80, 0}, n)
		b = binary.BigEndian.AppendUint32(b, uint32(n)*160)
		b = binary.BigEndian.AppendUint32(b, 4711)
		frame := Silence(20)
		if said := c.speaks.Load(); said != nil {
			frame = (*said)[at : at+160]
			if at += 160; at+160 > len(*said) {
				at = 0
			}
		}
		_, _ = c.sound.WriteToUDP(append(b, frame...), to)
		c.said.Add(1)
	}
}
