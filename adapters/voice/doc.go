// Package voice is one call's sound and what is made of it: packets of G.711 go in, frames of 20 ms
// come out, and facts of who speaks, how many words, how long nobody does, beeps and digits.
//
// It owns the codec, the jitter buffer, what replaces lost sound, the front end that makes facts of
// sound, in-band digits, the bridge of two lines, what is said and cut off, the measure of quality,
// and the pacer by which many lines take their turns. It judges nothing: the detector of domain/calls
// does. It knows no network and no protocol, and reads no clock but those that it is given: the same
// packets and ticks give the same facts.
package voice

import "time"

// FrameSamples are the samples of a frame: 20 ms at 8 kHz, one channel.
const FrameSamples = 160

// FrameTime is how long a frame lasts.
const FrameTime = 20 * time.Millisecond

// SampleRate is how many samples a second has.
const SampleRate = 8_000
