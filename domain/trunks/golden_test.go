package trunks_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/numbers"
	"github.com/parley-platform/parley/domain/trunks"
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, trunks.Trunks.Category, "testdata/events",
		before, local, trunks.TrunkRemoved{TenantID: "acct", Name: "carrier"}, peer,
		with(before, trunks.Settings{OutboundProxy: "sbc.example.com", FromDomain: "example.com", CallerIDHeader: trunks.CallerBoth,
			NumberFormat: numbers.National, Country: "49", Codecs: []string{"PCMA"}, SRTP: trunks.SRTPRequire, DTMF: trunks.DTMFInfo,
			MaxCalls: 30, CallsPerSecond: 5, Sources: []string{"192.0.2.0/24"}, CA: "-----BEGIN CERTIFICATE-----", RTPNAT: true,
			Refuse: []string{"+49900"}, Fallbacks: []string{"spare"}}),
		with(before, trunks.Settings{CallerIDHeader: trunks.CallerFrom, NumberFormat: numbers.PlusE164, Codecs: []string{"PCMU"},
			SRTP: trunks.SRTPOff, DTMF: trunks.DTMFEvents, Transfers: trunks.TransfersRefer}),
		unreachable, reachable, registered, notRegistered)
}
