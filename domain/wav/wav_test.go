package wav_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/wav"
)

func TestSoundAsBytes(t *testing.T) {
	samples, bytes := []int16{0, 1, -1, 0x1234, -32_768}, []byte{0, 0, 1, 0, 0xff, 0xff, 0x34, 0x12, 0, 0x80}
	require.Equal(t, bytes, wav.Linear(samples))
	require.Equal(t, samples, wav.Samples(append(bytes, 7)), "half a sample is none")
	require.Equal(t, []byte{1, 0, 2, 0, 0x40, 0x1f, 0, 0, 0, 0x7d, 0, 0, 4, 0, 16, 0}, wav.Format(2))
}

func TestHowAFileBegins(t *testing.T) {
	require.Equal(t, "RIFF\x2e\x00\x00\x00WAVEfmt \x10\x00\x00\x00"+string(wav.Format(1))+"data\x0a\x00\x00\x00", string(wav.Header(1, 10)))
	require.Equal(t, string(wav.Header(1, 2))+"\xff\xff", string(wav.File([]int16{-1})))
	require.Len(t, wav.Header(2, 0), wav.HeaderBytes)
}
