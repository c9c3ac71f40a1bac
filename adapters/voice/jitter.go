package voice

import (
	"sync"
	"time"
)

// Packet is one packet of sound. The payload is not kept.
type Packet struct {
	Seq       uint16
	Timestamp uint32 // in samples
	Marker    bool   // sound begins behind a pause; the timestamps say as much
	Payload   []byte
	Law       Law // of the payload: who sends may change it from one packet to the next
}

const (
	ringSamples = 4096               // half a second is held at most
	firstDelay  = 2 * FrameSamples   // is held back from the beginning
	mostDelay   = 12 * FrameSamples  // is held back from who jitters much
	missing     = -1 << 15           // of a sample that has not come; no law decodes to it
	mostLate    = 10                 // packets in a row, and the buffer begins anew
	calmFrames  = 250                // so long nothing came close before less is held back
	spareDelay  = 3 * FrameSamples   // is too much when it is always there
	mostPayload = 10 * FrameSamples  // of one packet; more is no sound of a call
	farBehind   = -20 * FrameSamples // is no late packet but another beginning
)

// jitterBuffer brings packets into the order and the pace of their timestamps. Reordered ones take
// their places, late ones and doubles are left out, pauses of who sends no silence are pauses. It
// holds 40 ms back, more where packets come later than that, and less again when they do not.
type jitterBuffer struct {
	mu      sync.Mutex
	ring    [ringSamples]int16
	started bool
	next    uint32 // the sample that is due
	newest  uint32 // behind the latest sample that has come
	played  uint32 // behind the latest sample that has come and was taken
	delay   int    // samples that are held back, as far as that was grown or cut
	wait    bool   // the next frame is not taken: more is to be held back
	lateRow int    // packets that came late, one behind the other
	least   int    // samples that were there when a frame was due, at the fewest
	calm    int    // frames since least was reset
	count   sequence
	pace    pace
	odd     struct { // the packet behind one that fits nowhere
		seq uint16
		ts  uint32
		is  bool
	}
}

// reset forgets what is held.
func (j *jitterBuffer) reset(ts uint32) {
	for i := range j.ring {
		j.ring[i] = missing
	}
	j.started, j.next, j.newest, j.played = true, ts-firstDelay, ts, ts-firstDelay
	j.delay, j.wait, j.odd.is = firstDelay, false, false
	j.least, j.calm = ringSamples, 0
}

// receive takes a packet when it arrives.
func (j *jitterBuffer) receive(p Packet, at time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(p.Payload) > 0 && len(p.Payload) <= mostPayload {
		j.pace.arrived(at, p.Timestamp)
		j.put(p)
	}
}

// beside counts a packet that is no sound.
func (j *jitterBuffer) beside(seq uint16) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.started && !j.count.behind(seq) {
		j.count.take(seq)
	}
}

func (j *jitterBuffer) put(p Packet) {
	n := len(p.Payload)
	if !j.started {
		j.reset(p.Timestamp)
	}
	from := int(int32(p.Timestamp - j.next))
	if from+n > ringSamples || from < farBehind {
		if j.count.begun && p.Seq != j.count.highest+1 && !(j.odd.is && j.odd.seq == p.Seq && j.odd.ts == p.Timestamp) {
			j.odd.seq, j.odd.ts, j.odd.is = p.Seq+1, p.Timestamp+uint32(n), true
			if int16(p.Seq-j.count.highest) < 0 && j.count.take(p.Seq) {
				j.count.late++
			}
			return // one alone may be anybody's
		}
		j.reset(p.Timestamp) // we stood still, or the sender began anew
		j.count.resume(p.Seq)
		from = firstDelay
	}
	if j.count.behind(p.Seq) && int32(p.Timestamp-j.newest) >= 0 {
		j.count.resume(p.Seq) // so much was lost that the numbers went round: what is ahead in time is no double
	}
	if !j.count.take(p.Seq) {
		return // a double
	}
	if from < 0 && !j.rewind(p.Timestamp, -from) && from+n <= 0 {
		j.count.late++
		j.wait = j.delay < mostDelay
		if j.lateRow++; j.lateRow < mostLate {
			return
		}
		j.reset(p.Timestamp) // what is due is never there: the sender's clock is another
	}
	j.lateRow = 0
	from = int(int32(p.Timestamp - j.next))
	skip := max(-from, 0)
	for i, b := range p.Payload[min(skip, n):] {
		j.ring[(p.Timestamp+uint32(skip+i))%ringSamples] = decoding[p.Law&1][b]
	}
	if end := p.Timestamp + uint32(n); int32(end-j.newest) > 0 {
		j.newest = end
	}
}

