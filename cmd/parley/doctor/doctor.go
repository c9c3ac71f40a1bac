// Package doctor examines an installation and says what to do. It changes nothing.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/embedded/logfolder"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// Command examines an installation.
type Command struct {
	connect.PartsFlags
	Keyset       string     `help:"Master key file; keyset.json under --data when empty." placeholder:"FILE"`
	DiskReserve  int64      `help:"MiB that the embedded broker leaves free on its disk, as serve was told." default:"64" placeholder:"MIB"`
	Scan         bool       `help:"Also read the whole log and count what nobody but Parley should have written."`
	AskProviders bool       `help:"Also ask the provider of each connection of a channel whether its credential works: that is seen there."`
	JSON         bool       `name:"json" hidden:"" help:"The same as -o json."`
	Show         show.Flags `embed:""`

	// Addresses are where the providers of kinds of channels are, if that is said in the environment.
	Addresses func() map[string]string `kong:"-"`
}

// Help says when to use it.
func (Command) Help() string {
	return `Looks at the settings of Kafka and Postgres, at how far read models and reactors are behind, at what was set
aside, and at the master key. It changes nothing. Each finding that is not ok says what to do. Ends with 1 when
there is a failure.

Examples:
  parley doctor
  parley doctor --scan
  parley doctor --ask-providers
  parley doctor --kafka-brokers kafka:9092 --database-url postgres://parley@db/parley --keyset /etc/parley/keyset.json`
}

// level is how bad a finding is.
type level string

const (
	fine    level = "ok"
	warning level = "warning"
	failure level = "FAILURE"
)

// finding is one line of the report.
type finding struct {
	Level   level  `json:"level"`
	Subject string `json:"subject"`
	Detail  string `json:"detail"`
	Do      string `json:"do,omitempty"` // what to do about it
}

// examination collects findings.
type examination struct {
	log      *kafka.Log
	db       *postgres.DB
	findings []finding
	show     func(finding)
}

func (x *examination) find(l level, subject, do, detail string, args ...any) {
	f := finding{Level: l, Subject: subject, Do: do, Detail: fmt.Sprintf(detail, args...)}
	x.findings = append(x.findings, f)
	x.show(f)
}

// Run examines and prints.
func (c *Command) Run() error {
	ctx, stop := exit.OnSignal()
	defer stop()
	x := &examination{show: c.shown(os.Stdout)}
	c.keys(x)
	if err := c.disk(x); err != nil {
		x.find(failure, "disk", "", "could not be examined: %s", err)
	}
	log, db, closeAll, err := c.Open(ctx, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))
	var damaged *logfolder.DamagedError
	if errors.As(err, &damaged) {
		x.damagedLog(damaged)
		return x.conclude()
	}
	if err != nil {
		x.find(failure, "connections", "mend this first; the rest cannot be examined without it", "%s", err)
		return x.conclude()
	}
	defer closeAll()
	x.log, x.db = log, db
	there, err := tablesThere(ctx, x)
	if err != nil {
		x.find(failure, "read models", "", "could not be examined: %s", err)
	}
	for _, part := range []struct {
		subject string
		tables  bool // of the read models are needed
		look    func(context.Context, *examination) error
	}{{"topics", false, topicsSettings}, {"postgres", false, postgresSettings}, {"nodes", true, liveNodes}, {"trunks", true, trunks},
		{"master key", false, c.rightKeyset}, {"secrets", true, c.secrets}, {"data keys", true, c.dataKeys},
		{"projections", true, projectionLag}, {"set aside", true, setAsides}, {"reactors", false, reactorLag},
		{"providers", true, c.providers}, {"speech", false, speaks}, {"foreign appends", false, c.foreign}} {
		if part.tables && !there {
			continue
		}
		look, cancel := ctx, func() {}
		if part.subject != "foreign appends" {
			look, cancel = context.WithTimeout(ctx, 30*time.Second)
		}
		if err := part.look(look, x); err != nil {
			x.find(failure, part.subject, "", "could not be examined: %s", err)
		}
		cancel()
	}
	return x.conclude()
}

// tablesThere looks whether any node has begun to project into the database. After a restore none has.
func tablesThere(ctx context.Context, x *examination) (there bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err = x.db.Queries.QueryRow(ctx, `SELECT to_regclass('checkpoints') IS NOT NULL`).Scan(&there)
	if err == nil && !there {
		x.find(warning, "read models", "start a node: it builds them from the log; then examine secrets, keys and read models again",
			"there are none: no node has started on this database yet")
	}
	return there, err
}

// damagedLog lists every place where the embedded log is not whole.
func (x *examination) damagedLog(e *logfolder.DamagedError) {
	for i, d := range e.Damage {
		do := ""
		if i == len(e.Damage)-1 {
			do = "the log was not opened and nothing in it was changed; the rest cannot be examined without it. " + logfolder.WaysOut(e.Dir)
		}
		x.find(failure, "log", do, "%s", d)
	}
}

// shown prints a finding when it is made.
func (c *Command) shown(w io.Writer) func(finding) {
	if c.JSON {
		c.Show.Output = show.JSON
	}
	out := show.To(w, c.Show)
	if out.JSON() {
		return func(f finding) { _ = out.Object(f) }
	}
	return func(f finding) {
		colour := map[level]show.Colour{fine: show.Green, warning: show.Yellow, failure: show.Red}[f.Level]
		begin, columns := fmt.Sprintf("%-8s %-22s ", f.Level, f.Subject), subjects
		if width := out.Width(); width > 0 && width < roomy { // the text below, as far left as can be read
			fmt.Fprintf(w, "%s %s\n", out.Paint(fmt.Sprintf("%-8s", f.Level), colour), f.Subject)
			begin, columns = strings.Repeat(" ", levels), levels
		} else {
			begin = out.Paint(begin[:levels-1], colour) + begin[levels-1:]
		}
		_ = out.Paragraph(begin, columns, f.Detail, show.Plain) // who closed the output wants no more
		if f.Do != "" {
			_ = out.Paragraph(strings.Repeat(" ", columns)+"-> ", columns+3, f.Do, show.Plain)
		}
	}
}

// The columns of the report, and how wide a terminal is on which all are beside each other.
const (
	levels   = 9
	subjects = 32
	roomy    = 100
)

// conclude decides how the process ends.
func (x *examination) conclude() error {
	for _, f := range x.findings {
		if f.Level == failure {
			return exit.Failed
		}
	}
	return nil
}
