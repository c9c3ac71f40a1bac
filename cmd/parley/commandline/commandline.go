// Package commandline parses the command line by kong's model of it, and runs the command.
//
// It stands in for Kong.Parse and Context.Run. Those look for hooks and commands by names
// that the linker does not know, so it has to keep every exported method of every type:
// 4 MB of code that nothing calls (docs/decisions/2026-11-23-size-of-the-binary.md). What
// is said of a wrong command line is what kong says; a test holds them beside each other.
package commandline

import (
	"errors"
	"fmt"

	"github.com/alecthomas/kong"
)

// Error is a command line that is none of the program's.
type Error struct {
	Context *kong.Context // as far as it was understood
	err     error
}

// Error says what is wrong.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap is what kong said.
func (e *Error) Unwrap() error { return e.err }

// Parse fills in the commands' structs. --help and --version say theirs, and end the process.
func Parse(app *kong.Kong, args []string) (*kong.Context, error) {
	ctx, err := kong.Trace(app, args)
	if err != nil {
		return nil, err
	}
	if err = understand(ctx); err != nil {
		return ctx, &Error{ctx, err}
	}
	return ctx, nil
}

func understand(ctx *kong.Context) error {
	if ctx.Error != nil {
		return ctx.Error
	}
	if err := answer(ctx); err != nil {
		return err
	}
	if err := reset(ctx); err != nil {
		return err
	}
	if err := ctx.Resolve(); err != nil {
		return err
	}
	if _, err := ctx.Apply(); err != nil {
		return err
	}
	return check(ctx)
}

// answer serves the first flag that is a question by itself, such as --help.
func answer(ctx *kong.Context) error {
	for _, p := range ctx.Path {
		if p.Flag == nil {
			continue
		}
		if question, is := p.Flag.Target.Interface().(interface{ BeforeReset(*kong.Context) error }); is {
			return question.BeforeReset(ctx)
		}
	}
	return nil
}

// reset sets what the environment and the defaults say. A variable that several commands
// read may be wrong for another one than this.
func reset(ctx *kong.Context) error {
	here := map[*kong.Value]bool{}
	for _, v := range values(ctx) {
		here[v] = true
	}
	return kong.Visit(ctx.Model, func(visited kong.Visitable, next kong.Next) error {
		v, is := visited.(*kong.Value)
		if !is {
			return next(nil)
		}
		err := v.Reset()
		if err != nil && !here[v] {
			v.Target.SetZero()
			err = nil
		}
		return next(err)
	})
}

// values are the flags and arguments of the commands that were named.
func values(ctx *kong.Context) (all []*kong.Value) {
	for _, p := range ctx.Path {
		node := p.Node()
		if node == nil { // a flag or an argument; its command has it
			continue
		}
		for _, f := range node.Flags {
			all = append(all, f.Value)
		}
		all = append(all, node.Positional...)
	}
	return all
}

// Refuse shows how the command is used and says what is wrong, and ends the process.
func Refuse(app *kong.Kong, err error) {
	var wrong *Error
	if errors.As(err, &wrong) {
		_ = wrong.Context.PrintUsage(true) // nobody is told when nobody reads
		fmt.Fprintln(app.Stdout)
	}
	app.Errorf("%s", err)
	app.Exit(1)
}

// Run runs the command that was named.
func Run(ctx *kong.Context) error {
	switch command := ctx.Selected().Target.Addr().Interface().(type) {
	case interface{ Run() error }:
		return command.Run()
	case interface{ Run(*kong.Context) error }:
		return command.Run(ctx)
	}
	return fmt.Errorf("%s has nothing that runs it", ctx.Command())
}
