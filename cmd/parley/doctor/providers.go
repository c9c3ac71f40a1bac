package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	adapters "github.com/parley-platform/parley/adapters/channels"
	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/settings"
	"github.com/parley-platform/parley/domain/channels"
)

// asker asks a provider whether it knows the credential, and changes nothing there. What it is told
// is an outcome as of a message: Taken is yes.
type asker interface {
	Known(ctx context.Context, c channels.Connection) channels.Outcome
}

// sameAccount is the kind by which a provider is asked that knows the accounts of another one, too.
var sameAccount = map[string]string{"twilio_voice": "twilio_sms"}

// providers asks the provider of each connection that is active, if it is told to: that is seen
// there, and counts against limits.
func (c *Command) providers(ctx context.Context, x *examination) error {
	if !c.AskProviders {
		return nil
	}
	v, err := vault.Open(c.keysetFile())
	if err != nil {
		return nil // said already
	}
	found, err := connectionsOf(ctx, x)
	if err != nil {
		return err
	}
	at := c.addresses()
	asked := 0
	for _, found := range found {
		kind := cmp.Or(sameAccount[found.Kind], found.Kind)
		adapter, err := adapters.New(kind, at(kind))
		if err != nil {
			continue // of a kind that sends nothing
		}
		who, asks := adapter.(asker)
		if !asks {
			continue
		}
		asked++
		connection, closed := found.opened(v)
		if closed != "" {
			x.find(failure, found.ConnectionID, "start the nodes with the keyset that sealed it (--keyset), or give it again with "+
				"update-channel-connection", "its credential %s does not open with this key", closed)
			continue
		}
		x.verdict(found, who.Known(ctx, connection))
	}
	if asked == 0 {
		x.find(fine, "providers", "", "no active connection is of a kind whose provider can be asked")
	}
	return nil
}

func (x *examination) verdict(of connection, o channels.Outcome) {
	about := fmt.Sprintf("of tenant %s, %s %s", of.Tenant, of.Kind, of.External)
	switch {
	case o.Status == channels.Taken:
		x.find(fine, of.ConnectionID, "", "%s: its provider knows the credential", about)
	case o.Code == "UNREACHABLE" || o.Status == channels.Unknown || o.RetryAfter > 0:
		x.find(warning, of.ConnectionID, "look whether this machine reaches the provider (proxy, firewall, its status page), and ask again",
			"%s: %s", about, o.Reason)
	case o.Code == "CREDENTIALS":
		x.find(failure, of.ConnectionID, "give what is missing with update-channel-connection", "%s: %s", about, o.Reason)
	default:
		x.find(failure, of.ConnectionID, "renew the credential at the provider, and give it with update-channel-connection: what waits goes "+
			"out then", "%s: %s (%s)", about, o.Reason, o.Code)
	}
}

// connection is one as the read model has it.
type connection struct {
	Tenant, ConnectionID, Kind, External string
	Credentials                          map[string]string // sealed
}

func connectionsOf(ctx context.Context, x *examination) ([]connection, error) {
	rows, err := x.db.Queries.Query(ctx, `SELECT tenant, connection_id, kind, external, credentials FROM channel_connections WHERE active
		ORDER BY tenant, connection_id`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[connection])
}

// opened is the connection with its credentials; closed names one that does not open.
func (c connection) opened(v *vault.Vault) (out channels.Connection, closed string) {
	out = channels.Connection{ID: c.ConnectionID, TenantID: c.Tenant, Kind: c.Kind, External: c.External, Credentials: channels.Credentials{}}
	for name, sealed := range c.Credentials {
		value, err := v.Unseal(sealed, vault.CredentialContext(c.Tenant, c.ConnectionID, name))
		if err != nil {
			return out, name
		}
		out.Credentials[name] = channels.Secret(value)
	}
	return out, ""
}

// addresses are where providers are: as a node takes it from the environment, else, of serve --dev,
// where it plays them.
func (c *Command) addresses() func(kind string) string {
	var env map[string]string
	if c.DatabaseURL == "" { // else it is not the installation of that folder
		env, _ = settings.Read(filepath.Join(c.Data, settings.File)) // one that cannot be read is none
	}
	played := cmp.Or(env["CHANNEL_RECORDER_URL"], os.Getenv("CHANNEL_RECORDER_URL"))
	return func(kind string) string {
		if c.Addresses != nil && c.Addresses()[kind] != "" {
			return c.Addresses()[kind]
		}
		if played != "" {
			return played + "/" + kind
		}
		return ""
	}
}
