package registrations_test

import (
	"testing"
	"time"

	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/registrations"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	at := []registrations.Position{{Topic: "parley.calls", Partition: 3, Offset: 17}}
	eventtest.Golden(t, registrations.Registrations.Category, "testdata/events",
		registrations.Registered{Name: "dialer", Group: "parley-dialer", Side: "at most once", Positions: at, Node: "node-1", At: noon},
		registrations.Extended{Name: "dialer", Positions: at, Node: "node-1", At: noon},
		registrations.Placed{Name: "dialer", Said: "end", Positions: at, Node: "node-1", At: noon},
		registrations.Settled{Name: "dialer", Positions: at, At: noon})
}

func TestTheReplaysOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, registrations.Replays.Category, "testdata/replays",
		registrations.ReplayAsked{Number: 1, Reactor: "notifier", By: "ada", At: noon, Event: aside},
		registrations.ReplaySucceeded{Number: 1, At: noon},
		registrations.ReplayFailed{Number: 1, Error: "NOT_FOUND: it is gone", At: noon})
}
