package voice

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// packet is the n-th of a stream that began at seq and ts; its samples say which it is.
func packet(n int, seq uint16, ts uint32) Packet {
	p := Packet{Seq: seq + uint16(n), Timestamp: ts + uint32(n*FrameSamples), Payload: make([]byte, FrameSamples)}
	for i := range p.Payload {
		p.Payload[i] = mark(n)
	}
	return p
}

func mark(n int) byte { return byte(1 + n%100) }

// heardOf tells the packets of frames; -1 is a gap.
func heardOf(j *jitterBuffer, frames int) (out []int) {
	var frame [FrameSamples]int16
	for range frames {
		here, _ := j.take(frame[:])
		n := -1
		if here == FrameSamples {
			n = slices.Index(decoding[MuLaw][:], frame[0]) - 1
		}
		out = append(out, n)
	}
	return out
}

func TestTheBufferHoldsTwoFramesBack(t *testing.T) {
	var j jitterBuffer
	require.Equal(t, []int{-1}, heardOf(&j, 1))
	for n := range 3 {
		j.put(packet(n, 65_535, 1<<32-100))
	}
	require.Equal(t, []int{-1, -1, 0, 1, 2, -1}, heardOf(&j, 6))
}

// TestAnyOrderIsPutRight: whatever overtakes by two frames at most, comes twice, or is lost, each frame
// is heard in its place, and what was lost is a gap.
func TestAnyOrderIsPutRight(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const n = 60
		seq, ts := rapid.Uint16().Draw(rt, "seq"), rapid.Uint32().Draw(rt, "ts")
		seed := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "order"), 1))
		type arrival struct {
			at float64
			n  int
		}
		lost, late := map[int]bool{}, []arrival{}
		for i := range n {
			if i > 0 && seed.IntN(10) == 0 {
				lost[i] = true
				continue
			}
			for range 1 + seed.IntN(2) {
				wait := seed.Float64() * 1.9
				if i == 0 {
					wait = 0
				}
				late = append(late, arrival{float64(i) + wait, i})
			}
		}
		slices.SortStableFunc(late, func(a, b arrival) int { return int(1000 * (a.at - b.at)) })
		var j jitterBuffer
		var got []int
		for tick := range n + 2 {
			for len(late) > 0 && late[0].at < float64(tick)+0.001 {
				j.put(packet(late[0].n, seq, ts))
				late = late[1:]
			}
			got = append(got, heardOf(&j, 1)...)
		}
		want := []int{-1, -1}
		for i := range n {
			if lost[i] {
				want = append(want, -1)
				continue
			}
			want = append(want, i)
		}
		require.Equal(rt, want, got)
		require.Zero(rt, j.count.late)
		tail := 0 // what was lost at the end, nobody knows of
		for i := n - 1; lost[i]; i-- {
			tail++
		}
		require.Equal(rt, len(lost)-tail, j.count.lost())
	})
}

// TestNothingBreaksTheBuffer gives it what no sender sends.
func TestNothingBreaksTheBuffer(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := NewLine(Options{Law: Law(rapid.IntRange(0, 1).Draw(rt, "law"))})
		at := time.Unix(0, 0)
		l.Answered(at)
		for range rapid.IntRange(1, 200).Draw(rt, "steps") {
			at = at.Add(time.Duration(rapid.IntRange(-50, 50).Draw(rt, "ms")) * time.Millisecond)
			for range rapid.IntRange(0, 3).Draw(rt, "packets") {
				l.Receive(Packet{Seq: rapid.Uint16().Draw(rt, "seq"), Timestamp: rapid.Uint32().Draw(rt, "ts"),
					Payload: rapid.SliceOfN(rapid.Byte(), 0, 2_000).Draw(rt, "payload")})
			}
			require.Len(rt, l.Tick(at), FrameSamples)
		}
		q := l.Quality()
		require.GreaterOrEqual(rt, q.Lost, 0)
		require.GreaterOrEqual(rt, q.RFactor, 0.0)
	})
}

