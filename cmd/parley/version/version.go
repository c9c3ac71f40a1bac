// Package version says which Parley this is: the number stands here and nowhere else,
// the commit and the Go it was built with come from the binary.
package version

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"github.com/parley-platform/parley/cmd/parley/show"
)

// Number is the version of the product, by semantic versioning.
const Number = "0.1.0"

// commit is that of a binary that is built where the repository's history is not at hand,
// as in the Dockerfile: -ldflags "-X github.com/parley-platform/parley/cmd/parley/version.commit=...".
var commit string

// Build is what is known of a binary.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`         // empty: built outside a checkout, or with -buildvcs=false
	Time     string `json:"time,omitempty"` // of the commit, RFC 3339
	Modified bool   `json:"modified"`       // the checkout differed from the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Command prints it; parley --version does the same.
type Command struct {
	Show show.Flags `embed:""`
}

// Run prints.
func (c *Command) Run() error {
	out := show.To(os.Stdout, c.Show)
	if out.JSON() {
		return out.Object(Current())
	}
	return out.Say("%s", Current())
}

// Current is the build that runs.
func Current() Build {
	b := Build{Version: Number, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.read(info.Settings)
	}
	return b
}

func (b *Build) read(settings []debug.BuildSetting) {
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
}

// commitShown is how much of a commit tells it from others.
const commitShown = 12

// String is what parley --version prints.
func (b Build) String() string {
	commit := "unknown commit"
	if b.Commit != "" {
		commit = "commit " + b.Commit[:min(commitShown, len(b.Commit))]
	}
	if b.Time != "" {
		commit += " of " + b.Time
	}
	if b.Modified {
		commit += " with changes"
	}
	return fmt.Sprintf("parley %s, %s, %s %s", b.Version, commit, b.Go, b.Platform)
}

// Flag is --version: it prints what Parley this is, and ends the process.
type Flag bool

// BeforeReset is called before anything else is looked at.
func (Flag) BeforeReset(ctx *kong.Context) error {
	fmt.Fprintln(ctx.Stdout, Current().String())
	ctx.Exit(0)
	return nil
}
