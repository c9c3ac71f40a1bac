package acts

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strconv"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/domain/testruns"
	"github.com/parley-platform/parley/domain/testsuites"
)

// PlayCases plays the cases of a suite side by side, but for those that are done, and tells what
// they came to as they end, several at once where they end faster than they are told. Stage is
// that of all of them; each gets a session id of its own. An error of told ends it.
func PlayCases(ctx context.Context, log *slog.Logger, on testsuites.Stage, cases []testsuites.Case, done func(number int) bool,
	told func([]testruns.CaseOf) error) error {
	work, within := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0) + 1) // one tells
	ended := make(chan testruns.CaseOf, mostTold)
	work.Go(func() error { return tell(within, ended, cases, done, told) })
	for i, c := range cases {
		if done(i + 1) {
			continue
		}
		work.Go(func() error {
			select {
			case ended <- testruns.CaseOf{Number: i + 1, Name: c.Name, Played: playCase(log, on, i+1, c)}:
				return nil
			case <-within.Done():
				return within.Err()
			}
		})
	}
	return work.Wait()
}

// mostTold is how many cases are told at once.
const mostTold = 20

func tell(ctx context.Context, ended <-chan testruns.CaseOf, cases []testsuites.Case, done func(int) bool,
	told func([]testruns.CaseOf) error) error {
	left := 0
	for i := range cases {
		if !done(i + 1) {
			left++
		}
	}
	for left > 0 {
		var some []testruns.CaseOf
		select {
		case one := <-ended:
			some = append(some, one)
		case <-ctx.Done():
			return ctx.Err()
		}
		for len(some) < mostTold && len(ended) > 0 {
			some = append(some, <-ended)
		}
		if err := told(some); err != nil {
			return err
		}
		left -= len(some)
	}
	return nil
}

// playCase plays one. A defect of ours is an error of the case, and does not end the node.
func playCase(log *slog.Logger, on testsuites.Stage, number int, c testsuites.Case) (played testsuites.Played) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("playing a case of a test suite panicked", "case", c.Name, "panic", fmt.Sprint(p))
			played = testsuites.Played{Error: "it could not be played: a defect of the server"}
		}
	}()
	on.Session = uuid.NewSHA1(uuid.NameSpaceOID, []byte(on.Session+"/"+strconv.Itoa(number))).String()
	return c.Play(on)
}
