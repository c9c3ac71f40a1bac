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
