package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
)

// line is one round on one line.
func (r *Result) line() string {
	verdict := "ok"
	if !r.OK {
		verdict = "FAILED"
	}
	return fmt.Sprintf("round %d  seed %d  %s  %s  acknowledged %d  found %d  lost %d  doubled %d  longest stall %s  %s  (%s)",
		r.Turn+1, r.Seed, r.Parts, strings.Join(r.Faults, "+"), r.Acknowledged, r.Found, r.Lost, r.Doubled, short(r.Stall), verdict,
		r.Took.Round(time.Second))
}

func short(d time.Duration) string { return d.Round(time.Millisecond).String() }

// table is all rounds and their sum.
func table(out io.Writer, results []*Result) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "round\tseed\tparts\tfaults\trecords\tacknowledged\tfound\tlost\tdoubled\tlongest gap\tlongest stall\t")
	sum := Result{}
	bad := 0
	for _, r := range results {
		verdict := "ok"
		if !r.OK {
			verdict, bad = "FAILED", bad+1
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", r.Turn+1, r.Seed, r.Parts, strings.Join(r.Faults, "+"), r.Records,
			r.Acknowledged, r.Found, r.Lost, r.Doubled, short(r.Gap), short(r.Stall), verdict)
		sum.Records += r.Records
		sum.Acknowledged += r.Acknowledged
		sum.Found += r.Found
		sum.Lost += r.Lost
		sum.Doubled += r.Doubled
		sum.Gap, sum.Stall = max(sum.Gap, r.Gap), max(sum.Stall, r.Stall)
	}
	fmt.Fprintf(w, "all\t\t\t%d of %d ok\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t\n", len(results)-bad, len(results), sum.Records, sum.Acknowledged,
		sum.Found, sum.Lost, sum.Doubled, short(sum.Gap), short(sum.Stall))
	_ = w.Flush()
}

// writeJSON leaves the results for machines.
func writeJSON(file string, results any) error {
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing the results: %w", err)
	}
	return nil
}
