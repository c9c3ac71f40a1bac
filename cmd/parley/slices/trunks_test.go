package slices_test

import (
	"crypto/tls"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/slices"
)

func TestHowANodeListensForSIP(t *testing.T) {
	for name, c := range map[string]struct {
		given slices.SIP
		wrong string
	}{
		"not at all":               {slices.SIP{}, ""},
		"an address":               {slices.SIP{Listen: "192.0.2.7:5060"}, ""},
		"any, and what to tell":    {slices.SIP{Listen: "0.0.0.0:5060", Public: "192.0.2.7"}, ""},
		"any":                      {slices.SIP{Listen: "0.0.0.0:5060"}, "--sip-public-address"},
		"a name":                   {slices.SIP{Listen: "sip.example.com:5060"}, "--sip-listen"},
		"no port":                  {slices.SIP{Listen: "192.0.2.7"}, "--sip-listen"},
		"told a name":              {slices.SIP{Listen: "192.0.2.7:5060", Public: "sip.example.com"}, "--sip-public-address"},
		"a certificate for nobody": {slices.SIP{Certificate: &tls.Certificate{}}, "--sip-cert"},
		"ports that are none":      {slices.SIP{RTPFirst: 80, RTPLast: 90}, "--rtp-ports"},
		"a port that is none":      {slices.SIP{Listen: "192.0.2.7:70000"}, "--sip-listen"},
		"ports backwards":          {slices.SIP{RTPFirst: 30_000, RTPLast: 20_000}, "--rtp-ports"},
	} {
		err := c.given.Check()
		if c.wrong == "" {
			require.NoError(t, err, name)
			filled := c.given.Filled()
			require.Equal(t, []int{20_000, 24_999}, []int{filled.RTPFirst, filled.RTPLast})
			continue
		}
		require.ErrorContains(t, err, c.wrong, name)
	}
}
