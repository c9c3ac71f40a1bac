package voice_test

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/voice"
)

func TestBytesOfALawMeanThemselves(t *testing.T) {
	for _, law := range []voice.Law{voice.MuLaw, voice.ALaw} {
		for i := range 256 {
			var sample [1]int16
			var back [1]byte
			law.Decode(sample[:], []byte{byte(i)})
			law.Encode(back[:], sample[:])
			if law == voice.MuLaw && i == 0x7f { // the other zero
				require.Equal(t, byte(0xff), back[0])
				continue
			}
			require.Equal(t, byte(i), back[0], "law %d", law)
		}
	}
	require.Equal(t, byte(0xff), voice.MuLaw.Silence())
	require.Equal(t, byte(0xd5), voice.ALaw.Silence())
}

// TestTheLawsAreThoseOfOthers decodes every byte as sox does, and encodes every sample as near as it.
func TestTheLawsAreThoseOfOthers(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for law, kind := range map[voice.Law]string{voice.MuLaw: "ul", voice.ALaw: "al"} {
		theirs := make([]int16, 256)
		require.NoError(t, binary.Read(bytes.NewReader(sox(t, all, "-t", kind, "-r", "8000", "-c", "1", "-", "-t", "s16", "-L", "-")),
			binary.LittleEndian, theirs))
		ours := make([]int16, 256)
		law.Decode(ours, all)
		require.Equal(t, theirs, ours, kind)
		for s := -1 << 15; s < 1<<15; s++ {
			var b [1]byte
			var back [1]int16
			law.Encode(b[:], []int16{int16(s)})
			law.Decode(back[:], b[:])
			step := max(abs(s)/16, 16) // of the segment that it is in
			require.LessOrEqual(t, abs(int(back[0])-s), step, "%s: %d became %d", kind, s, back[0])
		}
	}
}

func sox(t testing.TB, in []byte, args ...string) []byte {
	t.Helper()
	c := exec.Command("sox", append([]string{"-D", "-V1"}, args...)...)
	c.Stdin = bytes.NewReader(in)
	out, err := c.Output()
	require.NoError(t, err, "sox is a package of Debian: scripts/prerequisites.sh voice")
	return out
}

func abs(n int) int { return max(n, -n) }
