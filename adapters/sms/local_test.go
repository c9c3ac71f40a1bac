package sms_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/sms"
	"github.com/parley-platform/parley/domain/messages"
)

func TestLocalAnswersByTheNumber(t *testing.T) {
	for to, want := range map[string]struct {
		first, second, later messages.Status
		code                 string
	}{
		"+15550000001":  {first: messages.Taken, second: messages.Taken},
		"+15550000005":  {first: messages.Refused, second: messages.Refused, code: "NOT_MOBILE"},
		"+15550000006":  {first: messages.Refused, second: messages.Refused, code: "OPTED_OUT"},
		"+15550000007":  {first: messages.NotTaken, second: messages.Taken, code: "UNAVAILABLE"},
		"+15550000008":  {},
		"+15550000009":  {later: messages.Taken},
		"+15550000010":  {first: messages.NotTaken, second: messages.NotTaken, code: "UNAVAILABLE"},
		"+15559990005":  {first: messages.Taken, second: messages.Taken},
		"+155500000055": {first: messages.Taken, second: messages.Taken},
	} {
		t.Run(to, func(t *testing.T) {
			m := messages.Outgoing{Reference: "m-1", Attempt: 1, From: "+15550100", To: to, Text: "Hello"}
			report := sms.Local{}.Send(t.Context(), m)
			require.Equal(t, want.first, report.Status)
			require.Equal(t, want.code, report.Code)
			if report.Status == messages.Taken {
				require.Equal(t, messages.Report{Status: messages.Taken, ProviderMessageID: "local-m-1", Segments: 1}, report)
			} else {
				require.NotEmpty(t, report.Reason)
			}
			m.Attempt = 2
			require.Equal(t, want.second, sms.Local{}.Send(t.Context(), m).Status)
			later, err := sms.Local{}.Lookup(t.Context(), messages.Query{Outgoing: m})
			require.NoError(t, err)
			require.Equal(t, want.later, later.Status)
		})
	}
	require.Equal(t, "local", sms.Local{}.Name())
}

func TestLocalTakesNothingAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, messages.NotTaken, sms.Local{}.Send(ctx, messages.Outgoing{To: "+15550000001", Text: "x"}).Status)
}
