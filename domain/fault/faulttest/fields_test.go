package faulttest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

func TestTheFieldsOfARefusal(t *testing.T) {
	var f fault.Fields
	f.Add("metadata.id", "is required")
	f.Add("spec", "is too large")
	require.Equal(t, []string{"metadata.id", "spec"}, faulttest.Fields(t, fmt.Errorf("the manifest: %w", f.Err())))
}
