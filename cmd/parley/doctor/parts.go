package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/catalog"
)

// keysetFile is where the master key should be.
func (c *Command) keysetFile() string {
	if c.Keyset != "" {
		return c.Keyset
	}
	return filepath.Join(c.Data, "keyset.json")
}

const keep = "keep a copy of it apart from the log: without it no sealed secret (of clients, webhooks, trunks, callers' headers) can " +
	"ever be opened, no API key works, and no Idempotency-Key is recognised"

// keys looks at the master key's file.
func (c *Command) keys(x *examination) {
	file := c.keysetFile()
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.find(failure, "master key", "name it with --keyset, or bring it back from its copy; a node does not start on a log that was "+
			"written with another one", "%s is not there", file)
		return
	case err != nil:
		x.find(failure, "master key", "", "%s", err)
		return
	case info.Mode().Perm()&0o077 != 0:
		x.find(warning, "master key", "chmod 600 "+file, "%s can be read by others (%v)", file, info.Mode().Perm())
	}
	if _, err := vault.Open(file); err != nil {
		x.find(failure, "master key", "bring it back from its copy", "%s", err)
		return
	}
	x.find(fine, "master key", keep, "%s", file)
}

// disk looks at the room for the log of the embedded broker: where there is too little it answers,
// and every change is refused. Before the log is opened, which may fail for that reason.
func (c *Command) disk(x *examination) error {
	folder, free, err := embedded.RoomAt(filepath.Join(c.Data, "kafka"))
	if len(c.KafkaBrokers) > 0 || errors.Is(err, fs.ErrNotExist) {
		return nil // Kafka watches its own
	}
	if err != nil {
		return err
	}
	l, do := fine, ""
	switch reserve := c.DiskReserve << 20; {
	case free < reserve:
		l, do = failure, "the embedded broker appends nothing, and changes are refused (NOT_EXECUTED): make room, and it goes on by itself"
	case free < almostFull*reserve:
		l, do = warning, "make the disk larger, or move the data folder to a larger one: nothing is ever deleted from the log"
	}
	x.find(l, "disk", do, "%d MiB are free on the disk of %s, of which %d are kept", free>>20, folder, c.DiskReserve)
	return nil
}

// almostFull is at how many times what is left free one is warned, as the alerts do.
const almostFull = 8

// rightKeyset compares the master key with what the log knows of it.
func (c *Command) rightKeyset(ctx context.Context, x *examination) error {
	proofs, err := node.KeysetProofs(ctx, x.log)
	if err != nil {
		return err
	}
	if len(proofs) == 0 {
		x.find(warning, "master key", "start a node of this version once: it compares the key with what was sealed, and notes it",
			"log %s does not say which keyset it was written with", x.log.LogID())
		return nil
	}
	last := proofs[len(proofs)-1]
	v, err := vault.Open(c.keysetFile())
	if err != nil { // said already, but not which one it must be
		x.find(failure, "master key", "bring the copy of that one back", "log %s was written with keyset %s, its sealing key was last %d",
			last.LogID, last.Keyset, last.KeyID())
		return nil
	}
	for _, p := range proofs {
		if err := v.Check(p); err != nil {
			x.find(failure, "master key", "put the copy of the log's keyset in its place, or name it with --keyset",
				"%s is not the keyset of log %s: %s", c.keysetFile(), last.LogID, err)
			return nil
		}
	}
	x.find(fine, "master key", "", "it is keyset %s, the one of log %s", last.Keyset, last.LogID)
	return nil
}

// secrets opens what the read models hold sealed.
func (c *Command) secrets(ctx context.Context, x *examination) error {
	v, err := vault.Open(c.keysetFile())
	if err != nil {
		return nil // said already
	}
	total, closed, first := 0, 0, ""
	open := func(tenant, name, sealed, context string) {
		total++
		if _, err := v.Unseal(sealed, context); err != nil {
			if closed++; closed == 1 {
				first = fmt.Sprintf("that of %s of tenant %s first", name, tenant)
			}
		}
	}
	for _, kind := range []struct {
		sql     string
		context func(tenant, name string) string
	}{
		{`SELECT tenant, client_id, secret FROM clients WHERE secret <> ''`, vault.ClientSecretContext},
		{`SELECT tenant, project_id, webhook_secret FROM projects WHERE webhook_secret <> ''`, vault.WebhookSecretContext},
		{`SELECT tenant, name, password FROM trunks WHERE password <> ''`, vault.TrunkPasswordContext},
		{`SELECT tenant, name, api_key FROM model_providers`, vault.ModelKeyContext},
	} {
		rows, err := x.db.Queries.Query(ctx, kind.sql)
		if err != nil {
			return err
		}
		var tenant, name, sealed string
		_, err = pgx.ForEachRow(rows, []any{&tenant, &name, &sealed}, func() error {
			open(tenant, name, sealed, kind.context(tenant, name))
			return nil
		})
		if err != nil {
			return err
		}
	}
	connections, err := connectionsOf(ctx, x)
	if err != nil {
		return err
	}
	for _, c := range connections {
		for name, sealed := range c.Credentials {
			open(c.Tenant, c.ConnectionID, sealed, vault.CredentialContext(c.Tenant, c.ConnectionID, name))
		}
	}
	if closed > 0 {
		x.find(failure, "secrets", "this is not the key they were sealed with: start the nodes with the right one (--keyset)",
			"%d of %d sealed secrets do not open with this key, %s", closed, total, first)
		return nil
	}
	x.find(fine, "secrets", "", "all %d sealed secrets open with this key", total)
	return nil
}

