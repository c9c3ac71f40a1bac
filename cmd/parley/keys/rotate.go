package keys

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// RotateCmd takes the master key file over to another key, in two steps.
type RotateCmd struct {
	Use    uint32     `help:"The added key that is to seal from now on. Empty: one is added, which opens and seals nothing yet." placeholder:"ID"`
	Keyset string     `help:"Master key file; keyset.json under --data when empty." placeholder:"FILE"`
	Data   string     `help:"Data folder of the node." type:"path" default:".data" env:"PARLEY_DATA"`
	Show   show.Flags `embed:""`
}

// Help gives the order of the steps.
func (*RotateCmd) Help() string {
	return `The master key file holds several keys: one seals, all of them open. Nothing that was sealed before is lost. The
steps, in this order, with a new copy of the file to every node and a restart of each after the first two:

  1. parley keys rotate             adds a key, and says its id
  2. parley keys rotate --use ID    seals with it from now on
  3. parley keys rewrap             wraps the data keys of personal members anew

A node that has not got the file of step 1 cannot open what step 2 seals, so no node is left out in between. The
older keys stay in the file, and are never taken out of it: secrets of Clients, Projects, Trunks and ModelProviders
are sealed with them until these are applied anew, the credentials of channel connections and the secrets of tools
until they are given again, and so are backups.

Examples:
  parley keys rotate --data .data
  parley keys rotate --use 1894573210 --keyset /etc/parley/keyset.json`
}

// Run changes the file.
func (c *RotateCmd) Run() error {
	file := cmp.Or(c.Keyset, filepath.Join(c.Data, "keyset.json"))
	done, err := rotate(file, c.Use)
	if err != nil {
		return fmt.Errorf("keys rotate: %w", missing(file, err))
	}
	out := show.To(os.Stdout, c.Show)
	if out.JSON() {
		return out.Object(done)
	}
	return out.Say("%s", done)
}

// missing says how a keyset file is named that is not where it was looked for.
func missing(file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return exit.Wrongf("the keyset file %s is not there: name it with --keyset, or with --data the folder of the node that has it", file)
	}
	return err
}

// rotate adds a key, or has one seal.
func rotate(file string, use uint32) (rotated, error) {
	master, err := vault.Open(file)
	if err != nil {
		return rotated{}, err
	}
	if use != 0 {
		err := master.UseKey(use)
		if errors.Is(err, vault.ErrNoKey) {
			err = exit.Wrongf("--use: %s; parley keys rotate without --use adds one, and says its id", err)
		}
		return rotated{file, use, true}, err
	}
	id, err := master.AddKey()
	return rotated{file, id, false}, err
}

// rotated is what became of the file.
type rotated struct {
	File  string `json:"file"`
	Key   uint32 `json:"key"`
	Seals bool   `json:"seals"`
}

func (r rotated) String() string {
	if r.Seals {
		return fmt.Sprintf("key %d of %s seals from now on; give the file to every node, restart each, and then: "+
			"parley keys rewrap", r.Key, r.File)
	}
	return fmt.Sprintf("key %d was added to %s and seals nothing yet; give the file to every node, restart each, and then: "+
		"parley keys rotate --use %d", r.Key, r.File, r.Key)
}
