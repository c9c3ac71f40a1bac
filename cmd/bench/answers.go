package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/numbers"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

const (
	firstWords   = "answer to first word"
	answersEach  = 20
	greetsNumber = "15550180"
	greetingsDSL = "DSL: 1\nAGENT: bench-greeter\nON_START: {SAY: \"Hello {{ caller.userId }}, how can I help you today?\"}\n" +
		"FLOW: {START: ask, STEPS: {ask: {SAY: Yes., END: true}}}\n"
	waitsForTrunk = 20 * time.Second
	hearsWithin   = 20 * time.Second
)

// answers measures calls over SIP that a node answers by a scripted agent: from the answer, as the caller sees it, until the
// first loud frame of the greeting has come out of the caller's jitter buffer. The session, its first turn and what of both is on the log
// lie between, and the local synthesizer, which has never spoken the caller's number before.
func (c *Command) answers(b *bench, out *report) error {
	at, err := freeForSIP(15_060)
	if err != nil {
		return err
	}
	own, err := freeForSIP(at.Port() + 2)
	if err != nil {
		return err
	}
	b.stopNode()
	b.cfg.Roles, b.cfg.SIP = nil, slices.SIP{Listen: at.String()}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := b.startNode(ctx); err != nil {
		return err
	}
	if err := b.greets(ctx, own); err != nil {
		return err
	}
	caller, err := sip.Open(sip.Config{Listen: own.String(), RTPFirst: 26_000, RTPLast: 26_999, Allow: netip.Addr.IsLoopback, Log: quiet,
		Pacer: voice.NewPacer(voice.PacerOptions{Threads: 1}), Trunk: func(context.Context, string, string) (sip.Trunk, error) {
			return sip.Trunk{TenantID: "bench", Name: "node", Address: at.String(), Transport: trunks.UDP, Settings: trunks.Settings{
				CallerIDHeader: trunks.CallerFrom, NumberFormat: numbers.PlusE164, Codecs: []string{"PCMU"}, SRTP: trunks.SRTPOff,
				DTMF: trunks.DTMFEvents}}, nil
		}})
	if err != nil {
		return fmt.Errorf("opening the telephone: %w", err)
	}
	defer func() { _ = caller.Close(context.Background()) }()
	if err := taken(ctx, caller); err != nil {
		return err
	}
	var all []time.Duration
	work := begin()
	for n := range answersEach {
		took, err := firstWord(ctx, caller, n)
		if err != nil {
			return fmt.Errorf("%s: %w", firstWords, err)
		}
		all = append(all, took)
	}
	took, cpu := work.spent()
	f := figureOf(firstWords, 1, all, took, cpu)
	f.Rate = 0
	out.add(f.aim(fmt.Sprintf("p95 under %d ms", mostFirstMs), f.P95 < mostFirstMs))
	return nil
}

// freeForSIP is an address of this machine that nobody has, by UDP and TCP, from a port on.
func freeForSIP(from uint16) (netip.AddrPort, error) {
	for port := from; port < from+1_000; port += 2 {
		at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port)
		udp, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
		if err != nil {
			continue
		}
		tcp, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
		_ = udp.Close()
		if err == nil {
			_ = tcp.Close()
			return at, nil
		}
	}
	return netip.AddrPort{}, errors.New("no port is free for SIP")
}

// greets lets calls from a telephone in, and an agent answer them.
func (b *bench) greets(ctx context.Context, telephone netip.AddrPort) error {
	text := fmt.Sprintf(`kind: Trunk
metadata: {name: bench, tenant: %[1]s}
spec: {provider: sip, address: %[2]q, optionsSeconds: 0}
---
kind: Agent
metadata: {id: bench-greeter, name: bench-greeter, tenant: %[1]s}
spec: {projectId: %[3]s, dslContent: %[4]q}
---
kind: ExperienceFlow
metadata: {id: cf-bench-greeter, name: The line of the bench, tenant: %[1]s}
spec: {projectId: %[3]s, number: %[5]q, agentName: bench-greeter, language: en}
`, b.work.Account, telephone, b.work.Project, greetingsDSL, greetsNumber)
	manifests, err := manifest.Parse("the line", []byte(text), apply.Kinds())
	if err != nil {
		return err
	}
	_, err = apply.New(b.node.Store(), b.node.Vault()).Do(ctx, apply.Request{Manifests: manifests},
		apply.Caller{Actor: "bench", Operator: true})
	return err
}

// taken waits until the node knows the trunk, and has answered a call: the first of all is not measured.
func taken(ctx context.Context, caller *sip.Agent) error {
	until := time.Now().Add(waitsForTrunk)
	for {
		_, err := firstWord(ctx, caller, answersEach)
		if err == nil || time.Now().After(until) {
			return err
		}
		time.Sleep(4 * time.Second) // the trunks are read every two, and strangers are answered three times
	}
}

// firstWord is one call.
func firstWord(ctx context.Context, caller *sip.Agent, n int) (time.Duration, error) {
	leg, err := caller.Dial(ctx, calls.LegRequest{CallID: uuid.NewString(), SID: uuid.NewString(), TenantID: "bench", Trunk: "node",
		Target: "tel:+" + greetsNumber, OurNumber: fmt.Sprintf("+4930%d", 1_000_000+n*7_919)})
	if err != nil {
		return 0, fmt.Errorf("dialling: %w", err)
	}
	defer func() {
		_ = leg.HangUp(ctx)
		for range leg.Facts() { // to its end
		}
	}()
	heard, over := make(chan time.Time, 1), time.NewTimer(hearsWithin)
	defer over.Stop()
	var answered time.Time
	var known atomic.Bool
	listen := func(frame, _ []int16) {
		if known.Load() && peak(frame) > 500 {
			select {
			case heard <- time.Now():
			default:
			}
		}
	}
	for {
		select {
		case f, open := <-leg.Facts():
			switch {
			case !open, f.Kind == calls.FactRejected, f.Kind == calls.FactLost, f.Kind == calls.FactHungUp:
				return 0, fmt.Errorf("the node did not take the call: %s %d %s %s", f.Kind, f.Code, f.Phrase, f.Error)
			case f.Kind == calls.FactAnswered:
				answered = f.At
				known.Store(true)
				leg.Tap(listen)
			}
		case at := <-heard:
			return at.Sub(answered), nil
		case <-over.C:
			return 0, errors.New("nothing was heard")
		}
	}
}
