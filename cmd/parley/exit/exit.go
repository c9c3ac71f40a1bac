// Package exit is when a command ends, how it tells its exit code, and what is said with it.
package exit

import (
	"errors"
	"fmt"
	"io"
)

// Code ends the process with it, and nothing more is said.
type Code int

// What a script can tell from an exit code. Ctrl-C of a command that follows is no failure.
const (
	Done    Code = 0
	Failed  Code = 1 // something is out of reach, or failed; the same command may work later
	Change  Code = 2 // the command line, the settings or what was asked for has to be changed
	Nothing Code = 3 // it was done, and came to nothing: a call that nobody answered

	Interrupted Code = 130 // Ctrl-C before there was an answer, as shells count it
)

// Error is read by nobody: what there is to say was printed before.
func (c Code) Error() string { return fmt.Sprintf("exit %d", int(c)) }

// Wrong is an error that goes away only when the caller changes something.
type Wrong struct{ text string }

// Wrongf makes one.
func Wrongf(format string, args ...any) error { return &Wrong{fmt.Sprintf(format, args...)} }

// Error says what to change.
func (w *Wrong) Error() string { return w.text }

// Code is Change.
func (w *Wrong) Code() Code { return Change }

// Of is the code that an error ends the process with: its own, else Failed.
func Of(err error) Code {
	var quiet Code
	var coded interface{ Code() Code }
	switch {
	case err == nil:
		return Done
	case errors.As(err, &quiet):
		return quiet
	case errors.As(err, &coded):
		return coded.Code()
	}
	return Failed
}

// Say tells the error, unless it is a bare code, and returns its code.
func Say(out io.Writer, err error) Code {
	var quiet Code
	if err != nil && !errors.As(err, &quiet) {
		fmt.Fprintln(out, "parley: "+err.Error())
	}
	return Of(err)
}
