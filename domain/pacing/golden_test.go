package pacing_test

import (
	"testing"
	"time"

	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/pacing"
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	at := time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)
	tally := pacing.Tally{CallsCompleted: 2, Failed: 1}
	eventtest.Golden(t, pacing.Pacing.Category, "testdata/events",
		pacing.RunEntered{RunID: "cid-1", CampaignID: "cd-1", ProjectID: "bot", Channel: pacing.Voice, Priority: 5,
			Hours: office("America/New_York"), Recurring: true, Contacts: 4, At: at},
		pacing.ContactsTaken{RunID: "cid-1", Contacts: []int{2, 3}, Next: 4, At: at},
		pacing.ContactFinished{RunID: "cid-1", Contact: 2, Outcome: pacing.CallCompleted, EffectID: "call-1", Reason: "Caller-disconnected",
			Tally: tally, At: at},
		pacing.ContactFinished{RunID: "cid-1", Contact: 2, Outcome: pacing.Failed, Reason: "target is required", At: at},
		pacing.ContactsReturned{RunID: "cid-1", Contacts: []int{3}, At: at},
		pacing.RunHeld{RunID: "cid-1", Version: 3, At: at},
		pacing.RunReleased{RunID: "cid-1", Version: 4, At: at},
		pacing.RunStopped{RunID: "cid-1", Version: 5, At: at},
		pacing.PassFinished{RunID: "cid-1", Pass: 1, NextPass: at.Add(24 * time.Hour), At: at},
		pacing.PassDue{RunID: "cid-1", CampaignID: "cd-1", Pass: 2, At: at},
		pacing.PassBegun{RunID: "cid-1", Pass: 2, Contacts: 8, At: at},
		pacing.RunFinished{RunID: "cid-1", CampaignID: "cd-1", ProjectID: "bot", Passes: 2, Contacts: 8, Untried: 5, Tally: tally,
			Stopped: true, At: at},
		pacing.OpeningAwaited{Until: at.Add(time.Hour), At: at},
		pacing.OpeningReached{At: at},
	)
}
