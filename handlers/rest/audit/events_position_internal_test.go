package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
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
		{{Topic: "parley.calls", Number: 5}: 1 << 61, {Topic: "parley.calls", Number: 0}: 127, {Topic: "parley.texts", Number: 1}: 128},
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

// What our own MAC stands over was made by us, perhaps by a version that wrote other
// bytes: it is refused, and never read past its end.
func TestASealedTextThatIsNoPositionsIsRefused(t *testing.T) {
	for name, rest := range map[string][]byte{
		"a name longer than the rest":  {200, 1, 'x'},
		"a number without an end":      {0x80},
		"a number too large":           {1, 'x', 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
		"fewer partitions than told":   {1, 'x', 2, 0, 7},
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
		err  error
		code fault.Code
		text string
	}{
		{errNotOurs, fault.Validation, "cursor cannot be used: it is not one that this list or stream gave out; begin again without it"},
		{errOtherLog, fault.Gone, "cursor: it is of another log: the log was replaced since; begin again without it"},
	} {
		err := refusePosition("cursor", c.err)
		require.True(t, fault.Is(err, c.code))
		require.EqualError(t, err, string(c.code)+": "+c.text)
	}
}
