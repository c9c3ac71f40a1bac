package eventstore

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The form is that of an expression, which says it shortest.
func TestTheFormOfATypeIsThatOfItsExpression(t *testing.T) {
	form := regexp.MustCompile(`^parley\.[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*\.v[1-9][0-9]{0,5}$`)
	same := func(t require.TestingT, s string) { require.Equal(t, form.MatchString(s), isEventType(s), "%q", s) }
	for _, s := range []string{"", "parley", "parley.", "parley.a.b.v1", "parley.a.b.v0", "parley.a.b.v01", "parley.a.b.v123456",
		"parley.a.b.v1234567",
		"parley.a.b", "parley.a.v1", "parley..b.v1", "parley.a..v1", "parley.a.b.c.v1", "parley.a.b.v1.", "parley.a.b.v1\n", "parley.a-9.b-9.v1",
		"parley.9a.b.v1",
		"parley.-a.b.v1", "parley.A.b.v1", "Parley.a.b.v1", "parley.a.b.v", "parley.a.b.1", "parley.ä.b.v1", "other.a.b.v1", "parley.a.b.v1x"} {
		same(t, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		same(t, rapid.StringMatching(`(parley)?\.?[a-c0-9A.-]{0,4}\.[a-c0-9.-]{0,4}\.?v?[0-9x]{0,8}`).Draw(t, "type"))
	})
}
