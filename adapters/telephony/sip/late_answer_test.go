package sip_test

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
)

// Given a call that rings while its process is killed, when the callee picks up at the next process of the node, then they are hung up,
// however often they say so: nobody is left to listen to a call that is no more. Who goes on with the call is not disturbed, a tag that
// this node never gave is nobody's, and a stranger's word is none.
func TestWhoAnswersACallThatIsNoMore(t *testing.T) {
	for name, c := range map[string]struct {
		next   string // the name of the process that is there by then
		keeper string // who goes on with the call
		trunk  bool   // that process knows the callee's trunk
		hungUp bool
	}{
		"at the next process":       {"node-1", "", true, true},
		"at another node's address": {"node-2", "", true, false},
		"that another node goes on": {"node-1", "127.0.0.1:9", true, false},
		"by the word of a stranger": {"node-1", "", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := Listens(t)
			nodes := []sip.Neighbour{{Node: "node-3", At: c.keeper}}
			called := func(node string) *caller {
				return callerWith(t, func(cfg *sip.Config) {
					cfg.Node, cfg.Nodes = node, func(context.Context) ([]sip.Neighbour, error) { return nodes, nil }
				}, peer.LocalAddr().String())
			}
			died := called("node-1")
			leg := died.dials(t)
			from := peer.Hears("INVITE").Get("From")
			peer.Answers("180 Ringing", "", "")
			leg.until(calls.FactRinging)
			if c.keeper != "" {
				_, tag, _ := strings.Cut(from, ";tag=")
				nodes[0].Taken = []string{tag}
			}
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			_ = died.Close(gone)

			next := called(c.next)
			if !c.trunk {
				next.trunks.change("main", func(tr *sip.Trunk) { tr.Address = "127.0.0.9:5060" })
			}
			at := netip.MustParseAddrPort(next.Address())
			answers := func() {
				_, err := peer.WriteToUDPAddrPort(fmt.Appendf(nil, "SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP %s;branch=z9hG4bKgone\r\nFrom: %s\r\n"+
					"To: <sip:x@%s>;tag=theirs\r\nCall-ID: gone\r\nCSeq: 7 INVITE\r\nContact: <sip:callee@%s>\r\nContent-Length: 0\r\n\r\n",
					at, from, Host, peer.LocalAddr()), at)
				require.NoError(t, err)
			}
			answers()
			if !c.hungUp {
				require.NoError(t, peer.SetReadDeadline(time.Now().Add(time.Second)))
				_, _, err := peer.ReadFromUDP(make([]byte, 1500))
				require.ErrorIs(t, err, os.ErrDeadlineExceeded, "nothing is said")
				return
			}
			require.Equal(t, "7 ACK", peer.Hears("ACK").Get("CSeq"))
			bye := peer.Hears("BYE")
			require.Equal(t, "1008 BYE", bye.Get("CSeq"), "behind whatever the other process has asked")
			answers()
			require.Equal(t, "7 ACK", peer.Hears("ACK").Get("CSeq"), "who did not hear it hears it again")
			require.Equal(t, bye.Get("Via"), peer.Hears("BYE").Get("Via"), "and is hung up once")
			peer.Answers("200 OK", "", "")
		})
	}
}

// Given a callee that asks for a description in the call, when its acknowledgement is lost, then it is told again what we answered, and
// what it describes at last is gone by; what it wants to change before that has to wait.
func TestAnAcknowledgementThatIsLost(t *testing.T) {
	t.Parallel()
	const sdpType = "Content-Type: application/sdp\r\n"
	peer := Listens(t)
	leg := callerWith(t, func(*sip.Config) {}, peer.LocalAddr().String()).dials(t)
	peer.Hears("INVITE")
	peer.Answers("200 OK", sdpType, pcmu)
	peer.Hears("ACK")
	leg.until(calls.FactEstablished)
	peer.Asks("INVITE", "", "")
	told := peer.Hears("SIP/2.0 200")
	require.Equal(t, told.Get("CSeq"), peer.Hears("SIP/2.0 200").Get("CSeq"))
	peer.Asks("UPDATE", sdpType, strings.Replace(pcmu, "40000", "40010", 1))
	peer.Hears("SIP/2.0 491")
	peer.Acknowledges(told.Get("CSeq"), sdpType, strings.Replace(pcmu, "m=audio", "a=sendonly\r\nm=audio", 1))
	leg.until(calls.FactHeld)
	peer.Asks("BYE", "", "")
	leg.until(calls.FactHungUp)
	leg.over()
}

// Given a callee that picks up and hangs up at once, when its BYE overtakes its answer on the way, or comes with it, before we have
// acknowledged that, then the BYE is taken, the answer acknowledged, and the call over.
func TestWhoHangsUpBeforeTheirAnswerIsAcknowledged(t *testing.T) {
	t.Parallel()
	const sdpType = "Content-Type: application/sdp\r\n"
	for name, rings := range map[string]bool{"behind a ringing": true, "with no word before": false} {
		peer := Listens(t)
		leg := callerWith(t, func(*sip.Config) {}, peer.LocalAddr().String()).dials(t)
		peer.Hears("INVITE")
		if rings {
			peer.Answers("180 Ringing", "", "")
			leg.until(calls.FactRinging)
		}
		peer.Asks("BYE", "", "")
		require.Contains(t, peer.Hears("SIP/2.0 200").Get("CSeq"), "BYE", name)
		peer.Answers("200 OK", sdpType, pcmu)
		peer.Hears("ACK")
		leg.until(calls.FactHungUp)
		leg.over()
	}
}
