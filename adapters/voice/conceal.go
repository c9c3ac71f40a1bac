package voice

const (
	shortestPitch = 40  // samples: 200 Hz
	longestPitch  = 140 // samples: 57 Hz
	pitchHistory  = longestPitch + FrameSamples
	fadeStart     = FrameSamples / 2 // samples of a gap that are as loud as what was before
	fadeEnd       = 3 * FrameSamples // samples of a gap, and it is silence
	joinSamples   = 32               // over which the sound that comes back takes over
)

// concealer replaces sound that did not come by the last period of the voice before it, which fades
// (after ITU-T G.711, appendix I).
type concealer struct {
	past   [pitchHistory]int16 // what was heard last
	gap    int                 // samples of the running gap
	pitch  int
	period [longestPitch]int16
}

// whole takes a frame that came. Behind a gap its beginning is mixed with what replaced it.
func (c *concealer) whole(frame []int16) {
	if c.gap > 0 {
		var tail [joinSamples]int16
		c.replace(tail[:])
		for i, s := range tail {
			frame[i] = int16((int(s)*(joinSamples-i) + int(frame[i])*i) / joinSamples)
		}
		c.gap = 0
	}
	c.remember(frame)
}

// lost fills a frame that did not come.
func (c *concealer) lost(frame []int16) {
	if c.gap == 0 {
		c.pitch = c.findPitch()
		copy(c.period[:c.pitch], c.past[pitchHistory-c.pitch:])
	}
	c.replace(frame)
	c.remember(frame)
}

func (c *concealer) replace(out []int16) {
	for i := range out {
		loud := 256
		if c.gap > fadeStart {
			loud = max(256*(fadeEnd-c.gap)/(fadeEnd-fadeStart), 0)
		}
		if c.pitch > 0 {
			out[i] = int16(int(c.period[c.gap%c.pitch]) * loud / 256)
		}
		c.gap++
	}
}

func (c *concealer) remember(frame []int16) {
	copy(c.past[:], c.past[len(frame):])
	copy(c.past[pitchHistory-len(frame):], frame)
}

// findPitch is the lag at which the last frame is most like what was before it.
func (c *concealer) findPitch() int {
	best, lag := int64(-1<<62), longestPitch
	now := c.past[pitchHistory-FrameSamples:]
	for l := shortestPitch; l <= longestPitch; l++ {
		var sum int64
		for i := 0; i < FrameSamples; i += 2 {
			sum += int64(now[i]) * int64(c.past[pitchHistory-FrameSamples-l+i])
		}
		if sum > best {
			best, lag = sum, l
		}
	}
	return lag
}
