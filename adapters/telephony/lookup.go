package telephony

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

// Serves says that all calls of the node go through this carrier from now on. now is
// the clock that all nodes share.
func (s *Simulated) Serves(node string, now func() time.Time) *Simulated {
	s.calls.Serves(node, now)
	return s
}

// Lookup tells of a leg of this process.
func (s *Simulated) Lookup(ctx context.Context, q calls.LegQuery) (calls.LegReport, error) {
	return s.calls.Lookup(ctx, q)
}

// Cut hangs up a leg of this process.
func (s *Simulated) Cut(ctx context.Context, sid string) error { return s.calls.Cut(ctx, sid) }
