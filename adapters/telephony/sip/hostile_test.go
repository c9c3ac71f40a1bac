package sip_test

import (
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	gosip "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
)

// Given a defect of ours that a request meets, then its peer is told, and the node goes on.
func TestADefectEndsNoNode(t *testing.T) {
	t.Parallel()
	c := newDesk(t, func(*sip.Incoming, calls.Offer) string { panic("while a call rings") })
	Calls(t, c.Port(), "+15550100", Invites(ann, Sound(answer)), MayBeTold(100), Told(500), SaysACK(ann, "")).Satisfied()
	c.Invited(func(*gosip.Request, gosip.ServerTransaction) { panic("at its first word") })
	Calls(t, c.Port(), "+15550100", Invites(ann, Sound(answer)), MayBeTold(100), Told(500), SaysACK(ann, "")).Satisfied()
}

// Given requests of anybody, whole and torn, then they are refused or unanswered, and the node goes on.
func TestRequestsOfAnybody(t *testing.T) {
	t.Parallel()
	c := newCaller(t, Host)
	conn, err := net.Dial("udp", net.JoinHostPort(Host, strconv.Itoa(c.Port())))
	require.NoError(t, err)
	defer conn.Close()
	head := func(method string) string {
		return method + " sip:x@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:9;rport;branch=z9hG4bK" + strings.ToLower(method) + "\r\n"
	}
	whole := "From: <sip:a@b>;tag=1\r\nTo: <sip:x@127.0.0.1>\r\nCall-ID: 1\r\nCSeq: 1 METHOD\r\nContent-Length: 0\r\n\r\n"
	for _, raw := range []string{"", "\r\n", "nonsense", "INVITE\r\n\r\n", head("INVITE") + "\r\n", head("BYE") + "\r\n",
		head("REFER") + "CSeq: 1 REFER\r\n\r\n",
		head("INFO") + "From: <x\r\nTo: ;;;\r\nCall-ID: \r\nCSeq: x\r\n\r\n", strings.Repeat("A", 9000)} {
		_, err := conn.Write([]byte(raw))
		require.NoError(t, err)
	}
	answerTo := func(request string) string {
		buf := make([]byte, 4096)
		for range 20 {
			_, err := conn.Write([]byte(request))
			require.NoError(t, err)
			_ = conn.SetReadDeadline(time.Now().Add(2 * time.Second))
			for {
				n, err := conn.Read(buf)
				if err != nil {
					break
				}
				if line, _, _ := strings.Cut(string(buf[:n]), "\r\n"); strings.Contains(string(buf[:n]), "Call-ID: 1\r\n") &&
					!strings.Contains(line, " 100 ") {
					return line
				}
			}
		}
		return ""
	}
	for method, want := range map[string]string{"INVITE": "403", "BYE": "481", "REFER": "603", "INFO": "481", "OPTIONS": "200",
		"SUBSCRIBE": "405"} {
		got := answerTo(strings.Replace(head(method), "z9hG4bK", "z9hG4bKwhole", 1) + strings.Replace(whole, "METHOD", method, 1))
		require.Contains(t, got, want, method)
	}
}
