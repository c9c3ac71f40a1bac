// Package corpus makes calls of which is known who answers: people and machines in several languages
// and voices, with beeps, noise, babble, music and losses. It has them heard as calls are heard, and
// counts what the detection made of them.
//
// It owns the greetings, how sound is made of a seed, and the table. The same seed gives the same calls
// with the same espeak-ng and sox (packages of Debian). It tunes nothing.
package corpus

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/adapters/voice"
)

// Condition is what a call's sound went through.
type Condition string

// The conditions. Noise, babble and music are 15 dB below the speech.
const (
	Clean  Condition = "clean"
	Noise  Condition = "noise"
	Babble Condition = "babble"
	Music  Condition = "music"
	Loss   Condition = "3 % lost"
	ALaw   Condition = "A-law"
)

// Conditions are all of them.
func Conditions() []Condition { return []Condition{Clean, Noise, Babble, Music, Loss, ALaw} }

const (
	snr       = 15.0 // dB
	lossShare = 0.03
	loudest   = "-9" // dBFS, of speech
	rate      = voice.SampleRate
)

// Call is a call whose truth is known. Times count from the answer.
type Call struct {
	Seed       uint64
	Number     int // of the greeting among those of its kind
	Machine    bool
	Condition  Condition
	Text       string
	Words      int
	Begin, End time.Duration // of the greeting
	Beep       time.Duration // when it begins; 0: there is none
	Hz         int
	sound      []int16
	lost       []bool // which packets are
}

