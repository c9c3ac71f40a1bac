package kafka

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Given a broker that is busy, then it is asked again for a while; what it refuses is not.
func TestABusyBrokerIsAskedAgain(t *testing.T) {
	refused := errors.New("not authorized")
	for name, c := range map[string]struct {
		answers []error
		want    error
		asked   int
	}{
		"answers":             {[]error{nil}, nil, 1},
		"answers the second":  {[]error{context.DeadlineExceeded, nil}, nil, 2},
		"refuses":             {[]error{refused}, refused, 1},
		"is busy for so long": {[]error{context.DeadlineExceeded, context.DeadlineExceeded}, context.DeadlineExceeded, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				err := answered(t.Context(), 20*time.Second, func() error {
					time.Sleep(10 * time.Second)
					asked++
					return c.answers[asked-1]
				})
				require.Equal(t, []any{c.want, c.asked}, []any{err, asked})
			})
		})
	}
}
