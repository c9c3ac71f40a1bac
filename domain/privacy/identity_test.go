package privacy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/privacy"
)

// Other spellings of an identity are the same one.
func TestSpellings(t *testing.T) {
	for want, raws := range map[privacy.Identity][]string{
		{Kind: privacy.Telephone, Value: "+493012345"}: {"+493012345", "+49 (30) 123-45", "0049 30 12345", "tel:+49-30-12345", "493012345",
			"sip:+493012345@trunk.example:5060;user=phone", "sip:+493012345;npdi@trunk.example", " +49\u00a030\u201112345 ", "TEL:+493012345;ext=1",
			"+49 (0)30 12345", "0049(0)30-12345", "tel:+49(0)3012345"},
		{Kind: privacy.Telephone, Value: "+0301"}:               {"(0)301"}, // without its country code it stays what it was
		{Kind: privacy.Telephone, Value: "+112"}:                {"112"},
		{Kind: privacy.Telephone, Value: "+123456789012345"}:    {"+123456789012345"},
		{Kind: privacy.Email, Value: "ann@example.com"}:         {"ann@example.com", "Ann@Example.COM ", "mailto:ann@example.com"},
		{Kind: privacy.Email, Value: "j\u00fcrgen@example.com"}: {"ju\u0308rgen@example.com", "J\u00dcRGEN@example.com"},
		{Kind: privacy.SIP, Value: "Ann@example.com"}: {"sip:Ann@Example.com", "sips:Ann@example.com:5061;transport=tls",
			"sip:Ann@EXAMPLE.com:5060", "SIP:Ann;isub=7@example.com;lr"},
		{Kind: privacy.SIP, Value: "ann@[::1]"}:                                {"sip:ann@[::1]:5060"},
		{Kind: privacy.External, Value: "C-17"}:                                {"C-17", " C-17\n"},
		{Kind: privacy.External, Value: strings.Repeat("a", privacy.MaxValue)}: {strings.Repeat("a", privacy.MaxValue) + " "},
	} {
		for _, raw := range raws {
			got, problem := privacy.Normal(want.Kind, raw)
			require.Empty(t, problem, raw)
			require.Equal(t, want, got, raw)
		}
	}
}

func TestWhatIsNoIdentity(t *testing.T) {
	for kind, raws := range map[privacy.Kind][]string{
		privacy.Telephone: {"", "ann", "+12", "+1234567890123456", "sip:ann@example.com", "sip:1234@pbx.example", "+49 30 x", "[erased]"},
		privacy.Email:     {"", "ann", "@example.com", "ann@", "a@b@c", "Ann <ann@example.com>", "[erased]"},
		privacy.SIP: {"", "ann@example.com", "sip:ann", "sip:@example.com", "sip:ann@:5060", "http:ann@example.com",
			"sip:ann smith@example.com", "[erased]"},
		privacy.External: {"", " ", "a\x00b", "\x00b", "\xff", strings.Repeat("a", privacy.MaxValue+1)},
		"shoe size":      {"42"},
	} {
		for _, raw := range raws {
			_, problem := privacy.Normal(kind, raw)
			require.NotEmpty(t, problem, "%s %q", kind, raw)
		}
	}
}

func TestWhatATextIsKnownBy(t *testing.T) {
	require.Equal(t, []privacy.Identity{{Kind: privacy.Telephone, Value: "+15550001"}, {Kind: privacy.External, Value: "tel:+15550001"}},
		privacy.Identities("tel:+15550001"))
	require.Equal(t, []privacy.Identity{{Kind: privacy.Email, Value: "ann@example.com"}, {Kind: privacy.External, Value: "Ann@example.com"}},
		privacy.Identities("Ann@example.com"))
	require.Empty(t, privacy.Identities(""))
}
