package acts

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/domain/sessions"
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

// OwnTests plays the TESTS of agents' sources.
type OwnTests struct {
	Programs *Programs
	Tenant   string
	Project  string
	At       time.Time
	Log      *slog.Logger
}

// Failing are the TESTS of the agents that do not pass, by agent and name, with the first thing
// that is not as expected. One that cannot be played does not pass.
func (x OwnTests) Failing(ctx context.Context, manifest map[string]sessions.Pinned) (failing []string, err error) {
	programs, err := x.Programs.Of(ctx, x.Tenant, x.Project, manifest)
	if err != nil {
		return nil, err
	}
	for _, agent := range slices.Sorted(maps.Keys(programs)) {
		cases := testsuites.Own(programs[agent])
		why := make([]string, len(cases))
		stage := testsuites.Stage{Programs: programs, Manifest: manifest, Agent: agent, Session: "tests of " + agent, At: x.At}
		err := PlayCases(ctx, x.Log, stage, cases, func(int) bool { return false }, func(some []testruns.CaseOf) error {
			for _, c := range some {
				why[c.Number-1] = c.Wrong()
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for i, c := range cases {
			if why[i] != "" {
				failing = append(failing, fmt.Sprintf("%s, %q: %s", agent, c.Name, why[i]))
			}
		}
	}
	return failing, nil
}
