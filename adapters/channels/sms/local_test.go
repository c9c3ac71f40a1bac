package sms_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/channels/channelstest"
	"github.com/parley-platform/parley/adapters/channels/sms"
	"github.com/parley-platform/parley/domain/channels"
)

func TestLocalAnswersByTheNumber(t *testing.T) {
	for to, want := range map[string]struct {
		first, second, later channels.Status
		code                 string
	}{
		"+15550000001":  {first: channels.Taken, second: channels.Taken},
		"+15550000005":  {first: channels.Refused, second: channels.Refused, code: "NOT_MOBILE"},
		"+15550000006":  {first: channels.Refused, second: channels.Refused, code: "OPTED_OUT"},
		"+15550000007":  {first: channels.NotTaken, second: channels.Taken, code: "UNAVAILABLE"},
		"+15550000008":  {},
		"+15550000009":  {later: channels.Taken},
		"+15550000010":  {first: channels.NotTaken, second: channels.NotTaken, code: "UNAVAILABLE"},
		"+15559990005":  {first: channels.Taken, second: channels.Taken},
		"+155500000055": {first: channels.Taken, second: channels.Taken},
	} {
		t.Run(to, func(t *testing.T) {
			m := channels.Outbound{Reference: "m-1", Attempt: 1, From: "+15550100", To: to, Text: "Hello"}
			report := sms.Local{}.Send(t.Context(), channels.Connection{}, m)
			require.Equal(t, want.first, report.Status)
			require.Equal(t, want.code, report.Code)
			if report.Status == channels.Taken {
				require.Equal(t, channels.Outcome{Status: channels.Taken, ProviderMessageID: "local-m-1", Segments: 1}, report)
			} else {
				require.NotEmpty(t, report.Reason)
			}
			m.Attempt = 2
			require.Equal(t, want.second, sms.Local{}.Send(t.Context(), channels.Connection{}, m).Status)
			later, err := sms.Local{}.Lookup(t.Context(), channels.Connection{}, channels.Doubt{Outbound: m})
			require.NoError(t, err)
			require.Equal(t, want.later, later.Status)
		})
	}
	require.Equal(t, "local", sms.Local{}.Name())
}

func TestLocal(t *testing.T) {
	channelstest.Run(t, channelstest.Suite{New: func(string) (channelstest.Adapter, error) { return sms.Local{}, nil },
		Connection: channels.Connection{ID: "server", Kind: "sms"}, Outbound: hello})
}
