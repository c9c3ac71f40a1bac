package commandline_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/commandline"
)

type serve struct {
	Data   string        `default:".data"`
	Every  time.Duration `default:"1s"`
	Roles  []string      `enum:"api,projector,reactor" default:"api"`
	Server string        `required:""`
	ran    *[]string
}

func (s *serve) Run() error { *s.ran = append(*s.ran, "serve "+s.Data); return nil }

type show struct {
	Shell string `arg:"" enum:"bash,zsh"`
	Word  string `arg:"" optional:""`
	Limit int    `default:"10"`
	Table bool   `xor:"form"`
	JSON  bool   `xor:"form"`
}

func (s *show) Run(ctx *kong.Context) error {
	if s.Word == "" {
		return errors.New(ctx.Command() + " without a word")
	}
	return nil
}

type other struct {
	Limit time.Duration `default:"1s"`
	Level string        `enum:"low,high" default:"low"`
}

func (o *other) Run() error { return nil }

type program struct {
	Serve serve `cmd:""`
	Look  struct {
		Show  show     `cmd:""`
		Other other    `cmd:"" aliases:"o"`
		Third other    `cmd:""`
		Empty struct{} `cmd:""`
		Fifth other    `cmd:""`
		Sixth other    `cmd:""`
		Past  other    `cmd:"" hidden:""`
	} `cmd:""`
}

// left is why a process ended.
type left struct{ code int }

// parsed is what became of a command line: the structs, what was printed and what is wrong.
func parsed(t *testing.T, line string, parse func(*kong.Kong, []string) (*kong.Context, error)) (p program, said string) {
	t.Helper()
	var out bytes.Buffer
	app, err := kong.New(&p, kong.Name("tool"), kong.DefaultEnvars("TOOL"), kong.Writers(&out, &out),
		kong.Exit(func(code int) { panic(left{code}) }))
	require.NoError(t, err)
	defer func() {
		if _, ended := recover().(left); ended {
			said = out.String()
		}
	}()
	if _, err = parse(app, strings.Fields(line)); err != nil {
		out.WriteString(err.Error())
	}
	return p, out.String()
}

// What is said of a command line, and what it sets, is what kong itself says and sets.
func TestItIsKongsCommandLine(t *testing.T) {
	t.Setenv("TOOL_DATA", "elsewhere")
	for _, line := range []string{
		"", "serv", "serve", "serve --server x", "serve --server=x --data y", "serve --server x --every 2h", "serve --server x --every soon",
		"serve --server x --roles api,reactor", "serve --server x --roles api,king", "serve --server x more", "serve --serv x",
		"serve --server",
		"look", "look show",
		"look show bash", "look show tcsh", "look show bash word", "look show bash word more", "look show bash --limit 3",
		"look show bash --limit many", "look show bash --table --json", "look show bash --table", "look show bash --table=no", "look other",
		"look o --level high", "look o --level huge", "look past",
		"--help", "look --help", "look show --help", "serv --help", "serve -h --server",
	} {
		t.Run(line, func(t *testing.T) {
			wantSet, want := parsed(t, line, (*kong.Kong).Parse)
			set, said := parsed(t, line, commandline.Parse)
			require.Equal(t, want, said)
			if want == "" {
				require.Equal(t, wantSet, set)
			}
		})
	}
}

// What the environment sets is checked like what is said, but for this command only.
func TestTheEnvironmentIsCheckedForTheCommandThatWasNamed(t *testing.T) {
	t.Setenv("TOOL_LIMIT", "2h")
	t.Setenv("TOOL_LEVEL", "huge")
	_, said := parsed(t, "serve --server x", commandline.Parse)
	require.Empty(t, said, "it has neither flag")
	_, said = parsed(t, "look show bash", commandline.Parse)
	require.Contains(t, said, "TOOL_LIMIT")
	_, said = parsed(t, "look show bash --limit 3", commandline.Parse)
	require.Contains(t, said, "TOOL_LIMIT")
	_, said = parsed(t, "look other", commandline.Parse)
	require.Contains(t, said, `--level must be one of "low","high" but got "huge"`)
	p, said := parsed(t, "look other --level high", commandline.Parse)
	require.Empty(t, said)
	require.Equal(t, 2*time.Hour, p.Look.Other.Limit)
}

// The command that was named runs, and no other.
func TestTheCommandRuns(t *testing.T) {
	var ran []string
	p := program{Serve: serve{ran: &ran}}
	app, err := kong.New(&p, kong.Name("tool"))
	require.NoError(t, err)
	for line, wanted := range map[string]string{
		"serve --server x":    "",
		"look show bash":      "look show <shell> without a word",
		"look show bash word": "",
		"look empty":          "look empty has nothing that runs it",
	} {
		ctx, err := commandline.Parse(app, strings.Fields(line))
		require.NoError(t, err)
		if err = commandline.Run(ctx); wanted == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, wanted)
		}
	}
	require.Equal(t, []string{"serve .data"}, ran)
}

// Whoever is refused sees how the command is used, and what was wrong with it.
func TestARefusalShowsTheUsage(t *testing.T) {
	_, said := parsed(t, "look show", func(app *kong.Kong, args []string) (*kong.Context, error) {
		_, err := commandline.Parse(app, args)
		commandline.Refuse(app, fmt.Errorf("%w, and a hint", err))
		return nil, nil
	})
	require.Contains(t, said, "Usage: tool look show <shell>")
	require.Contains(t, said, "tool: error: expected \"<shell>")
	require.Contains(t, said, ", and a hint")
}