// topicsSettings looks at what keeps events from being lost.
func topicsSettings(ctx context.Context, x *examination) error {
	if err := x.log.Check(ctx); err != nil {
		for line := range strings.Lines(err.Error()) {
			x.find(failure, "topics", "see the section on topics of the operating guide", "%s", strings.TrimSpace(line))
		}
		return nil
	}
	for _, c := range catalog.Categories() {
		n, err := x.log.Partitions(c.Topic())
		if err != nil {
			return err
		}
		for i := range n {
			if err := x.log.Verify(ctx, c.Topic(), i); err != nil {
				x.find(failure, "topics", "", "%s", err)
				return nil
			}
		}
	}
	x.find(fine, "topics", "", "log %s: %d topics, their settings and the beginning of every partition are as they must be", x.log.LogID(),
		len(catalog.Categories()))
	return nil
}

// postgresSettings looks at the server.
func postgresSettings(ctx context.Context, x *examination) error {
	var version, encoding, fsync, pages string
	var now time.Time
	before := time.Now()
	err := x.db.Queries.QueryRow(ctx, `SELECT current_setting('server_version'), current_setting('server_encoding'), current_setting('fsync'),
		current_setting('full_page_writes'), clock_timestamp()`).
		Scan(&version, &encoding, &fsync, &pages, &now)
	if err != nil {
		return err
	}
	apart := now.Sub(before.Add(time.Since(before) / 2)).Round(time.Millisecond)
	if encoding != "UTF8" {
		x.find(failure, "postgres", "make the database with ENCODING 'UTF8'; the read models come back from the log",
			"the database's encoding is %s", encoding)
	}
	if fsync != "on" || pages != "on" {
		x.find(warning, "postgres", "after a crash of its machine drop the database and start: it comes back from the log, which takes its time",
			"fsync is %s, full_page_writes is %s: a crash can spoil the read models", fsync, pages)
	}
	if apart.Abs() > 5*time.Second {
		x.find(warning, "postgres", "let NTP set both clocks: leases and timers go by the database's, tokens and dates of events by the nodes'",
			"its clock is %s from this machine's", apart)
	}
	x.find(fine, "postgres", "", "version %s, %s, clock %s from this machine's", version, encoding, apart)
	return nil
}

// alive are the nodes that have said so in the last seconds.
const alive = `seen_at > now() - interval '5 seconds'`

// liveNodes tells which nodes have said in the last seconds that they live, whatever they do.
func liveNodes(ctx context.Context, x *examination) error {
	var names []string
	var projecting int
	if err := x.db.Queries.QueryRow(ctx, `SELECT coalesce(array_agg(node ORDER BY node), '{}'), count(*) FILTER (WHERE projects) FROM nodes
		WHERE `+alive).Scan(&names, &projecting); err != nil {
		return err
	}
	switch {
	case len(names) == 0:
		x.find(fine, "nodes", "", "none is running")
	case projecting == 0:
		x.find(warning, "nodes", "start one with the role projector, of the newest version that has run here (/readyz of an older one says "+
			"outdated): without it no change becomes visible", "%d live, none of which projects: %s", len(names), strings.Join(names, ", "))
	default:
		x.find(fine, "nodes", "", "%d live, of which %d project: %s", len(names), projecting, strings.Join(names, ", "))
	}
	return unlikeSettings(ctx, x)
}

// unlikeSettings tells of what all nodes should have been started with alike, and were not.
func unlikeSettings(ctx context.Context, x *examination) error {
	rows, err := x.db.Queries.Query(ctx, `SELECT key, string_agg(format('%s has %s', node, CASE value WHEN '' THEN 'none' ELSE value END),
			', ' ORDER BY node)
		FROM nodes n, jsonb_each_text(coalesce(to_jsonb(n) -> 'settings', '{}')) -- an older version's database does not have them
		WHERE `+alive+`
		GROUP BY key HAVING count(DISTINCT value) > 1 ORDER BY key`)
	if err != nil {
		return err
	}
	var flag, have string
	_, err = pgx.ForEachRow(rows, []any{&flag, &have}, func() error {
		x.find(warning, "nodes", "start all nodes with the same "+flag, "%s is not the same on all: %s", flag, have)
		return nil
	})
	return err
}
