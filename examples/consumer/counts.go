package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/parley-platform/parley/consumer"
	"github.com/parley-platform/parley/domain/calls"
)

// counts is the number of ended calls by hour (RFC 3339, UTC) and outcome.
type counts map[string]map[string]int

// count takes in an event; those that end no call change nothing.
func (c counts) count(e *consumer.Event) error {
	payload, err := calls.Calls.Decode(e.Type, e.Data) // lifts old versions, too
	if err != nil {
		return fmt.Errorf("%s at %s/%d@%d: %w", e.Type, e.Topic, e.Partition, e.Offset, err)
	}
	switch p := payload.(type) {
	case calls.Completed:
		c.note(p.At, string(p.ReasonCode))
	case calls.Failed:
		c.note(p.At, string(p.ReasonCode))
	}
	return nil
}

func (c counts) note(at time.Time, outcome string) {
	hour := at.UTC().Truncate(time.Hour).Format(time.RFC3339)
	if c[hour] == nil {
		c[hour] = map[string]int{}
	}
	c[hour][outcome]++
}

// add takes in saved counts; nothing saved adds nothing.
func (c counts) add(saved json.RawMessage) error {
	if saved == nil {
		return nil
	}
	var other counts
	if err := json.Unmarshal(saved, &other); err != nil {
		return fmt.Errorf("reading the saved counts: %w", err)
	}
	for hour, outcomes := range other {
		if c[hour] == nil {
			c[hour] = map[string]int{}
		}
		for outcome, n := range outcomes {
			c[hour][outcome] += n
		}
	}
	return nil
}

func (c counts) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "HOUR\tOUTCOME\tCALLS")
	for _, hour := range slices.Sorted(maps.Keys(c)) {
		for _, outcome := range slices.Sorted(maps.Keys(c[hour])) {
			fmt.Fprintf(w, "%s\t%s\t%d\n", hour, outcome, c[hour][outcome])
		}
	}
	return w.Flush()
}
