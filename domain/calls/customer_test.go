package calls_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
)

func TestTheCustomerInTheMetadata(t *testing.T) {
	ada := calls.Customer{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com"}
	for name, c := range map[string]struct {
		metadata string
		want     calls.Customer
	}{
		"nothing":               {``, calls.Customer{}},
		"no object":             {`"Ada"`, calls.Customer{}},
		"names of call details": {`{"CustomerFirstName":"Ada","CustomerLastName":"Lovelace","CustomerEmail":"ada@example.com"}`, ada},
		"names of contacts":     {`{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com"}`, ada},
		"of a campaign":         {`{"campaignId":"cd-1","contact":{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com"}}`, ada},
		"the top goes first":    {`{"firstName":"Ada","contact":{"firstName":"Bob"}}`, calls.Customer{FirstName: "Ada"}},
		"no text":               {`{"firstName":5,"contact":7}`, calls.Customer{}},
		"too long for a name":   {`{"firstName":"` + strings.Repeat("x", 513) + `"}`, calls.Customer{}},
	} {
		require.Equal(t, c.want, calls.CustomerOf(json.RawMessage(c.metadata)), name)
	}
}
