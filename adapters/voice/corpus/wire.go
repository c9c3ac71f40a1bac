package corpus

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/pion/rtp"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
)

// OverRTP judges calls as Judge does, but all at once, in their own time, over sockets of this machine.
func OverRTP(ctx context.Context, of []Call, plan calls.DetectionPlan) (Result, error) {
	pacer := voice.NewPacer(voice.PacerOptions{Threads: 1})
	out, errs := make(Result, len(of)), make([]error, len(of))
	var all sync.WaitGroup
	for i, c := range of {
		all.Go(func() { out[i], errs[i] = c.overRTP(ctx, pacer, plan) })
	}
	all.Wait()
	return out, errors.Join(errs...)
}

func (c Call) overRTP(ctx context.Context, pacer *voice.Pacer, plan calls.DetectionPlan) (Judged, error) {
	there, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return Judged{}, fmt.Errorf("opening a socket: %w", err)
	}
	defer func() { _ = there.Close() }()
	here, err := net.DialUDP("udp4", nil, there.LocalAddr().(*net.UDPAddr))
	if err != nil {
		return Judged{}, fmt.Errorf("opening a socket: %w", err)
	}
	defer func() { _ = here.Close() }()

	ear := &ear{judged: Judged{Call: c}, line: voice.NewLine(voice.Options{}), detector: calls.NewDetector(plan),
		over: make(chan struct{})}
	defer ear.line.Close()
	go ear.read(there)
	defer pacer.Add((&mouth{call: c, to: here}).tick)()
	defer pacer.Add(ear.tick)()
	select {
	case <-ear.over:
		return ear.judged, nil
	case <-ctx.Done():
		return Judged{}, ctx.Err()
	}
}

// mouth sends a call's sound, a frame at a time.
type mouth struct {
	call   Call
	to     *net.UDPConn
	next   int
	packet [12 + voice.FrameSamples]byte
}

func (m *mouth) tick(time.Time) {
	from := m.next * voice.FrameSamples
	if from+voice.FrameSamples > len(m.call.sound) {
		return
	}
	law := m.call.law()
	h := rtp.Header{Version: 2, PayloadType: uint8(8 * law), SequenceNumber: uint16(m.next), Timestamp: uint32(from), SSRC: 1}
	n, err := h.MarshalTo(m.packet[:])
	if err != nil {
		return
	}
	law.Encode(m.packet[n:], m.call.sound[from:from+voice.FrameSamples])
	if m.call.lost == nil || !m.call.lost[m.next] {
		_, _ = m.to.Write(m.packet[:n+voice.FrameSamples])
	}
	m.next++
}

// ear hears it, and judges.
type ear struct {
	judged   Judged
	line     *voice.Line
	detector *calls.Detector
	answered time.Time
	done     bool
	over     chan struct{}
}

func (e *ear) read(from *net.UDPConn) {
	var buf [1_500]byte
	for {
		n, err := from.Read(buf[:])
		if err != nil {
			return
		}
		var p rtp.Packet
		if p.Unmarshal(buf[:n]) == nil {
			e.line.Receive(voice.Packet{Seq: p.SequenceNumber, Timestamp: p.Timestamp, Marker: p.Marker, Payload: p.Payload,
				Law: voice.Law(p.PayloadType / 8)})
		}
	}
}

func (e *ear) tick(at time.Time) {
	if e.done {
		return
	}
	if e.answered.IsZero() {
		e.answered = at.Add(-voice.FrameTime)
		e.line.Answered(e.answered)
	}
	e.line.Tick(at)
	elapsed := at.Sub(e.answered)
	for len(e.line.Facts()) > 0 {
		e.judged.hear(e.detector.Hear(<-e.line.Facts(), elapsed), e.detector)
	}
	e.judged.hear(e.detector.Advance(elapsed), e.detector)
	if e.detector.Stopped() || elapsed > length(e.judged.Call.sound) {
		e.judged.hear(e.detector.Advance(time.Minute), e.detector)
		e.done = true
		close(e.over)
	}
}

// law is the one that the call is sent in.
func (c Call) law() voice.Law {
	if c.Condition == ALaw {
		return voice.ALaw
	}
	return voice.MuLaw
}

// Order is the order of what was told, without its times.
func (j Judged) Order() string {
	var out []string
	for _, s := range j.Story {
		_, what, _ := strings.Cut(s, " ")
		out = append(out, what)
	}
	return strings.Join(out, ", ")
}
