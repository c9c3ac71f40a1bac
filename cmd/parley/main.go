// Command parley is the whole product: the server, and the tools around it.
//
// It owns the command line and nothing else; cmd/parley/node puts a server together.
package main

import (
	"os"

	"github.com/alecthomas/kong"

	"github.com/parley-platform/parley/adapters/codetool"
	"github.com/parley-platform/parley/cmd/parley/calls"
	"github.com/parley-platform/parley/cmd/parley/campaigns"
	"github.com/parley-platform/parley/cmd/parley/commandline"
	"github.com/parley-platform/parley/cmd/parley/completion"
	"github.com/parley-platform/parley/cmd/parley/doctor"
	"github.com/parley-platform/parley/cmd/parley/events"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/keys"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/cmd/parley/prices"
	"github.com/parley-platform/parley/cmd/parley/privacy"
	"github.com/parley-platform/parley/cmd/parley/salvage"
	"github.com/parley-platform/parley/cmd/parley/sessions"
	"github.com/parley-platform/parley/cmd/parley/settings"
	"github.com/parley-platform/parley/cmd/parley/suites"
	"github.com/parley-platform/parley/cmd/parley/tail"
	"github.com/parley-platform/parley/cmd/parley/token"
	"github.com/parley-platform/parley/cmd/parley/version"
)

// CLI is the command line; each member's Run is a command.
type CLI struct {
	Version version.Flag `help:"Print the version, the commit and the Go it was built with, and end." env:"-"`

	Serve ServeCmd      `cmd:"" help:"Run a node: API, projectors and reactors in one process; its own broker and Postgres if none is named."`
	Apply ApplyCmd      `cmd:"" help:"Make tenants, projects, clients, scopes, trunks, flows and agents from manifests."`
	Token token.Command `cmd:"" help:"Issue a JWT, for an operator or for a client whose secret you have."`
	Keys  keys.Command  `cmd:"" aliases:"key" help:"API keys: list them, make one, the first of a project included, revoke one."`

	Call      calls.DialCmd     `cmd:"" help:"Place a call, and follow it until it ends."`
	Calls     calls.Command     `cmd:"" help:"Calls that were placed, and what became of them; with an id, one of them."`
	Campaigns campaigns.Command `cmd:"" help:"Campaigns: list them, start, pause and resume one, see how far it is."`
	Session   sessions.Command  `cmd:"" help:"Sessions of agents: decide a recorded one again, by its own sources or by another version."`
	Test      suites.Command    `cmd:"" help:"Run a test suite of agents, and show what is not as expected; save a session as one."`
	Tail      tail.Command      `cmd:"" help:"Follow what happens, in lines for people, with filters."`

	Events events.Command `cmd:"" help:"Show who did what, when: list events, follow them, export them as JSON lines."`

	Privacy privacy.Command `cmd:"" help:"Erase a person from the account, and see how far that is."`

	Topics  TopicsCmd  `cmd:"" help:"Create what is missing on Kafka, and check the settings that keep events from being lost."`
	Reactor ReactorCmd `cmd:"" help:"Look at the reactors, at the events that they set aside, and have those handled again."`
	Rebuild RebuildCmd `cmd:"" help:"Build read models anew from the log beside the live ones, and switch while nodes go on; or check them."`
	Log     LogCmd     `cmd:"" help:"Work on the files of an embedded log: salvage what is whole of a damaged one."`

	Prices prices.Command `cmd:"" help:"Prices of models: take those of a public list into the file of models."`

	Completion     completion.Command `cmd:"" help:"Have bash, zsh or fish complete commands, flags and values: prints the script for it."`
	VersionCommand version.Command    `cmd:"" name:"version" help:"Which Parley this is."`

	Doctor doctor.Command `cmd:"" help:"Examine an installation: settings, keys, lag, what was set aside, foreign appends; say what to do."`
}

// LogCmd works on the files of an embedded log.
type LogCmd struct {
	Salvage salvage.Command `cmd:"" help:"Copy what is whole of a damaged node's folder into a new one, and list what is missing."`
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == codetool.Asking {
		codetool.Serve()
		return
	}
	node.CollectByLoad()
	var cli CLI
	cli.Doctor.Addresses = channelAddresses
	parser := parser(&cli)
	if len(os.Args) > 1 && os.Args[1] == completion.Asking {
		_ = completion.Answer(os.Stdout, parser.Model, os.Args[2:]) // nobody reads what a shell's completion fails with
		return
	}
	ctx, err := commandline.Parse(parser, sessions.Spelled(os.Args[1:]))
	if err != nil {
		commandline.Refuse(parser, settings.Hinted(err))
	}
	if err = settings.OneCredential(ctx); err == nil {
		err = commandline.Run(ctx)
	}
	os.Exit(int(exit.Say(os.Stderr, err)))
}

// parser knows every command. What is no command line of it ends with exit.Change.
func parser(cli *CLI) *kong.Kong {
	return kong.Must(cli, kong.Name("parley"), kong.Exit(leave), kong.DefaultEnvars("PARLEY"),
		kong.Description("Parley is the backend of a conversational platform: commands append events to Kafka, read models are built from them "+
			"in Postgres.\n\nStart with: parley serve --dev --data .data"),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, Summary: true}), kong.ValueFormatter(describe),
		kong.Resolvers(settings.FromFile()))
}

// leave ends the process; kong's code for a wrong command line becomes ours.
func leave(code int) {
	if code != 0 {
		code = int(exit.Change)
	}
	os.Exit(code)
}

// describe is the help of a flag, with the default that a placeholder would hide.
func describe(v *kong.Value) string {
	help := kong.DefaultHelpValueFormatter(v)
	if v.Tag.PlaceHolder == "" || v.Default == "" {
		return help
	}
	return help + " Default: " + v.Default
}