func TestWhoComesLate(t *testing.T) {
	play := func(arrive map[int][]int, ticks int) (j *jitterBuffer, got []int) {
		j = &jitterBuffer{}
		for tick := range ticks {
			for _, n := range arrive[tick] {
				j.put(packet(n, 7, 1_000))
			}
			got = append(got, heardOf(j, 1)...)
		}
		return j, got
	}
	each := func(n int) map[int][]int {
		m := map[int][]int{}
		for i := range n {
			m[i] = []int{i}
		}
		return m
	}

	arrive := each(12) // 3 comes when its time is over and others were heard behind it
	arrive[3], arrive[8] = nil, []int{3, 8}
	j, got := play(arrive, 15)
	require.Equal(t, []int{-1, -1, 0, 1, 2, -1, 4, 5, -1, 6, 7, 8, 9, 10, 11}, got, "more is held back from then on")
	require.Equal(t, 1, j.count.late)

	arrive = each(20) // all stop for 200 ms, and come at once: nothing is lost, and all is later
	for i := 5; i < 15; i++ {
		arrive[i] = nil
	}
	arrive[15] = []int{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	j, got = play(arrive, 30)
	var heard []int
	for _, n := range got {
		if n >= 0 {
			heard = append(heard, n)
		}
	}
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, heard)
	require.Zero(t, j.count.late)
	require.LessOrEqual(t, j.delay, mostDelay)

	arrive = each(20)
	arrive[5] = []int{5, 3, 4, 5} // doubles are nothing
	j, got = play(arrive, 22)
	require.Equal(t, []int{-1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, got)
	require.Equal(t, []int{20, 0, 0}, []int{j.count.received, j.count.lost(), j.count.late})
}

// TestAnotherClock: who stops, and goes on with the timestamps that were due then, is heard again, however long it was;
// so is who sends a little slower than we hear.
func TestAnotherClock(t *testing.T) {
	for _, pause := range []int{1, 5, 11, 13, 15, 19, 21, 30, 300} {
		var j jitterBuffer
		for n := range 20 {
			j.put(packet(n, 7, 1_000))
			heardOf(&j, 1)
		}
		heardOf(&j, pause)
		var got []int
		for n := 20; n < 60; n++ {
			j.put(packet(n, 7, 1_000))
			got = append(got, heardOf(&j, 1)...)
		}
		tail := got[len(got)-10:]
		require.NotContains(t, tail, -1, "after a pause of %d frames: %v", pause, got)
	}

	var j jitterBuffer
	gaps, n := 0, 0
	for tick := range 200_000 { // an hour
		if tick%2_000 != 0 { // half a frame in a thousand
			j.put(packet(n, 7, 1_000))
			n++
		}
		if heardOf(&j, 1)[0] < 0 {
			gaps++
		}
	}
	require.LessOrEqual(t, gaps, 400, "of 200,000")
}

// Given keys between packets of sound, which have numbers of the same row, then nothing is lost; but what did not come is.
func TestPacketsOfKeysAreNotLost(t *testing.T) {
	l := NewLine(Options{})
	l.Beside(99) // before there is any sound
	for seq := range uint16(100) {
		switch {
		case seq%10 < 7:
			l.Receive(packet(int(seq), 65_500, 1_000))
		case seq != 58:
			l.Beside(65_500 + seq)
			l.Beside(65_500 + seq)
		}
	}
	q := l.Quality()
	require.Equal(t, []int{99, 1}, []int{q.Received, q.Lost})
}

func TestPausesOfWhoSendsNoSilence(t *testing.T) {
	var j jitterBuffer
	first, second := packet(0, 7, 1_000), packet(1, 7, 1_000)
	second.Timestamp += 100 * FrameSamples // two seconds of nothing
	second.Marker = true
	j.put(first)
	got := heardOf(&j, 101)
	require.Equal(t, 0, got[2])
	j.put(second)
	require.Equal(t, []int{-1, -1, 1}, heardOf(&j, 3))
	require.Zero(t, j.count.lost(), "nothing was sent in between")
}

func TestAnotherBeginning(t *testing.T) {
	var j jitterBuffer
	j.put(packet(0, 7, 1_000))
	heardOf(&j, 3)
	j.put(packet(5, 40_000, 1<<31))
	require.Equal(t, []int{-1, -1, -1}, heardOf(&j, 3), "one packet from nowhere may be anybody's")
	j.put(packet(6, 40_000, 1<<31))
	require.Equal(t, []int{-1, -1, 6}, heardOf(&j, 3), "two are the sender, who began anew")
	require.Zero(t, j.count.lost())
}

func TestASpareDelayIsGivenBack(t *testing.T) {
	var j jitterBuffer
	for n := range 6 {
		j.put(packet(n, 7, 1_000))
	}
	for n := 6; n < 6+8*calmFrames; n++ {
		p := packet(n, 7, 1_000)
		for i := range p.Payload {
			p.Payload[i] = MuLaw.Silence()
		}
		j.put(p)
		heardOf(&j, 1)
	}
	require.Equal(t, firstDelay, int(j.newest-j.next))
}

func TestPacketsOfOtherLengths(t *testing.T) {
	for _, n := range []int{80, 240, 320, 480} {
		var j jitterBuffer
		for i := range 7 {
			p := Packet{Seq: uint16(i), Timestamp: uint32(i * n), Payload: make([]byte, n)}
			for k := range p.Payload {
				p.Payload[k] = mark((i*n + k) / FrameSamples)
			}
			j.put(p)
		}
		require.Equal(t, []int{-1, -1, 0, 1, 2}, heardOf(&j, 5), n)
	}
}
