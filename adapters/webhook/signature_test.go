package webhook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/webhook"
)

// The published vectors. Anyone can compute them:
//
//	printf '%s' '1767225600.{"status":"Answered"}' | openssl dgst -sha256 -hmac whsec_example
var vectors = []struct{ secret, body, header string }{
	{"whsec_example", `{"status":"Answered"}`,
		"t=1767225600,v1=5f33ac8eb4b4d0c1b25ed2215dd69d37210bb5864c58de6f2f3c2fa6fac144b0"},
	{"whsec_example", ``,
		"t=1767225600,v1=83fc621a9df4d361d79695f49828c9670ca4e0d7c2665dc83e121d4fa71cedff"},
	{"ключ", `{"reason":"Größe ✓"}`,
		"t=1767225600,v1=9effd024035cffa6f9b30e70097bd1123cad8392cb5ecffa607fe685dbd2f217"},
}

var (
	signedAt  = time.Unix(1767225600, 0)
	tolerance = 5 * time.Minute
)

func TestPublishedVectors(t *testing.T) {
	for _, v := range vectors {
		require.Equal(t, v.header, sign([]byte(v.secret), signedAt, []byte(v.body)))
		require.NoError(t, webhook.Verify(v.header, []byte(v.body), signedAt.Add(time.Minute), tolerance, []byte(v.secret)))
	}
}

func TestWhileASecretIsReplacedEitherVerifies(t *testing.T) {
	body, older, newer := []byte(`{}`), []byte("old"), []byte("new")
	header := webhook.SignAll([][]byte{newer, older}, signedAt, body)
	require.Equal(t, 2, strings.Count(header, "v1="))
	for _, secrets := range [][][]byte{{older}, {newer}, {[]byte("other"), newer}} {
		require.NoError(t, webhook.Verify(header, body, signedAt, tolerance, secrets...))
	}
	require.ErrorIs(t, webhook.Verify(header, body, signedAt, tolerance, []byte("other")), webhook.ErrMismatch)
}

func TestVerifyRefuses(t *testing.T) {
	secret, body := []byte("s"), []byte(`{"a":1}`)
	good := sign(secret, signedAt, body)
	_, digest, _ := strings.Cut(good, ",")
	for name, c := range map[string]struct {
		header string
		body   string
		now    time.Time
		want   error
	}{
		"another body":         {good, `{"a":2}`, signedAt, webhook.ErrMismatch},
		"another time":         {strings.Replace(good, "t=1767225600", "t=1767225601", 1), string(body), signedAt, webhook.ErrMismatch},
		"too old":              {good, string(body), signedAt.Add(tolerance + time.Second), webhook.ErrStale},
		"from the future":      {good, string(body), signedAt.Add(-tolerance - time.Second), webhook.ErrStale},
		"an empty header":      {"", string(body), signedAt, webhook.ErrMalformed},
		"no digest":            {"t=1767225600", string(body), signedAt, webhook.ErrMalformed},
		"no time":              {digest, string(body), signedAt, webhook.ErrMalformed},
		"two times":            {good + ",t=1", string(body), signedAt, webhook.ErrMalformed},
		"a digest cut short":   {good[:len(good)-2], string(body), signedAt, webhook.ErrMalformed},
		"a digest not in hex":  {good[:len(good)-1] + "g", string(body), signedAt, webhook.ErrMalformed},
		"a header without end": {good + strings.Repeat(",v0=x", 1000), string(body), signedAt, webhook.ErrMalformed},
	} {
		require.ErrorIs(t, webhook.Verify(c.header, []byte(c.body), c.now, tolerance, secret), c.want, name)
	}
}

func TestVerifyNeedsASecret(t *testing.T) {
	forged := sign(nil, signedAt, []byte(`{}`))
	require.ErrorIs(t, webhook.Verify(forged, []byte(`{}`), signedAt, tolerance), webhook.ErrNoSecret)
	require.ErrorIs(t, webhook.Verify(forged, []byte(`{}`), signedAt, tolerance, []byte("")), webhook.ErrNoSecret)
}

func TestVerifyPassesOverUnknownSchemes(t *testing.T) {
	header := sign([]byte("s"), signedAt, []byte(`{}`)) + ", v2=whatever"
	require.NoError(t, webhook.Verify(header, []byte(`{}`), signedAt, tolerance, []byte("s")))
}

// sign is the header with one secret.
func sign(secret []byte, t time.Time, body []byte) string {
	return webhook.SignAll([][]byte{secret}, t, body)
}
