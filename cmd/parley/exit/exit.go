// Package exit is how a command that has said everything tells its exit code.
package exit

import "fmt"

// Code ends the process with it, and nothing more is said.
type Code int

// Error is read by nobody: what there is to say was printed before.
func (c Code) Error() string { return fmt.Sprintf("exit %d", int(c)) }
