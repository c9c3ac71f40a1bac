package reporting_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/reporting"
)

func TestHowACallEndsIfNoPersonIsAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		call   calls.Completed
		hangup string
		of     reporting.FinalStatus
	}{
		"the callee hangs up":     {calls.Completed{By: calls.ByCallee}, "User Hangup", "BotResolved"},
		"a person does":           {calls.Completed{By: calls.ByBot, Cause: calls.CausePersonHungUp}, "Agent Closed", "BotResolved"},
		"the bot does":            {calls.Completed{By: calls.ByBot}, "Bot Hangup", "BotResolved"},
		"a machine hangs up":      {calls.Completed{By: calls.ByCallee, MachineDetected: true}, "User Hangup", "MachineDetected"},
		"the bot, on a machine":   {calls.Completed{By: calls.ByBot, MachineDetected: true}, "Bot Hangup", "MachineDetected"},
		"a failure, to a machine": {calls.Completed{MachineDetected: true}, "Gateway Hangup", "CLOSED"},
		"a failure":               {calls.Completed{}, "Gateway Hangup", "CLOSED"},
	} {
		hangup, of := reporting.EndOfCall(c.call)
		require.Equal(t, c.hangup, hangup, name)
		require.Equal(t, c.of, of, name)
	}
}

// Here the call itself says BotResolved, and the last transfer, or hooks, say more.
func TestWhatASessionCameTo(t *testing.T) {
	for name, c := range map[string]struct {
		ending reporting.Ending
		want   reporting.FinalStatus
	}{
		"nobody was asked for":                 {reporting.Ending{}, "BotResolved"},
		"nor did who hung up wait":             {reporting.Ending{UserHungUp: true}, "BotResolved"},
		"hooks told of a person":               {reporting.Ending{Told: true, UserHungUp: true}, "CLOSED"},
		"a person had it":                      {reporting.Ending{Asked: true, Had: true}, "CLOSED"},
		"a person had it until it ended":       {reporting.Ending{Asked: true, Had: true, Over: true, WithSession: true}, "CLOSED"},
		"asked for, and nothing came of it":    {reporting.Ending{Asked: true}, "Abandoned"},
		"though hooks told of one before":      {reporting.Ending{Asked: true, Told: true}, "Abandoned"},
		"waited for until the session ended":   {reporting.Ending{Asked: true, Over: true, WithSession: true}, "Abandoned"},
		"waited for in vain, and hung up":      {reporting.Ending{Asked: true, Over: true, Queued: true, UserHungUp: true}, "Abandoned"},
		"waited for in vain, and the bot went": {reporting.Ending{Asked: true, Over: true, Queued: true}, "CLOSED"},
		"refused at once":                      {reporting.Ending{Asked: true, Over: true, UserHungUp: true}, "CLOSED"},
	} {
		c.ending.Of = reporting.BotResolved
		require.Equal(t, c.want, c.ending.Status(), name)
	}
}

// What a machine answered, or a failure ended, stays that, whoever was asked for.
func TestAMachineOrAFailureDecides(t *testing.T) {
	for _, of := range []reporting.FinalStatus{reporting.MachineDetected, reporting.Closed} {
		for facts := range 64 {
			is := func(n int) bool { return facts>>n&1 == 1 }
			e := reporting.Ending{Of: of, UserHungUp: is(0), Told: is(1), Asked: is(2), Had: is(3), Over: is(4), WithSession: is(5)}
			require.Equal(t, of, e.Status())
		}
	}
}
