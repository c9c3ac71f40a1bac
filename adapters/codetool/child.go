package codetool

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"time"
)

// Asking is the first argument of a process that is to run programs. It is no command for people.
const Asking = "__run-code"

// Serve is such a process: it runs what its standard input asks for, until that ends. It gives
// up everything that a program could do harm with first.
func Serve() {
	in, out := bufio.NewReader(os.Stdin), os.Stdout
	if err := confine(); err != nil {
		_ = send(out, answered{Code: CodeAway, Problem: err.Error(), Last: true})
		os.Exit(1)
	}
	if send(out, answered{}) != nil { // ready
		os.Exit(1)
	}
	wanted := make(chan asked)
	go func() {
		for {
			var a asked
			if receive(in, &a) != nil {
				os.Exit(0) // whoever started us is gone, in the middle of a program too
			}
			wanted <- a
		}
	}()
	serve(wanted, out)
}

func serve(wanted <-chan asked, out io.Writer) {
	for a := range wanted {
		stop := time.AfterFunc(a.Timeout+2*grace, func() { os.Exit(2) }) // whoever asked has killed it by then
		told := run(a, func(use json.RawMessage, late <-chan time.Time) (json.RawMessage, bool) {
			if send(out, answered{Use: use}) != nil {
				os.Exit(0)
			}
			select {
			case b := <-wanted:
				return b.Used, true
			case <-late:
				return nil, false
			}
		})
		stop.Stop()
		if send(out, told) != nil || told.Last {
			os.Exit(0)
		}
	}
}
