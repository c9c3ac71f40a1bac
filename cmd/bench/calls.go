package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/adapters/voice"
)

const (
	echoed       = "bare RTP echo"
	carriedCalls = "calls heard, judged, spoken to"
	carriedAt    = 100 // at once
	cutOffs      = "cut off by who speaks"
	mostCutOffMs = 150
	firstSounds  = "answer to first sound"
	mostFirstMs  = 700
	conversation = "Good day. The office is open from nine to five, and I can take a message for you, if you like. What is it about?"
)

// carried measures calls over sockets of this machine: each sends a packet every 20 ms to an echo, and takes what comes back. Both ends
// are in this process, so what a call costs of its own is what it costs beside the bare echo.
func (c *Command) carried(out *report) error {
	by, err := speech.NewEspeak(context.Background())
	if err != nil {
		return fmt.Errorf("speaking: %w", err)
	}
	spoken, err := by.Speak(context.Background(), conversation, "en")
	if err != nil {
		return fmt.Errorf("speaking: %w", err)
	}
	bare, err := c.talks(echoed, func() (mouth, error) { return &silent{}, nil })
	if err != nil {
		return err
	}
	out.add(bare)
	f, err := c.talks(carriedCalls, func() (mouth, error) { return newTalk(spoken), nil })
	if err != nil {
		return err
	}
	out.add(f.of(bare))
	if f, err = c.cutOff(spoken); err != nil {
		return err
	}
	out.add(f.aim(fmt.Sprintf("p95 under %d ms", mostCutOffMs), f.P95 < mostCutOffMs))
	if f, err = c.firstSound(by); err != nil {
		return err
	}
	out.add(f.aim(fmt.Sprintf("p95 under %d ms", mostFirstMs), f.P95 < mostFirstMs))
	return nil
}

// talks is so many calls at once for a while. The rate is how many of them a core carries; the times are how late rounds begin.
func (c *Command) talks(name string, end func() (mouth, error)) (figure, error) {
	var late lateness
	pacer := voice.NewPacer(voice.PacerOptions{Threads: 1, Late: late.note})
	var all []*wire
	for range carriedAt {
		of, err := end()
		if err != nil {
			return figure{}, err
		}
		w, end, err := openWire(of)
		if err != nil {
			of.close()
			return figure{}, err
		}
		defer end()
		all = append(all, w)
	}
	work := begin()
	var leave []func()
	for _, w := range all {
		leave = append(leave, pacer.Add(w.tick))
	}
	time.Sleep(c.For)
	for _, l := range leave {
		l()
	}
	took, cpu := work.spent()
	time.Sleep(100 * time.Millisecond) // what is on its way
	sent, gotten := int64(0), int64(0)
	for _, w := range all {
		sent, gotten = sent+w.sent.Load(), gotten+w.gotten.Load()
	}
	f := figureOf(name, carriedAt, late.taken(), took, cpu)
	f.Rate = carriedAt * took.Seconds() / cpu.Seconds()
	f.CPU = float64(cpu.Microseconds()) / float64(max(sent, 1))
	f.Value, f.Unit = float64(sent-gotten), "packets lost"
	return f.aim(fmt.Sprintf("under 0.5 %% of %d packets lost", sent), 200*(sent-gotten) < sent), nil
}

// speaks is an end on which a long tone is said, until somebody speaks.
type speaks struct {
	line     *voice.Line
	answered bool
}

func (s *speaks) tick(at time.Time) []byte {
	if !s.answered {
		s.answered = true
		s.line.Answered(at)
	}
	for len(s.line.Facts()) > 0 {
		<-s.line.Facts()
	}
	return s.line.Tick(at)
}

func (s *speaks) receive(p voice.Packet) { s.line.Receive(p) }
func (s *speaks) close()                 { s.line.Close() }

// interrupts is an end that listens for a second, then speaks, and sees when it is quiet.
type interrupts struct {
	spoken []int16 // from its first loud frame on
	n      int
	frame  [voice.FrameSamples]byte

	mu    sync.Mutex
	began time.Time
	quiet chan time.Duration
	heard bool // something, before
	done  bool
}

const listens = int(time.Second / voice.FrameTime)

