package fault_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

func TestCodesSurviveWrapping(t *testing.T) {
	err := fmt.Errorf("creating the key: %w", fault.New(fault.Conflict, "name %q is taken", "ci"))
	require.True(t, fault.Is(err, fault.Conflict))
	require.False(t, fault.Is(err, fault.Gone))
	require.Equal(t, fault.Internal, fault.CodeOf(errors.New("boom")))
	require.Empty(t, fault.CodeOf(nil))
	require.False(t, fault.Is(nil, ""), "what is no refusal has no code, not an empty one")
}

func TestFieldsNamesEveryField(t *testing.T) {
	var f fault.Fields
	require.NoError(t, f.Err())
	f.Add("target", "is required")
	f.Add("timeoutInMs", "must be at least %d", 1000)
	var e *fault.Error
	require.ErrorAs(t, f.Err(), &e)
	require.Equal(t, fault.Validation, e.Code)
	require.Equal(t, "target is required (and 1 more)", e.Message)
	require.Equal(t, []fault.Detail{{Field: "target", Problem: "is required"}, {Field: "timeoutInMs", Problem: "must be at least 1000"}},
		e.Details)
}

func TestTheCauseIsKeptForTheLog(t *testing.T) {
	cause := errors.New("connection reset")
	e := fault.New(fault.OutcomeUnknown, "the log did not answer").After(time.Second).Because(cause)
	require.ErrorIs(t, e, cause)
	require.Equal(t, time.Second, e.Retry)
	require.NotContains(t, e.Message, "reset")
	require.EqualError(t, e, "OUTCOME_UNKNOWN: the log did not answer: connection reset")
	require.EqualError(t, fault.New(fault.Gone, "it was here"), "GONE: it was here")
}

// Whoever looked at which field first: the answer to the same input is the same.
func TestFieldsAreToldInTheirOrder(t *testing.T) {
	f := fault.Fields{{Field: "b", Problem: "first"}, {Field: "c"}, {Field: "a"}, {Field: "b", Problem: "second"}}
	require.Equal(t, fault.Fields{{Field: "a"}, {Field: "b", Problem: "first"}, {Field: "b", Problem: "second"}, {Field: "c"}}, f.InOrder())
	require.Empty(t, fault.Fields(nil).InOrder())
}

func TestOneFieldIsTheWholeMessage(t *testing.T) {
	err := fault.Fields{{Field: "target", Problem: "is required"}}.Err()
	require.Equal(t, fault.Field("target", "is required"), err)
	require.EqualError(t, err, "VALIDATION_ERROR: target is required")
}
