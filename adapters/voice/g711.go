package voice

import "math/bits"

// Law is one of the two companding laws of G.711.
type Law int

// The laws. Their RTP payload types are 0 and 8.
const (
	MuLaw Law = iota
	ALaw
)

// Silence is the byte of a sample without sound.
func (l Law) Silence() byte { return encoding[l&1][0] }

// Decode makes samples of bytes; dst has room for as many.
func (l Law) Decode(dst []int16, src []byte) {
	table := &decoding[l&1]
	for i, b := range src {
		dst[i] = table[b]
	}
}

// Encode makes bytes of samples; dst has room for as many.
func (l Law) Encode(dst []byte, src []int16) {
	table := &encoding[l&1]
	for i, s := range src {
		dst[i] = table[uint16(s)]
	}
}

var (
	decoding [2][256]int16
	encoding [2][1 << 16]byte
)

func init() {
	for i := range 256 {
		decoding[MuLaw][i], decoding[ALaw][i] = fromMuLaw(byte(i)), fromALaw(byte(i))
	}
	for i := range 1 << 16 {
		encoding[MuLaw][i], encoding[ALaw][i] = toMuLaw(int16(i)), toALaw(int16(i))
	}
}

const muBias = 0x84 // is added before the exponent is taken

func fromMuLaw(b byte) int16 {
	u := ^b
	t := (int(u&0x0f)<<3 + muBias) << (u & 0x70 >> 4)
	if u&0x80 != 0 {
		return int16(muBias - t)
	}
	return int16(t - muBias)
}

func toMuLaw(sample int16) byte {
	s, sign := int(sample), byte(0)
	if s < 0 {
		s, sign = -s, 0x80
	}
	s = min(s, 32_635) + muBias
	exponent := max(bits.Len(uint(s))-8, 0)
	return ^(sign | byte(exponent<<4) | byte(s>>(exponent+3)&0x0f))
}

const aMask = 0x55 // even bits are sent inverted

func fromALaw(b byte) int16 {
	a := b ^ aMask
	exponent := a & 0x70 >> 4
	t := int(a&0x0f)<<4 + 8
	if exponent > 0 {
		t = (t + 0x100) << (exponent - 1)
	}
	if a&0x80 == 0 {
		return int16(-t)
	}
	return int16(t)
}

func toALaw(sample int16) byte {
	s, sign := int(sample), byte(0x80)
	if s < 0 {
		s, sign = -s-1, 0
	}
	exponent := max(bits.Len(uint(s))-8, 0)
	mantissa := s >> 4 & 0x0f
	if exponent > 0 {
		mantissa = s >> (exponent + 3) & 0x0f
	}
	return (sign | byte(exponent<<4) | byte(mantissa)) ^ aMask
}