func (i *interrupts) tick(time.Time) []byte {
	i.n++
	frame := make([]int16, voice.FrameSamples)
	if from := (i.n - listens) * voice.FrameSamples; from >= 0 {
		if from == 0 {
			i.mu.Lock()
			i.began = time.Now()
			i.mu.Unlock()
		}
		copy(frame, i.spoken[min(from, len(i.spoken)):])
	}
	voice.MuLaw.Encode(i.frame[:], frame)
	return i.frame[:]
}

func (i *interrupts) receive(p voice.Packet) {
	var heard [voice.FrameSamples]int16
	voice.MuLaw.Decode(heard[:], p.Payload)
	i.mu.Lock()
	defer i.mu.Unlock()
	loud := peak(heard[:]) > 500
	i.heard = i.heard || loud
	if !loud && i.heard && !i.began.IsZero() && !i.done {
		i.done = true
		i.quiet <- time.Since(i.began)
	}
}

func (*interrupts) close() {}

func peak(frame []int16) (p int) {
	for _, s := range frame {
		p = max(p, int(s), -int(s))
	}
	return p
}

// cutOff is how long it takes from the first loud packet of a person until what we say is quiet, with so many at once.
func (c *Command) cutOff(spoken []int16) (figure, error) {
	const people = 20
	for len(spoken) > voice.FrameSamples && peak(spoken[:voice.FrameSamples]) < 2_000 {
		spoken = spoken[voice.FrameSamples:]
	}
	tone := make([]int16, 10*voice.SampleRate)
	for i := range tone {
		tone[i] = int16(8_000 * math.Sin(2*math.Pi*300*float64(i)/voice.SampleRate))
	}
	pacer, quiet := voice.NewPacer(voice.PacerOptions{Threads: 1}), make(chan time.Duration, people)
	work := begin()
	for range people {
		s := &speaks{line: voice.NewLine(voice.Options{BargeIn: true})}
		go func() { _ = s.line.Play(context.Background(), "", tone) }()
		a, b, end, err := openPair(s, &interrupts{spoken: spoken, quiet: quiet})
		if err != nil {
			return figure{}, err
		}
		defer end()
		defer pacer.Add(a.tick)()
		defer pacer.Add(b.tick)()
	}
	var all []time.Duration
	for range people {
		select {
		case d := <-quiet:
			all = append(all, d)
		case <-time.After(10 * time.Second):
			return figure{}, fmt.Errorf("%s: %d of %d were not", cutOffs, people-len(all), people)
		}
	}
	took, cpu := work.spent()
	f := figureOf(cutOffs, people, all, took, cpu)
	f.Rate, f.CPU = 0, 0
	return f, nil
}

// firstSound is how long it takes from an answer until something is said that was never said before: the local synthesizer, the line,
// and its pacer. What the log and a turn of an agent take comes before: see answers.
func (c *Command) firstSound(by voice.Speaker) (figure, error) {
	const answers = 20
	pacer := voice.NewPacer(voice.PacerOptions{Threads: 1})
	var all []time.Duration
	work := begin()
	for n := range answers {
		line, sounds := voice.NewLine(voice.Options{Speaker: by}), make(chan time.Time, 1)
		leave := pacer.Add(func(at time.Time) {
			var said [voice.FrameSamples]int16
			voice.MuLaw.Decode(said[:], line.Tick(at))
			if peak(said[:]) > 500 {
				select {
				case sounds <- time.Now():
				default:
				}
			}
		})
		answered := time.Now()
		line.Answered(answered)
		said := make(chan error, 1)
		go func() {
			said <- line.Say(context.Background(), fmt.Sprintf("Hello, you are caller %d. How can I help you today?", n), "en")
		}()
		select {
		case at := <-sounds:
			all = append(all, at.Sub(answered))
		case err := <-said:
			leave()
			line.Close()
			return figure{}, fmt.Errorf("%s: %w", firstSounds, errors.Join(err, errors.New("nothing was heard")))
		}
		leave()
		line.Close()
		<-said
	}
	took, cpu := work.spent()
	f := figureOf(firstSounds, 1, all, took, cpu)
	f.Rate = 0
	return f, nil
}
