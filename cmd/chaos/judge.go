package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/chaos/checks"
	"github.com/parley-platform/parley/cmd/chaos/load"
	"github.com/parley-platform/parley/examples"
)

// judgeOutside holds what callers and the customer's server saw, in the order in
// which they saw it; what needs the log follows in judge.
func (r *round) judgeOutside(seen map[string]load.Delivery, wrong []string) error {
	r.seen = seen
	for _, w := range wrong {
		r.result.Add("notification", "%s", w)
	}
	for _, w := range r.world.History.Wrongs() {
		r.result.Add("answer", "%s", w)
	}
	r.complaints()
	return nil
}

// judge checks everything that was promised.
func (r *round) judge(ctx context.Context) error {
	ops, out := r.world.History.Ops(), &r.result.Findings
	r.result.Gap = gap(ops)
	v, err := vault.Open(r.cluster.Keyset())
	if err != nil {
		return err
	}
	fold, err := checks.ReadLog(ctx, r.cluster.Brokers.Addresses(), v)
	if err != nil {
		return fmt.Errorf("reading the log: %w", err)
	}
	for _, records := range fold.Streams {
		r.result.Records += len(records)
	}
	r.result.Skipped = fmt.Sprint(fold.Skipped)
	for _, u := range fold.Undecoded {
		out.Add("decode", "%s", u)
	}
	checks.Acknowledged(fold, ops, v, examples.Account, out)
	checks.Decided(fold, out)
	checks.Linearizable(ops, r.Dir, out)
	checks.Reads(ops, out)
	checks.RunReads(ops, out)
	checks.Acted(fold, r.seen, out)
	checks.Ran(fold, ops, load.CampaignLines, out)
	checks.Texted(fold, r.texts.Record(), out)
	checks.Transferred(fold, ops, r.seen, out)
	checks.Capacity(fold, out)
	checks.Turns(fold, out)
	checks.Written(fold, r.talk.Writers(), r.took, v.MAC, examples.Account, out)
	r.say("checked history and reactors")
	return r.judgeModels(ctx, fold)
}

// took are the texts that a provider took for somebody.
func (r *round) took(w load.Writer) (out []string) {
	for _, m := range r.talk.Sent(w.Kind, w.To) {
		out = append(out, m.Text)
	}
	return out
}

// judgeModels compares what was built from the log: the live read models, a fresh
// rebuild, and what the consumer package hands out.
func (r *round) judgeModels(ctx context.Context, fold *checks.Fold) error {
	out, live := &r.result.Findings, r.cluster.Database.URL()
	if err := until(ctx, 10*time.Second, func() error { return checks.Reached(ctx, fold, live) }); err != nil {
		out.Add("index", "the read models have not reached the end of the log: %v", err)
	}
	if err := checks.Index(ctx, fold, live, out); err != nil {
		return err
	}
	if err := checks.Consumed(ctx, fold, r.cluster.Brokers.Addresses(), filepath.Join(r.Dir, "consumer"), out); err != nil {
		out.Add("consumer", "%v", err)
	}
	r.say("checked index and consumer")
	const fresh = "fresh"
	err := r.cluster.Projector(ctx, fresh, func() error { return checks.Reached(ctx, fold, r.cluster.Database.Named(fresh)) })
	if err != nil {
		out.Add("rebuild", "%v", err)
		return nil
	}
	if err := checks.Rebuilt(ctx, live, r.cluster.Database.Named(fresh), out); err != nil {
		return err
	}
	r.say("compared with a fresh rebuild")
	if err := r.cluster.Rebuild(ctx, "--check"); err != nil {
		out.Add("rebuild", "%v", err)
	}
	r.say("compared by parley rebuild --check")
	return nil
}

// gap is the longest time between two acknowledged changes while callers were at
// work.
func gap(ops []load.Op) (longest time.Duration) {
	var at []time.Duration
	for _, op := range ops {
		if op.Kind.Writes() && op.Outcome == load.OK {
			at = append(at, op.End)
		}
	}
	slices.SortFunc(at, cmp.Compare[time.Duration])
	for i := 1; i < len(at); i++ {
		longest = max(longest, at[i]-at[i-1])
	}
	return longest
}