// Make makes the calls of a seed: each greeting in each condition.
func Make(ctx context.Context, seed uint64) ([]Call, error) {
	spoken := make([]spoken, len(people)+len(machines))
	errs := make([]error, len(spoken))
	var all sync.WaitGroup
	room := make(chan struct{}, 2)
	for i := range spoken {
		all.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			spoken[i], errs[i] = speak(ctx, seed, i)
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	tune, err := music(ctx, rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		return nil, err
	}
	talk := babble(spoken[len(people):])
	var calls []Call
	for i, s := range spoken {
		for k, condition := range Conditions() {
			r := rand.New(rand.NewPCG(seed, uint64(1_000*i+k)))
			calls = append(calls, s.under(condition, r, talk, tune))
		}
	}
	return calls, nil
}

// spoken is a greeting as sound, with what goes before it and comes behind.
type spoken struct {
	call   Call
	speech []int16
}

// speak says the i-th greeting.
func speak(ctx context.Context, seed uint64, i int) (spoken, error) {
	r := rand.New(rand.NewPCG(seed, uint64(100+i)))
	g, number, machine := greeting{}, i, i >= len(people)
	if machine {
		number -= len(people)
		g = machines[number]
	} else {
		g = people[number]
	}
	said, err := run(ctx, nil, "espeak-ng", "-v", g.language+voices[r.IntN(len(voices))], "-s", strconv.Itoa(130+r.IntN(46)),
		"-p", strconv.Itoa(35+r.IntN(31)), "--stdout", g.text)
	if err != nil {
		return spoken{}, err
	}
	// As a telephone carries it, and without the silence around it.
	speech, err := samples(ctx, said, "-t", "wav", "--ignore-length", "-", "sinc", "250-3400", "gain", "-n", loudest,
		"silence", "1", "0.01", "-50d", "reverse", "silence", "1", "0.01", "-50d", "reverse")
	if err != nil {
		return spoken{}, err
	}
	c := Call{Seed: seed, Number: number, Machine: machine, Text: g.text, Words: len(strings.Fields(g.text)),
		Begin: time.Duration(50+r.IntN(1_150)) * time.Millisecond}
	c.End = c.Begin + length(speech)
	c.sound = append(silence(c.Begin), speech...)
	if !machine {
		c.sound = append(c.sound, silence(8*time.Second)...)
		return spoken{c, speech}, nil
	}
	c.Hz = pick(r, 440, 620, 853, 1_000, 1_400, 1_633, 2_000)
	beep := pick(r, 200, 350, 500, 900)
	gap := time.Duration(pick(r, 300, 700, 1_200, 1_800)) * time.Millisecond
	c.Beep = c.End + gap
	tone, err := samples(ctx, nil, "-n", "synth", seconds(beep), "sine", strconv.Itoa(c.Hz),
		"fade", "t", "0.005", seconds(beep), "0.005", "gain", strconv.Itoa(pick(r, -9, -15, -20)))
	if err != nil {
		return spoken{}, err
	}
	c.sound = append(append(append(c.sound, silence(gap)...), tone...), silence(5*time.Second)...)
	return spoken{c, speech}, nil
}

// under is the call as it sounds in a condition.
func (s spoken) under(condition Condition, r *rand.Rand, babble, music []int16) Call {
	c := s.call
	c.Condition = condition
	below := rms(s.speech) * math.Pow(10, -snr/20)
	switch condition {
	case Noise:
		white := make([]int16, len(c.sound))
		for i := range white {
			white[i] = int16(r.NormFloat64() * 1_000)
		}
		c.sound = mixed(c.sound, white, 0, below)
	case Babble:
		c.sound = mixed(c.sound, babble, r.IntN(len(babble)), below)
	case Music:
		c.sound = mixed(c.sound, music, r.IntN(len(music)), below)
	case Loss:
		c.lost = make([]bool, len(c.sound)/voice.FrameSamples)
		for i := range c.lost {
			c.lost[i] = i > 0 && r.Float64() < lossShare
		}
	}
	return c
}

// mixed adds a sound, from some place in it on and over and over, as loud as it says.
func mixed(into, from []int16, at int, loud float64) []int16 {
	scale := loud / rms(from)
	out := make([]int16, len(into))
	for i, s := range into {
		v := float64(s) + scale*float64(from[(at+i)%len(from)])
		out[i] = int16(min(max(v, -1<<15), 1<<15-1))
	}
	return out
}

// babble is four people who talk at once.
func babble(of []spoken) []int16 {
	out := make([]int16, 0)
	for _, s := range of[:4] {
		if len(s.speech) > len(out) {
			out = append(out, make([]int16, len(s.speech)-len(out))...)
		}
	}
	for _, s := range of[:4] {
		for i := range out {
			out[i] += s.speech[i%len(s.speech)] / 4
		}
	}
	return out
}

// music is a row of chords, plucked.
func music(ctx context.Context, r *rand.Rand) ([]int16, error) {
	var out []int16
	for range 6 {
		root := 110 * math.Pow(2, float64(r.IntN(12))/12)
		args := []string{"-n", "synth", "1"}
		for _, half := range []int{0, 7, 12, pick(r, 15, 16), pick(r, 19, 24)} {
			args = append(args, "pluck", strconv.FormatFloat(root*math.Pow(2, float64(half)/12), 'f', 2, 64))
		}
		chord, err := samples(ctx, nil, append(args, "remix", "-")...)
		if err != nil {
			return nil, err
		}
		out = append(out, chord...)
	}
	return out, nil
}

// samples are what sox makes.
func samples(ctx context.Context, in []byte, args ...string) ([]int16, error) {
	at := len(args)
	for i, a := range args { // the output goes behind the input and before the effects
		if a == "-n" || a == "-" {
			at = i + 1
			break
		}
	}
	all := []string{"-R", "-V1"}
	if args[0] == "-n" {
		all = append(all, "-r", "48000") // what is made up is made finer, and brought down like the rest
	}
	all = append(append(append(all, args[:at]...), "-t", "s16", "-L", "-r", strconv.Itoa(rate), "-c", "1", "-"), args[at:]...)
	raw, err := run(ctx, in, "sox", all...)
	if err != nil {
		return nil, err
	}
	out := make([]int16, len(raw)/2)
	return out, binary.Read(bytes.NewReader(raw[:2*len(out)]), binary.LittleEndian, out)
}

func run(ctx context.Context, in []byte, program string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, program, args...)
	var out, problem bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(in), &out, &problem
	if err := c.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, fmt.Errorf("making sound: %s is not there; scripts/prerequisites.sh voice installs it: %w", program, err)
		}
		return nil, fmt.Errorf("making sound: %s %s: %w: %s", program, strings.Join(args, " "), err, problem.String())
	}
	return out.Bytes(), nil
}

func silence(d time.Duration) []int16 { return make([]int16, int(d.Seconds()*rate)) }

func length(s []int16) time.Duration { return time.Duration(len(s)) * time.Second / rate }

func seconds(ms int) string { return strconv.FormatFloat(float64(ms)/1_000, 'f', 3, 64) }

func rms(s []int16) float64 {
	sum := 0.0
	for _, v := range s {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum/float64(max(len(s), 1))) + 1e-9
}

func pick(r *rand.Rand, of ...int) int { return of[r.IntN(len(of))] }
