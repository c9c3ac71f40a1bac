package rest

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// Given a comma list, when its items come one by one, then they are the list; any other
// parameter is as it was sent.
func TestListsMayBeGivenItemByItem(t *testing.T) {
	for query, want := range map[string][]string{
		"pick=a,b": {"a,b"}, "pick=a&pick=b": {"a,b"}, "pick=a%2Cb&pick=c": {"a,b,c"}, "pick=": {""}, "": nil,
	} {
		r := httptest.NewRequest("GET", "/?other=x&other=y&"+query, nil)
		got := withCommas(r, r.URL.Query(), []string{"pick"}).URL.Query()
		require.Equal(t, want, got["pick"], query)
		require.Equal(t, []string{"x", "y"}, got["other"], query)
	}
}
