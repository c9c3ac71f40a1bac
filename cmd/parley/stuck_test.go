package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// longestRun is well above what all tests of this package take on a slow machine, and below
// the -timeout of `make test`: what go test prints then is every goroutine of them all.
const longestRun = 25 * time.Minute

// sayWhatIsStuck ends the tests when they take too long, and prints nothing but where those
// stand that still run.
func sayWhatIsStuck() {
	<-time.After(longestRun)
	all := make([]byte, 16<<20)
	all = all[:runtime.Stack(all, true)]
	fmt.Fprintf(os.Stderr, "FAIL: these tests still run after %s:\n", longestRun)
	for stack := range strings.SplitSeq(string(all), "\n\n") {
		if strings.Contains(stack, "testing.tRunner(") && !strings.Contains(stack, "testing.runTests(") &&
			!strings.Contains(stack, "testing.(*T).Parallel(") {
			fmt.Fprintln(os.Stderr, stack+"\n")
		}
	}
	os.Exit(1)
}