// rewind holds more back for a packet that comes late behind nothing but a gap: what was replaced
// so far stays replaced, and all of it is heard later.
func (j *jitterBuffer) rewind(ts uint32, late int) bool {
	if j.delay+late > mostDelay || int32(ts-j.played) < 0 {
		return false
	}
	j.next, j.delay, j.least, j.calm = ts, j.delay+late, ringSamples, 0
	return true
}

// take gives the frame that is due. here is how many of its samples have come; the others are
// silence. live is false before the first packet.
func (j *jitterBuffer) take(frame []int16) (here int, live bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.started || j.wait {
		clear(frame)
		if j.wait {
			j.wait, j.delay, j.least, j.calm = false, j.delay+FrameSamples, ringSamples, 0
		}
		return 0, j.started
	}
	for i := range frame {
		at := (j.next + uint32(i)) % ringSamples
		if s := j.ring[at]; s != missing {
			frame[i], j.ring[at] = s, missing
			here++
			continue
		}
		frame[i] = 0
	}
	j.next += uint32(len(frame))
	if here > 0 {
		j.played = j.next
	}
	j.relax(frame)
	return here, true
}

// relax holds less back when more than enough was there for five seconds: a frame without much sound
// is left out.
func (j *jitterBuffer) relax(frame []int16) {
	j.least = min(j.least, int(int32(j.newest-j.next)))
	if j.calm++; j.calm < calmFrames || j.least < spareDelay || !quiet(frame) && j.least < 2*spareDelay {
		if j.calm >= calmFrames && j.least < spareDelay {
			j.least, j.calm = ringSamples, 0
		}
		return
	}
	for range FrameSamples {
		j.ring[j.next%ringSamples] = missing
		j.next++
	}
	j.played = j.next
	j.delay, j.least, j.calm = max(j.delay-FrameSamples, firstDelay), ringSamples, 0
}

func quiet(frame []int16) bool {
	for _, s := range frame {
		if s > 400 || s < -400 {
			return false
		}
	}
	return true
}

// sequence counts packets by their numbers (RFC 3550, appendix A.1 and A.3).
type sequence struct {
	begun    bool
	highest  uint16
	seen     uint64 // of highest and the 63 before it
	expected int
	received int
	late     int // received, and of no use
}

// take counts a packet; false: it was here before.
func (c *sequence) take(seq uint16) bool {
	if !c.begun {
		c.begun, c.highest, c.seen, c.expected, c.received = true, seq, 1, c.expected+1, c.received+1
		return true
	}
	if ahead := int(int16(seq - c.highest)); ahead > 0 {
		c.seen, c.highest, c.expected = c.seen<<min(ahead, 64)|1, seq, c.expected+ahead
	} else if back := -ahead; back >= 64 || c.seen&(1<<back) != 0 {
		return false
	} else {
		c.seen |= 1 << back
	}
	c.received++
	return true
}

// behind reports whether a number is so far back that nobody remembers it.
func (c *sequence) behind(seq uint16) bool { return c.begun && int16(seq-c.highest) <= -64 }

// resume counts on behind a jump: what lies between was sent to nobody.
func (c *sequence) resume(seq uint16) {
	if c.begun && seq != c.highest+1 {
		c.begun = false
	}
}

func (c *sequence) lost() int { return max(c.expected-c.received, 0) }
