package privacy_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/privacy"
)

// A person who is named by several spellings of one identity is named once, in the order of the request.
func TestARequestNamesEachIdentityOnce(t *testing.T) {
	got, err := privacy.Named([]privacy.Identity{{Kind: privacy.Email, Value: "Ann@example.com"},
		{Kind: privacy.Telephone, Value: "0049 30 12345"}, {Kind: privacy.Email, Value: " ann@EXAMPLE.com"},
		{Kind: privacy.Telephone, Value: "+493012345"}, {Kind: privacy.External, Value: "ann@example.com"}})
	require.NoError(t, err)
	require.Equal(t, []privacy.Identity{{Kind: privacy.Email, Value: "ann@example.com"}, {Kind: privacy.Telephone, Value: "+493012345"},
		{Kind: privacy.External, Value: "ann@example.com"}}, got)
}

// What spells nothing is named by its place in the request, all of it at once.
func TestARequestIsToldWhatSpellsNothing(t *testing.T) {
	_, err := privacy.Named([]privacy.Identity{{Kind: "shoe size", Value: "42"}, {Kind: privacy.Email, Value: "ann@example.com"},
		{Kind: privacy.Email, Value: "ann"}, {Kind: privacy.SIP, Value: ""}})
	require.Equal(t, fault.Fields{
		{Field: "identities[0].kind", Problem: "must be one of [telephone email sip external]"},
		{Field: "identities[2].value", Problem: "must be an e-mail address, such as ann@example.com"},
		{Field: "identities[3].value", Problem: "must be 1 to 256 bytes of UTF-8 without control characters"},
	}.Err(), err)
}

func TestHowManyIdentitiesARequestMayName(t *testing.T) {
	few := fault.Field("identities", "must be 1 to 20")
	for n, want := range map[int]error{0: few, 1: nil, 20: nil, 21: few} {
		all := make([]privacy.Identity, n)
		for i := range all {
			all[i] = privacy.Identity{Kind: privacy.External, Value: fmt.Sprint("C-", i)}
		}
		got, err := privacy.Named(all)
		if want != nil {
			require.EqualError(t, err, want.Error(), n)
			continue
		}
		require.NoError(t, err, n)
		require.Equal(t, all, got, n)
	}
}
