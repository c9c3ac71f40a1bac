package reactors_test

import (
	"testing"
	"time"

	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/reactors"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	at := []reactors.Position{{Topic: "parley.calls", Partition: 3, Offset: 17}}
	eventtest.Golden(t, reactors.Registrations.Category, "testdata/events",
		reactors.Registered{Name: "dialer", Group: "parley-dialer", Side: "at most once", Positions: at, Node: "node-1", At: noon},
		reactors.Extended{Name: "dialer", Positions: at, Node: "node-1", At: noon},
		reactors.Placed{Name: "dialer", Said: "end", Positions: at, Node: "node-1", At: noon},
		reactors.Settled{Name: "dialer", Positions: at, At: noon})
}

func TestTheReplaysOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, reactors.Replays.Category, "testdata/replays",
		reactors.ReplayAsked{Number: 1, Reactor: "notifier", By: "ada", At: noon, Event: aside},
		reactors.ReplaySucceeded{Number: 1, At: noon},
		reactors.ReplayFailed{Number: 1, Error: "NOT_FOUND: it is gone", At: noon})
}
