package commandline

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// check refuses what is missing, contradicts itself or is none of the words that a flag
// knows. Groups of flags that come together (and), and Validate of values, are not used
// here; a test says so of every command.
func check(ctx *kong.Context) error {
	if err := words(ctx); err != nil {
		return err
	}
	for _, p := range ctx.Path {
		if err := missingFlags(p.Flags); err != nil {
			return err
		}
	}
	node := ctx.Selected()
	if node == nil {
		node = ctx.Model.Node
	}
	if err := missingNext(node); err != nil {
		return err
	}
	return contradictions(ctx)
}

// words checks the values that have a list of what they may be: those that were said, and
// those that the environment, a file or a default has set.
func words(ctx *kong.Context) error {
	for _, v := range values(ctx) {
		if v.Enum != "" && (!v.Required || v.HasDefault || v.Set || inEnvironment(v)) {
			if err := oneOf(v, v.Target); err != nil {
				return err
			}
		}
	}
	return nil
}

func oneOf(v *kong.Value, target reflect.Value) error {
	if target.Kind() == reflect.Slice {
		for i := range target.Len() {
			if err := oneOf(v, target.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	said, known := fmt.Sprint(target.Interface()), v.EnumSlice()
	if slices.Contains(known, said) {
		return nil
	}
	for i, word := range known {
		known[i] = strconv.Quote(word)
	}
	return fmt.Errorf("%s must be one of %s but got %q", v.ShortSummary(), strings.Join(known, ","), said)
}

func missingFlags(flags []*kong.Flag) error {
	var missing []string
	for _, f := range flags {
		if f.Required && !f.Set {
			missing = append(missing, f.Summary())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("missing flags: %s", strings.Join(missing, ", "))
}

// missingNext proposes what comes next: arguments, and of a group of commands some.
func missingNext(node *kong.Node) error {
	var next, arguments []string
	for _, a := range node.Positional {
		if a.Required && !a.Set {
			arguments = append(arguments, a.Summary())
		}
	}
	if len(arguments) > 0 {
		next = append(next, strconv.Quote(strings.Join(arguments, " ")))
	}
	for _, c := range node.Children {
		if !c.Hidden {
			next = append(next, strconv.Quote(c.Name))
		}
	}
	switch {
	case len(next) == 0:
		return nil
	case len(next) == 1:
		return fmt.Errorf("expected %s", next[0])
	case len(next) > 5:
		next = append(next[:5], "...")
	}
	return fmt.Errorf("expected one of %s", strings.Join(next, ", "))
}

// contradictions are two flags of which one is meant (xor).
func contradictions(ctx *kong.Context) error {
	for _, p := range ctx.Path {
		seen := map[string]string{}
		for _, f := range p.Flags {
			for _, group := range f.Xor {
				if other := seen[group]; f.Set && other != "" {
					return fmt.Errorf("--%s and --%s can't be used together", other, f.Name)
				} else if f.Set {
					seen[group] = f.Name
				}
			}
		}
	}
	return nil
}

func inEnvironment(v *kong.Value) bool {
	return slices.ContainsFunc(v.Tag.Envs, func(name string) bool {
		_, is := os.LookupEnv(name)
		return is
	})
}
