package token

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

// sandbox prints a token as the runtime gives it to the code of a tool, of a call that nobody
// made: so the memory of agents can be tried by hand.
func (c *Command) sandbox(out io.Writer, now time.Time) error {
	for flag, value := range map[string]string{"--keyset": c.Keyset, "--account": c.Account, "--project": c.Project, "--session": c.Session} {
		if value == "" {
			return exit.Wrongf("%s: a sandbox token needs --keyset, --account, --project, --session and --stores", flag)
		}
	}
	stores, err := storesOf(c.Stores)
	if err != nil {
		return err
	}
	v, err := vault.Open(c.Keyset)
	if err != nil {
		return fmt.Errorf("--keyset: %w", err)
	}
	g := tokens.SandboxGrant{TenantID: c.Account, ProjectID: c.Project, SessionID: c.Session, ToolCallID: "cli-" + uuid.NewString(),
		Trial: true, Stores: stores, Issued: now, Expires: now.Add(min(c.Expires, tokens.SandboxLongest))}
	text, err := tokens.Sandbox{Secret: v.SandboxSecret()}.Issue(g)
	if err != nil {
		return err
	}
	if c.Output == show.JSON {
		return show.To(out, c.Flags).Object(issued{text, g.Expires.UTC().Truncate(time.Second), g.TenantID, "", g.ToolCallID})
	}
	_, err = fmt.Fprintln(out, text)
	return err
}

// storesOf reads NAME:SCOPE:ACCESS.
func storesOf(declared []string) (map[string]access.Store, error) {
	stores := map[string]access.Store{}
	for _, d := range declared {
		parts := strings.Split(strings.TrimSpace(d), ":")
		if len(parts) != 3 || parts[0] == "" || !memories.ValidScope(memories.Scope(parts[1])) {
			return nil, exit.Wrongf("--stores: %q is not NAME:SCOPE:ACCESS with the scope session, contact or project", d)
		}
		switch parts[2] {
		case "read", "write", "readwrite":
		default:
			return nil, exit.Wrongf("--stores: the access %q of %s is not read, write or readwrite", parts[2], parts[0])
		}
		stores[parts[0]] = access.Store{Scope: parts[1], Read: parts[2] != "write", Write: parts[2] != "read"}
	}
	if len(stores) == 0 {
		return nil, exit.Wrongf("--stores: name at least one, such as 'profile:contact:read,notes:session:readwrite'")
	}
	return stores, nil
}
