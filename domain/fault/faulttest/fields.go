// Package faulttest reads refusals, for the tests of those who refuse. Only tests import it.
package faulttest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// Fields are the names of the fields that a refusal is about, in its order. The test
// fails when the error is no refusal of fields.
func Fields(t testing.TB, err error) (names []string) {
	t.Helper()
	var refusal *fault.Error
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, fault.Validation, refusal.Code, refusal.Message)
	for _, d := range refusal.Details {
		names = append(names, d.Field)
	}
	return names
}
