package sms_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/sms"
	"github.com/parley-platform/parley/domain/texts"
)

func TestLocalAnswersByTheNumber(t *testing.T) {
	for to, want := range map[string]struct {
		first, second, later texts.Status
		code                 string
	}{
		"+15550000001":  {first: texts.Taken, second: texts.Taken},
		"+15550000005":  {first: texts.Refused, second: texts.Refused, code: "NOT_MOBILE"},
		"+15550000006":  {first: texts.Refused, second: texts.Refused, code: "OPTED_OUT"},
		"+15550000007":  {first: texts.NotTaken, second: texts.Taken, code: "UNAVAILABLE"},
		"+15550000008":  {},
		"+15550000009":  {later: texts.Taken},
		"+15550000010":  {first: texts.NotTaken, second: texts.NotTaken, code: "UNAVAILABLE"},
		"+15559990005":  {first: texts.Taken, second: texts.Taken},
		"+155500000055": {first: texts.Taken, second: texts.Taken},
	} {
		t.Run(to, func(t *testing.T) {
			m := texts.Outgoing{Reference: "m-1", Attempt: 1, From: "+15550100", To: to, Text: "Hello"}
			report := sms.Local{}.Send(t.Context(), m)
			require.Equal(t, want.first, report.Status)
			require.Equal(t, want.code, report.Code)
			if report.Status == texts.Taken {
				require.Equal(t, texts.Report{Status: texts.Taken, ProviderMessageID: "local-m-1", Segments: 1}, report)
			} else {
				require.NotEmpty(t, report.Reason)
			}
			m.Attempt = 2
			require.Equal(t, want.second, sms.Local{}.Send(t.Context(), m).Status)
			later, err := sms.Local{}.Lookup(t.Context(), texts.Query{Outgoing: m})
			require.NoError(t, err)
			require.Equal(t, want.later, later.Status)
		})
	}
	require.Equal(t, "local", sms.Local{}.Name())
}

func TestLocalTakesNothingAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, texts.NotTaken, sms.Local{}.Send(ctx, texts.Outgoing{To: "+15550000001", Text: "x"}).Status)
}
