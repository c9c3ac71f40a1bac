package numbers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/numbers"
)

func TestNumbersOnTheWireAndBack(t *testing.T) {
	for _, c := range []struct {
		plan         numbers.Plan
		stored, wire string
	}{
		{numbers.Plan{}, "tel:+4930123456", "+4930123456"},
		{numbers.Plan{Format: numbers.PlusE164, Country: "49"}, "tel:+4930123456", "+4930123456"},
		{numbers.Plan{Format: numbers.E164}, "tel:+4930123456", "4930123456"},
		{numbers.Plan{Format: numbers.National, Country: "49"}, "tel:+4930123456", "030123456"},
		{numbers.Plan{Format: numbers.National, Country: "49"}, "tel:+442071234567", "00442071234567"},
		{numbers.Plan{Format: numbers.National, Country: "1"}, "tel:+12125550100", "2125550100"},
		{numbers.Plan{Format: numbers.National, Country: "1"}, "tel:+4930123456", "0114930123456"},
		{numbers.Plan{Format: numbers.National, Country: "39"}, "tel:+390612345", "0612345"},
		{numbers.Plan{Format: numbers.National, Country: "7"}, "tel:+74951234567", "84951234567"},
		{numbers.Plan{Format: numbers.National, Country: "7"}, "tel:+4930123456", "8104930123456"},
	} {
		require.Equal(t, c.wire, c.plan.Wire(c.stored))
		require.Equal(t, c.stored, c.plan.Stored(c.wire), c.wire)
	}
}

func TestWhatTrunksSendAsNumbers(t *testing.T) {
	german := numbers.Plan{Format: numbers.E164, Country: "49"}
	for wire, want := range map[string]string{
		"+49 (30) 123-456": "tel:+4930123456", "004930123456": "tel:+4930123456", "030123456": "tel:+4930123456",
		"4930123456": "tel:+4930123456", "+4930123456;phone-context=x": "tel:+4930123456", "tel:+4930123456": "tel:+4930123456",
		"anonymous": "", "": "", "+": "", "alice": "", "12": "", "+1234567890123456": "", "+49x": "",
	} {
		require.Equal(t, want, german.Stored(wire), wire)
	}
	require.Equal(t, "tel:+4930123456", numbers.Plan{}.Stored("004930123456"))
}

func TestOurOwnNumber(t *testing.T) {
	german := numbers.Plan{Format: numbers.PlusE164, Country: "49"}
	for ours, want := range map[string]string{"+4930123456": "+4930123456", "030123456": "+4930123456", "reception": "reception", "": ""} {
		require.Equal(t, want, german.Caller(ours), ours)
	}
	require.Equal(t, "15550100", numbers.Plan{}.Caller("15550100"), "without a country it stays as it was given")
	require.Equal(t, "4930123456", numbers.Plan{Format: numbers.E164}.Caller("+4930123456"))
	require.Equal(t, "sip:a@b", german.Wire("sip:a@b"))
}

func TestPrefixesThatAreRefused(t *testing.T) {
	list := []string{"+49900", "112"}
	for stored, want := range map[string]string{"tel:+4990012345": "+49900", "tel:+112": "112", "tel:+4930123456": "", "sip:a@b": ""} {
		require.Equal(t, want, numbers.Refused(stored, list), stored)
	}
}

func TestCountries(t *testing.T) {
	for code, ok := range map[string]bool{"1": true, "49": true, "351": true, "": false, "0": false, "+49": false, "1234": false, "x": false} {
		require.Equal(t, ok, numbers.ValidCountry(code), code)
	}
}

// A number that has its country, and is longer than any prefix, comes back as it went.
func TestEveryNumberComesBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		plan := numbers.Plan{Format: rapid.SampledFrom(numbers.Formats).Draw(r, "format"),
			Country: rapid.SampledFrom([]string{"1", "49", "44", "39", "7", "36"}).Draw(r, "country")}
		to := rapid.SampledFrom([]string{"1", "49", "44", "351", "61"}).Draw(r, "to")
		stored := "tel:+" + to + rapid.StringMatching(`[2-7][0-9]{6,9}`).Draw(r, "number")
		wire := plan.Wire(stored)
		if plan.Format == numbers.E164 && strings.HasPrefix(wire, plan.Country) && plan.Country == "7" {
			return // 8 begins no number of that plan
		}
		require.Equal(r, stored, plan.Stored(wire), "%+v %s", plan, wire)
	})
}
