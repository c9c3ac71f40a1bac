package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/adapters/voice/corpus"
)

const (
	frameDecoded = "a frame decoded"
	frameHeard   = "a frame heard and judged"
	frameBoth    = "a frame heard, one said"
	pacedLines   = "turns of 100 lines"
	mostMicros   = 4.5
)

// sound measures what a call's sound costs: on calls made from a seed, without a network, and then over sockets.
func (c *Command) sound(out *report) error {
	out.heading("sound of calls")
	made, err := corpus.Make(context.Background(), corpus.Tuned[0])
	if err != nil {
		return err
	}
	decoded := c.framesFor(frameDecoded, func() int {
		var frame [voice.FrameSamples]int16
		bytes := make([]byte, voice.FrameSamples)
		for range 1_000 {
			voice.MuLaw.Decode(frame[:], bytes)
		}
		return 1_000
	})
	out.add(decoded)
	plan := corpus.Plan()
	next := 0
	heard := c.framesFor(frameHeard, func() int {
		next++
		return made[next%len(made)].Judge(plan).Frames
	})
	out.add(heard.aim(fmt.Sprintf("under %.1f µs", mostMicros), heard.Value/1_000 < mostMicros))
	both, err := c.bothWays()
	if err != nil {
		return err
	}
	out.add(both)
	out.add(c.paced(100))
	return c.carried(out)
}

// framesFor does something over and over, which says how many frames it was, and gives what one took
// of a core.
func (c *Command) framesFor(name string, once func() int) figure {
	once()
	frames, w := 0, begin()
	for time.Since(w.start) < c.For {
		frames += once()
	}
	took, cpu := w.spent()
	return figure{Name: name, Rate: float64(frames) / took.Seconds(), Value: float64(cpu.Nanoseconds()) / float64(frames),
		Unit: "ns of a core"}
}

// bothWays is a line that hears and speaks all the time.
func (c *Command) bothWays() (figure, error) {
	now := time.Unix(0, 0)
	line := voice.NewLine(voice.Options{Now: func() time.Time { return now }})
	defer line.Close()
	line.Answered(now)
	digits, err := voice.Tones("0123456789")
	if err != nil {
		return figure{}, err
	}
	go func() {
		for line.Play(context.Background(), "", digits) == nil {
		}
	}()
	n := 0
	return c.framesFor(frameBoth, func() int {
		for range 1_000 {
			now, n = now.Add(voice.FrameTime), n+1
			line.Receive(voice.Packet{Seq: uint16(n), Timestamp: uint32(n * voice.FrameSamples), Payload: line.Tick(now)})
		}
		for len(line.Facts()) > 0 {
			<-line.Facts()
		}
		return 1_000
	}), nil
}

// paced is how late the rounds of a pacer begin that has so many lines.
func (c *Command) paced(lines int) figure {
	some := make(chan struct{})
	begun := sync.OnceFunc(func() { close(some) })
	var mu sync.Mutex
	var late []time.Duration
	p := voice.NewPacer(voice.PacerOptions{Threads: 1, Late: func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		late = append(late, d)
		begun()
	}})
	w := begin()
	var leave []func()
	for range lines {
		line := voice.NewLine(voice.Options{})
		leave = append(leave, p.Add(func(at time.Time) { line.Tick(at) }), line.Close)
	}
	time.Sleep(c.For)
	<-some // however short that was
	for _, l := range leave {
		l()
	}
	took, cpu := w.spent()
	mu.Lock()
	defer mu.Unlock()
	f := figureOf(pacedLines, lines, slices.Clone(late), took, cpu)
	f.Unit, f.Value = "µs late at worst", float64(slices.Max(late).Microseconds())
	return f
}
