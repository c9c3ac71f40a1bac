// Command heard makes calls from seeds, has the detection of answering machines hear them, and writes
// what came of it to a document: how often it was right, how long it took, what it took for what.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"github.com/parley-platform/parley/adapters/voice/corpus"
)

func main() {
	document := flag.String("to", "docs/machines-heard.md", "the document; what stands in it above the mark is kept")
	more := flag.Int("more", 8, "so many seeds more than the two that were held out; make test hears those two")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *document, *more); err != nil {
		fmt.Fprintln(os.Stderr, "heard:", err)
		os.Exit(1)
	}
}

// mark is the line behind which the document is written.
const mark = "<!-- go run ./cmd/heard writes what follows -->\n"

func run(ctx context.Context, document string, more int) error {
	before, err := os.ReadFile(document)
	if err != nil {
		return fmt.Errorf("reading the document: %w", err)
	}
	kept, _, found := bytes.Cut(before, []byte(mark))
	if !found {
		return fmt.Errorf("%s: has no line %q", document, strings.TrimSpace(mark))
	}
	tuned, err := corpus.Run(ctx, corpus.Tuned...)
	if err != nil {
		return err
	}
	seeds := corpus.HeldOut
	for i := range more {
		seeds = append(seeds[:len(seeds):len(seeds)], uint64(100+i))
	}
	heldOut, err := corpus.Run(ctx, seeds...)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	out.Write(kept)
	fmt.Fprintf(&out, "%s\nMade with %s and %s. %d seeds were tuned on, %d were held out.\n\n", mark, version(ctx, "espeak-ng"),
		version(ctx, "sox"), len(corpus.Tuned), len(seeds))
	if err := corpus.Table(&out, tuned, heldOut); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	if err := overRTP(ctx, &out, tuned); err != nil {
		return err
	}
	if err := os.WriteFile(document, out.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing the document: %w", err)
	}
	if n := len(heldOut.Lost()) + len(tuned.Lost()); n > 0 {
		return errors.New("people were taken for machines")
	}
	return nil
}

// overRTP has the calls of a seed that were judged in memory heard again over sockets, those of one kind of
// sound at once.
func overRTP(ctx context.Context, out *bytes.Buffer, judged corpus.Result) error {
	fmt.Fprint(out, "\n## Over RTP\n\nOver sockets of one machine, all calls of one kind of sound at once, each in its own time:\n\n"+
		"| sound | calls | the same verdict | the same results in the same order |\n|---|---|---|---|\n")
	for _, condition := range []corpus.Condition{corpus.Clean, corpus.Loss, corpus.ALaw} {
		before := judged.Of(func(j corpus.Judged) bool { return j.Call.Condition == condition && j.Call.Seed == corpus.Tuned[0] })
		var calls []corpus.Call
		for _, j := range before {
			calls = append(calls, j.Call)
		}
		after, err := corpus.OverRTP(ctx, calls, corpus.Plan())
		if err != nil {
			return fmt.Errorf("hearing calls over RTP: %w", err)
		}
		verdicts, orders := 0, 0
		for i := range before {
			if before[i].Verdict == after[i].Verdict {
				verdicts++
			}
			if before[i].Order() == after[i].Order() {
				orders++
			}
		}
		fmt.Fprintf(out, "| %s | %d | %d | %d |\n", condition, len(before), verdicts, orders)
	}
	return nil
}

// version is the first line of what a program says of its version.
func version(ctx context.Context, program string) string {
	said, err := exec.CommandContext(ctx, program, "--version").Output()
	if err != nil {
		return program
	}
	line, _, _ := strings.Cut(string(said), "\n")
	line, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), program+":"), "Data at:")
	if !strings.Contains(strings.ToLower(line), "sox") && !strings.Contains(strings.ToLower(line), "espeak") {
		line = program + " " + line
	}
	return strings.TrimSpace(line)
}
