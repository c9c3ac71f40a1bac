package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/projections/audit"
)

// macOf is the MAC of an installation with that key.
func macOf(key string) func(string, ...string) []byte {
	return func(purpose string, parts ...string) []byte {
		m := hmac.New(sha256.New, []byte(key))
		m.Write([]byte(purpose + "\x00" + strings.Join(parts, "\x00")))
		return m.Sum(nil)
	}
}

func sealerOf(key, log, kind string, of ...string) sealer {
	return sealer{mac: macOf(key), log: log, kind: kind, of: of}
}

var ours = sealerOf("k", "log-1", "page", "acme", "calls")

func TestPositionsComeBackAsTheyWereGivenOut(t *testing.T) {
	for _, at := range []audit.Positions{
		{},
		{{Topic: "parley.calls", Number: 0}: 0},
		{{Topic: "parley.calls", Number: 5}: 1 << 62, {Topic: "parley.calls", Number: 0}: 127, {Topic: "parley.texts", Number: 1}: 128},
		{{Topic: "parley.calls", Number: 3}: 1, {Topic: "parley.calls", Number: 1}: 2, {Topic: "parley.calls", Number: 2}: 3,
			{Topic: "parley.calls", Number: 0}: 4, {Topic: "parley.calls", Number: 7}: 5, {Topic: "parley.calls", Number: 300}: 6},
		{{Topic: "elsewhere", Number: 3}: 9},
	} {
		token := ours.seal(at)
		got, err := ours.open(token)
		if _, stranger := at[audit.Partition{Topic: "elsewhere", Number: 3}]; stranger {
			require.NoError(t, err)
			require.Equal(t, audit.Positions{{Topic: "parley.elsewhere", Number: 3}: 9}, got, "topics are ours: their beginning is not written")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, at, got)
		require.Equal(t, token, ours.seal(at), "the same positions are the same token")
	}
}

func TestOnlyWhatWasGivenOutForThisIsTakenBack(t *testing.T) {
	at := audit.Positions{{Topic: "parley.calls", Number: 1}: 42}
	token := ours.seal(at)
	for name, s := range map[string]sealer{
		"another installation": sealerOf("other", "log-1", "page", "acme", "calls"),
		"another kind":         sealerOf("k", "log-1", "stream", "acme", "calls"),
		"another tenant":       sealerOf("k", "log-1", "page", "other", "calls"),
		"another filter":       sealerOf("k", "log-1", "page", "acme", "texts"),
		"no filter":            sealerOf("k", "log-1", "page", "acme"),
	} {
		_, err := s.open(token)
		require.ErrorIs(t, err, errNotOurs, name)
	}
	_, err := sealerOf("k", "log-2", "page", "acme", "calls").open(token)
	require.ErrorIs(t, err, errOtherLog, "it is ours, and of another log")

	data, err := base64.RawURLEncoding.DecodeString(token)
	require.NoError(t, err)
	for i := range data {
		changed := append([]byte{}, data...)
		changed[i] ^= 1
		_, err := ours.open(base64.RawURLEncoding.EncodeToString(changed))
		require.ErrorIs(t, err, errNotOurs, "byte %d changed", i)
		_, err = ours.open(base64.RawURLEncoding.EncodeToString(data[:i]))
		require.ErrorIs(t, err, errNotOurs, "cut off at %d", i)
	}
	for _, bad := range []string{"", "!", token + "=", token + "A", strings.Repeat("A", maxPosition+1), strings.Repeat("A", maxPosition)} {
		_, err := ours.open(bad)
		require.ErrorIs(t, err, errNotOurs, "%.40q", bad)
	}
}

// A token is as long as the partitions that its tenant has events in. One that is longer than
// any that is given out is not even decoded.
func TestHowLongATokenMayBe(t *testing.T) {
	named := func(n int) audit.Positions {
		return audit.Positions{{Topic: "parley." + strings.Repeat("x", n), Number: 0}: 0}
	}
	const most = 12_262 // of such a name in 16 KiB
	token := ours.seal(named(most))
	require.Len(t, token, 16<<10)
	at, err := ours.open(token)
	require.NoError(t, err)
	require.Equal(t, named(most), at)
	_, err = ours.open(ours.seal(named(most + 1)))
	require.ErrorIs(t, err, errNotOurs)
}

// What our own MAC stands over was made by us, perhaps by a version that wrote other
// bytes: it is refused, and never read past its end.
func TestASealedTextThatIsNoPositionsIsRefused(t *testing.T) {
	for name, rest := range map[string][]byte{
		"a name longer than the rest":  {200, 1, 'x'},
		"a number without an end":      {0x80},
		"a number too large":           binary.AppendUvarint([]byte{1, 'x', 1, 0}, 1<<62+1),
		"fewer partitions than told":   {1, 'x', 2, 0, 7},
		"far fewer of them":            binary.AppendUvarint([]byte{1, 'x'}, 1<<62),
		"a name and nothing more":      {3, 'x'},
		"half of a name, and no more":  {5, 0},
		"a partition without a number": {1, 'x', 1, 0},
	} {
		body := append(append([]byte{positionFormat}, ours.logMark()...), rest...)
		_, err := ours.open(base64.RawURLEncoding.EncodeToString(append(body, ours.sum(body)...)))
		require.ErrorIs(t, err, errNotOurs, name)
	}
	body := append([]byte{positionFormat + 1}, ours.logMark()...)
	_, err := ours.open(base64.RawURLEncoding.EncodeToString(append(body, ours.sum(body)...)))
	require.ErrorIs(t, err, errNotOurs, "a format that this version does not know")
}

func TestWhyAPositionIsRefusedSaysWhatToDo(t *testing.T) {
	for _, c := range []struct {
		token string
		code  fault.Code
		text  string
	}{
		{"x", fault.Validation, "cursor cannot be used: it is not one that this list or stream gave out; begin again without it"},
		{sealerOf("k", "log-2", "page", "acme", "calls").seal(nil), fault.Gone,
			"cursor: it is of another log: the log was replaced since; begin again without it"},
	} {
		_, err := ours.openOf("cursor", c.token)
		require.True(t, fault.Is(err, c.code))
		require.EqualError(t, err, string(c.code)+": "+c.text)
	}
	at, err := ours.openOf("cursor", ours.seal(audit.Positions{{Topic: "parley.calls", Number: 1}: 42}))
	require.NoError(t, err)
	require.Equal(t, audit.Positions{{Topic: "parley.calls", Number: 1}: 42}, at)
}
