package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/parley/slices"
)

// SIPFlags are how calls go over SIP trunks.
type SIPFlags struct {
	SIPListen  string `name:"sip-listen" help:"Address of SIP, UDP and TCP, such as 192.0.2.7:5060, on a node with the role media; TLS is taken one port above, with --sip-cert. No call goes over a SIP trunk when empty; with --dev it is 127.0.0.1:5060, if nobody has it." placeholder:"ADDR"`
	SIPPublic  string `name:"sip-public-address" help:"IP address at which SIP trunks reach this node; that of --sip-listen when empty." placeholder:"IP"`
	SIPCert    string `name:"sip-cert" help:"Certificate, PEM, by which SIP trunks connect to this node." placeholder:"FILE"`
	SIPKey     string `name:"sip-key" help:"Key of that certificate, PEM." placeholder:"FILE"`
	SIPPrivate bool   `name:"sip-private" help:"SIP trunks may be in private networks, such as 10.0.0.0/8."`
	RTPPorts   string `name:"rtp-ports" help:"UDP ports of the sound of calls; a call takes two." default:"20000-24999" placeholder:"FIRST-LAST"`
	MediaCalls int    `name:"media-calls-per-core" help:"Calls with sound that this node carries at most, for each of its cores: over trunks, from pages, by sockets. With more none is taken." default:"250" placeholder:"N"`
}

// checkCalls refuses what no node carries, or waits for.
func (c *ServeCmd) checkCalls() error {
	if c.CallDrain < 0 || c.CallDrain > 4*time.Hour {
		return fmt.Errorf("--call-drain %s: must be 0s to 4h", c.CallDrain)
	}
	if c.MediaCalls < 1 || c.MediaCalls > 2000 {
		return fmt.Errorf("--media-calls-per-core %d: must be 1 to 2000", c.MediaCalls)
	}
	return nil
}

// developSIP is where a soft phone of this machine is called from with --dev.
const developSIP = "127.0.0.1:5060"

func (c SIPFlags) sip(dev bool) (out slices.SIP, err error) {
	out = slices.SIP{Listen: c.SIPListen, Public: c.SIPPublic, Private: c.SIPPrivate}
	if c.RTPPorts != "" {
		first, last, _ := strings.Cut(c.RTPPorts, "-")
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if errors.Join(err1, err2) != nil {
			return out, fmt.Errorf("--rtp-ports %s: must be two ports, such as 20000-24999", c.RTPPorts)
		}
		out.RTPFirst, out.RTPLast = from, to
	}
	if out.Listen == "" && dev {
		out.Listen, out.Spared = developSIP, true
	}
	if c.SIPCert == "" && c.SIPKey == "" {
		return out, nil
	}
	pair, err := tls.LoadX509KeyPair(c.SIPCert, c.SIPKey)
	if err != nil {
		return out, fmt.Errorf("--sip-cert, --sip-key: %w", err)
	}
	out.Certificate = &pair
	return out, nil
}
