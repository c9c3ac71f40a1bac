package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/cmd/chaos/cluster"
)

// What no node can mend by itself: it must say so, do nothing wrong meanwhile, and
// go on once an operator has done what it asks for.

// cutLog puts an older copy of the log in the place of the one that the read models
// were built from, as a restored backup does. Both nodes must refuse it with
// instructions and acknowledge nothing, until the right log is back.
func (x *Scene) cutLog(ctx context.Context) error {
	b, ok := x.Cluster.Brokers.(interface{ Folder() string })
	if !ok {
		x.Log("the log of these brokers cannot be exchanged")
		return nil
	}
	x.brokers.Lock()
	defer x.brokers.Unlock()
	old, right := b.Folder()+"-old", b.Folder()+"-right"
	swap := func(steps func() error) error {
		if err := x.Cluster.Brokers.Kill(0); err != nil {
			return err
		}
		if err := steps(); err != nil {
			return err
		}
		return x.Cluster.Brokers.Restart(context.WithoutCancel(ctx), 0)
	}
	if err := swap(func() error { return os.CopyFS(old, os.DirFS(b.Folder())) }); err != nil {
		return fmt.Errorf("copying the log: %w", err)
	}
	wait(ctx, 4*time.Second) // of events that the copy does not have
	if err := swap(func() error { return errors.Join(os.Rename(b.Folder(), right), os.Rename(old, b.Folder())) }); err != nil {
		return fmt.Errorf("bringing the old log: %w", err)
	}
	refusal := x.awaitReadyz(ctx, 45*time.Second, foreign, "bring the old log back")
	if refusal == nil {
		x.Log("the nodes refuse the old log with instructions")
		wait(ctx, 5*time.Second) // callers go on: what is acknowledged now is lost
	}
	if err := swap(func() error { return errors.Join(os.RemoveAll(b.Folder()), os.Rename(right, b.Folder())) }); err != nil {
		return fmt.Errorf("bringing the right log back: %w", err)
	}
	if err := x.Cluster.AwaitReady(ctx, time.Minute); err != nil || refusal != nil {
		return errors.Join(refusal, err)
	}
	return x.buildAnew(ctx)
}

// foreign is what a partition's projector says of a log that is another one.
const foreign = "is not the log the read models were built from"

// buildAnew does what a node asks for that still refuses a partition when the right log is
// back. A partition that had got nothing new since the copy was made could not tell the
// copy from the log, and what was written to it until the others could is in the read
// models.
func (x *Scene) buildAnew(ctx context.Context) error {
	wait(ctx, time.Second) // until each partition was looked at
	for quiet := time.Now(); time.Since(quiet) < 3*time.Second && ctx.Err() == nil; wait(ctx, 100*ms) {
		said, err := x.Cluster.Nodes[0].Readyz()
		if err != nil || !strings.Contains(said, foreign) {
			continue
		}
		x.Log("a node refuses a partition of the right log; the read models are built anew: %s", said)
		return x.restart(ctx, func() error { return x.Cluster.Database.Drop(ctx, 0) })
	}
	return nil
}

// awaitReadyz waits until the health check of one of the nodes has all of the words;
// each partition's projector is on one of them.
func (x *Scene) awaitReadyz(ctx context.Context, atMost time.Duration, words ...string) error {
	var said []string
	for deadline := time.Now().Add(atMost); time.Now().Before(deadline) && ctx.Err() == nil; wait(ctx, 100*ms) {
		said = nil
		for _, n := range x.Cluster.Nodes {
			text, err := n.Readyz()
			if err != nil {
				text = err.Error()
			}
			all := true
			for _, w := range words {
				all = all && strings.Contains(strings.ToLower(text), w)
			}
			if all {
				return nil
			}
			said = append(said, text)
		}
	}
	return fmt.Errorf("no /readyz said %q within %s; they say %q", words, atMost, said)
}

// loseOffsets deletes the groups of the reactors while no node runs. At the next
// start each reactor must refuse to guess what it has done already, and act on
// nothing; told to begin at the log's beginning, it must do nothing twice.
func (x *Scene) loseOffsets(ctx context.Context) error {
	for i := range x.nodes {
		x.nodes[i].Lock()
		defer x.nodes[i].Unlock()
	}
	var reactors []string
	err := x.restart(ctx, func() (err error) {
		reactors, err = deleteGroups(ctx, x.Cluster.Brokers.Addresses())
		return err
	})
	if err != nil {
		return err
	}
	if err := x.awaitReadyz(ctx, 45*time.Second, `"state":"refused"`, "--reactor-from"); err != nil {
		return err
	}
	before, err := x.Cluster.Database.Count(ctx, `SELECT count(*) FROM events WHERE actor LIKE 'reactor:%'`)
	if err != nil {
		return err
	}
	wait(ctx, 3*time.Second)
	after, err := x.Cluster.Database.Count(ctx, `SELECT count(*) FROM events WHERE actor LIKE 'reactor:%'`)
	if err != nil {
		return err
	}
	if after != before {
		return fmt.Errorf("reactors without offsets wrote %d events", after-before)
	}
	x.Log("the reactors refuse to guess, and have done nothing for 3 s")
	for _, n := range x.Cluster.Nodes {
		for _, reactor := range reactors {
			n.More = append(n.More, "--reactor-from", reactor+"=0")
		}
	}
	return x.restart(ctx, func() error { return nil })
}

// restart stops all nodes in order, does something, and starts them again.
func (x *Scene) restart(ctx context.Context, between func() error) error {
	var stopping errgroup.Group
	for _, n := range x.Cluster.Nodes {
		stopping.Go(func() error { return n.Terminate(50 * time.Second) })
	}
	if err := stopping.Wait(); err != nil {
		return err
	}
	if err := between(); err != nil {
		return err
	}
	for _, n := range x.Cluster.Nodes {
		if err := n.Start(); err != nil {
			return err
		}
	}
	return x.Cluster.AwaitReady(ctx, time.Minute)
}

// deleteGroups deletes all consumer groups of reactors, as soon as the brokers have
// noticed that their members are gone, and gives the reactors' names.
func deleteGroups(ctx context.Context, brokers []string) (reactors []string, err error) {
	client := &kafkago.Client{Addr: kafkago.TCP(brokers...), Timeout: 10 * time.Second}
	groups, err := client.ListGroups(ctx, &kafkago.ListGroupsRequest{})
	if err != nil {
		return nil, fmt.Errorf("listing groups: %w", err)
	}
	var ids []string
	for _, g := range groups.Groups {
		if strings.HasPrefix(g.GroupID, "parley-") {
			ids = append(ids, g.GroupID)
		}
	}
	if len(ids) == 0 {
		return nil, errors.New("there are no groups of reactors")
	}
	for _, id := range ids { // one at a time: each has a coordinator of its own
		err := cluster.Until(ctx, time.Minute, "group "+id+" to be deleted", func() error {
			res, err := client.DeleteGroups(ctx, &kafkago.DeleteGroupsRequest{GroupIDs: []string{id}})
			if err != nil {
				return err
			}
			return res.Errors[id]
		})
		if err != nil {
			return nil, err
		}
		reactors = append(reactors, strings.TrimPrefix(id, "parley-"))
	}
	return reactors, nil
}
