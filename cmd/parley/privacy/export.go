package privacy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
)

// ExportCmd hands out what is known of a person.
type ExportCmd struct {
	who    `embed:""`
	Out    string `help:"The ZIP to write; it must not exist." default:"person.zip" type:"path" env:"-" placeholder:"FILE"`
	asking `embed:""`
}

// Help is shown with --help.
func (*ExportCmd) Help() string {
	return `Whatever stands for one of the identities is handed out: name all that you know.
A token with the permission privacy:export is needed.

Examples:
  parley privacy export --telephone '+1 555 000 0001' --email ann@example.com
  parley privacy export --external C-4711 --out c-4711.zip
  unzip -p person.zip about.json
  parley events --category disclosures`
}

// Run exports.
func (c *ExportCmd) Run() error {
	if len(c.identities()) == 0 {
		return exit.Wrongf("whose data is it about? Name the person with --telephone, --email, --sip or --external")
	}
	return c.with(func(ctx context.Context, d desk) error { return d.export(ctx, c.identities(), c.Out) })
}

const exports = "/api/v1/privacy/exports"

// export writes the ZIP under its name once it is whole. Nobody else may read it.
func (d desk) export(ctx context.Context, of []identity, name string) (err error) {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return exit.Wrongf("%s is there already; say with --out where the ZIP goes", name)
	}
	part, err := os.OpenFile(name+".part", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("making the file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	size, err := d.client.Download(ctx, api.Post(exports, struct {
		Identities []identity `json:"identities"`
	}{of}), part)
	if err = errors.Join(err, part.Close()); err != nil {
		return err
	}
	if err := os.Rename(part.Name(), name); err != nil {
		return fmt.Errorf("naming the file: %w", err)
	}
	if d.out.JSON() {
		return d.out.Object(map[string]any{"file": name, "sizeBytes": size})
	}
	return d.out.Say("%s has what is known of the person: %d bytes", name, size)
}
