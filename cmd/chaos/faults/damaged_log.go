package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// logOnDisk is what brokers offer whose log is one folder.
type logOnDisk interface {
	Folder() string
	// Stop ends the broker in order.
	Stop(within time.Duration) error
	// Try starts a broker on another folder, and gives its exit code and what it said.
	Try(ctx context.Context, folder string) (code int, said string, err error)
}

// damagedLog stops the broker, in order or by kill -9, and damages copies of its log, one
// in each way. A broker and a node must refuse each of them, name the place, and leave the
// folder as it is. What salvage copies out of one serves, and it says what is missing. Then the
// broker goes on with the log that was not touched.
func (x *Scene) damagedLog(ctx context.Context, f Fault) (err error) {
	b, ok := x.Cluster.Brokers.(logOnDisk)
	if !ok {
		x.Log("the log of these brokers is not one folder")
		return nil
	}
	// Callers wait meanwhile: this is about the log, and it takes longer than their patience.
	x.Silence()
	defer x.Sound()
	x.brokers.Lock()
	defer x.brokers.Unlock()
	r := rand.New(rand.NewPCG(f.Seed, 8))
	how, stop := "in order", func() error { return b.Stop(20 * time.Second) }
	if r.IntN(2) == 0 {
		how, stop = "by kill -9", func() error { return x.Cluster.Brokers.Kill(0) }
	}
	if err := stop(); err != nil {
		return err
	}
	x.Log("the broker was stopped %s", how)
	defer func() { // whatever was found: the round goes on, and is judged
		err = errors.Join(err, x.Cluster.Brokers.Restart(context.WithoutCancel(ctx), 0), x.Cluster.AwaitReady(ctx, time.Minute))
	}()
	beside := b.Folder() + "-damaged"
	if err := os.MkdirAll(beside, 0o755); err != nil {
		return err
	}
	for i, d := range damages {
		if err := x.refuses(ctx, b, d, filepath.Join(beside, fmt.Sprintf("%d", i)), r); err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return x.salvaged(ctx, b, filepath.Join(beside, "salvage"), r)
}

// copied is the folder of a node whose log is a copy of the broker's, damaged.
func copied(b logOnDisk, d damage, dir, prefix string, r *rand.Rand) (log string, where []string, err error) {
	log = filepath.Join(dir, "kafka")
	if err := os.CopyFS(log, os.DirFS(b.Folder())); err != nil {
		return log, nil, fmt.Errorf("copying the log: %w", err)
	}
	found, err := partitionsIn(log, prefix)
	if err != nil {
		return log, nil, err
	}
	where, err = d.do(found, r)
	return log, where, err
}

// place is how a refusal names where the damage is.
var place = regexp.MustCompile(`(\S+): byte \d+`)

// refuses damages a copy of the log and starts a broker and a node on it.
func (x *Scene) refuses(ctx context.Context, b logOnDisk, d damage, dir string, r *rand.Rand) error {
	log, where, err := copied(b, d, dir, "parley.", r)
	if err != nil {
		return err
	}
	before, err := digest(log)
	if err != nil {
		return err
	}
	for who, start := range map[string]func() (int, string, error){
		"a broker": func() (int, string, error) { return b.Try(ctx, log) },
		"a node":   func() (int, string, error) { return x.Cluster.TryNode(ctx, dir) },
	} {
		code, said, err := start()
		if err != nil {
			return fmt.Errorf("%s on a damaged log: %w", who, err)
		}
		if err := refusal(code, said, where); err != nil {
			return fmt.Errorf("%s: %w", who, err)
		}
		after, err := digest(log)
		if err != nil {
			return err
		}
		if names := changed(before, after); len(names) > 0 {
			return fmt.Errorf("%s refused the log and changed %v", who, names)
		}
		x.Log("%s: %s refused it at %s", d.name, who, place.FindString(said))
	}
	return nil
}

// refusal is what is wrong with how a damaged log was refused.
func refusal(code int, said string, where []string) error {
	named := place.FindStringSubmatch(said)
	switch {
	case code == 0:
		return fmt.Errorf("it ended without an error: %s", tail(said))
	case named == nil:
		return fmt.Errorf("its refusal names no file and offset: %s", tail(said))
	}
	for _, w := range where {
		if strings.Contains(named[1], w) {
			return nil
		}
	}
	return fmt.Errorf("it named %s; what was damaged is %v: %s", named[0], where, tail(said))
}

func tail(text string) string { return text[max(0, len(text)-600):] }

// salvaged copies what is whole out of a damaged log, and serves it.
func (x *Scene) salvaged(ctx context.Context, b logOnDisk, dir string, r *rand.Rand) error {
	damaged, whole := filepath.Join(dir, "damaged"), filepath.Join(dir, "whole")
	log, where, err := copied(b, damages[0], damaged, "parley.calls-", r)
	if err != nil {
		return err
	}
	before, err := digest(log)
	if err != nil {
		return err
	}
	said, err := x.Cluster.Salvage(ctx, damaged, whole)
	if err != nil {
		return err
	}
	if !strings.Contains(said, missing(where[0])) {
		return fmt.Errorf("salvage does not list what is missing of %s: %s", where[0], tail(said))
	}
	after, err := digest(log)
	if err != nil {
		return err
	}
	if names := changed(before, after); len(names) > 0 {
		return fmt.Errorf("salvage changed %v of the damaged log", names)
	}
	calls, err := x.Cluster.ServeAlone(ctx, whole)
	if err != nil {
		return fmt.Errorf("serving what was salvaged: %w", err)
	}
	x.Log("what was salvaged serves, with %d calls; it was told of: %s", calls, tail(said))
	return nil
}

// missing is how salvage begins to list what a partition lost: TOPIC/N and its offsets.
func missing(folder string) string {
	at := strings.LastIndexByte(folder, '-')
	return folder[:at] + "/" + folder[at+1:] + ": offsets "
}
