package exit_test

import (
	"bytes"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/exit"
)

// What a script can tell from a code, and what people read beside it.
func TestHowACommandEnds(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		code exit.Code
		says string
	}{
		"it was done":                        {nil, exit.Done, ""},
		"something failed":                   {errors.New("connection refused"), exit.Failed, "parley: connection refused\n"},
		"the caller has to change it":        {exit.Wrongf("--url: %q is no address", "x"), exit.Change, "parley: --url: \"x\" is no address\n"},
		"so it is when more is said of it":   {fmt.Errorf("reading flags: %w", exit.Wrongf("no")), exit.Change, "parley: reading flags: no\n"},
		"it came to nothing, as was shown":   {exit.Nothing, exit.Nothing, ""},
		"Ctrl-C before there was an answer":  {exit.Interrupted, exit.Interrupted, ""},
		"a bare code is bare inside others":  {errors.Join(exit.Nothing, errors.New("closing")), exit.Nothing, ""},
		"a bare code goes before an error's": {errors.Join(exit.Wrongf("no"), exit.Nothing), exit.Nothing, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var said bytes.Buffer
			require.Equal(t, c.code, exit.Say(&said, c.err))
			require.Equal(t, c.code, exit.Of(c.err))
			require.Equal(t, c.says, said.String())
		})
	}
}

// The codes are what scripts compare with: they never change.
func TestTheCodesOfScripts(t *testing.T) {
	require.Equal(t, []exit.Code{0, 1, 2, 3, 130}, []exit.Code{exit.Done, exit.Failed, exit.Change, exit.Nothing, exit.Interrupted})
	require.EqualError(t, exit.Nothing, "exit 3")
}

func TestACommandEndsAtASignal(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		ctx, stop := exit.OnSignal()
		require.NoError(t, ctx.Err())
		require.NoError(t, syscall.Kill(syscall.Getpid(), s))
		<-ctx.Done()
		stop()
	}
}
