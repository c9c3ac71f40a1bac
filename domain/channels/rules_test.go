package channels

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Given a request, when a header is there once, then it has a value; where there are
// several nobody can say which one was signed.
func TestAHeaderThatIsThereTwiceHasNoValue(t *testing.T) {
	r := Request{Header: map[string][]string{"X-Signature": {"abc"}, "X-Twice": {"a", "b"}, "X-Empty": {}}}
	for name, want := range map[string]string{"X-Signature": "abc", "x-signature": "abc", "X-Twice": "", "X-Empty": "", "X-None": ""} {
		require.Equal(t, want, r.Get(name), name)
	}
}

// Given the kinds, then there are the known ones, and who changes the list changes only his own.
func TestTheKindsAreNobodysToChange(t *testing.T) {
	require.Subset(t, Kinds(), []string{Voice, Client, "sms", "whatsapp", "email", "api"})
	Kinds()[0] = "changed"
	require.Equal(t, Client, Kinds()[0])
}

// Given a secret as a text, then it is the word for one.
func TestASecretIsAWordInJSON(t *testing.T) {
	text, err := Secret("hush").MarshalText()
	require.NoError(t, err)
	require.Equal(t, hidden, string(text))
}

// Given a location, then its place comes first, and what it is called has lines of its own.
func TestAPlaceInWords(t *testing.T) {
	require.Equal(t, "52.5, -13.25", Place(52.5, -13.25))
	require.Equal(t, "0, 0\nThe shop\n1 High Street", Place(0, 0, "The shop", " ", "1 High Street"))
}

// Given a word, then it is a token if it is two numbers with a dot between.
func TestWhatATokenLooksLike(t *testing.T) {
	for word, want := range map[string]bool{"1.0": true, "123.12": true, "": false, "1": false, "1.": false, ".1": false, "1.0.0": false,
		"GET_STARTED": false, "a.b": false, "1.0\n": false, "1234567890.0": false} {
		require.Equal(t, want, IsToken(word), word)
	}
}
