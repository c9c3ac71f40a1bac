package privacy

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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

One ZIP holds 10,000 streams, and begins no other after 2 GiB. What comes behind
them is written beside it: person-2.zip, person-3.zip, and so on.

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
	return c.with(func(ctx context.Context, d desk) error { return c.named(d.export(ctx, c.identities(), c.Out)) })
}

const exports = "/api/v1/privacy/exports"

// export writes the ZIP, and those that come behind it where one does not hold all.
func (d desk) export(ctx context.Context, of []identity, name string) error {
	after, file := "", name
	for n := 2; ; n++ {
		size, next, err := d.part(ctx, of, after, file)
		switch {
		case err != nil && after != "":
			return fmt.Errorf("what is known of the person is not whole without what comes behind %s: %w", after, err)
		case err != nil:
			return err
		}
		if err := d.written(file, size, next); err != nil || next == "" {
			return err
		}
		after, file = next, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, filepath.Ext(name)), n, filepath.Ext(name))
	}
}

func (d desk) written(file string, size int64, next string) error {
	switch {
	case d.out.JSON():
		return d.out.Object(map[string]any{"file": file, "sizeBytes": size, "more": next != ""})
	case next != "":
		return d.out.Say("%s has a part of what is known of the person: %d bytes; the next part comes", file, size)
	}
	return d.out.Say("%s has what is known of the person: %d bytes", file, size)
}

// part writes a ZIP under its name once it is whole, and tells behind what there is more. Nobody
// else may read it.
func (d desk) part(ctx context.Context, of []identity, after, name string) (size int64, next string, err error) {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return 0, "", exit.Wrongf("%s is there already; say with --out where the ZIP goes", name)
	}
	part, err := os.OpenFile(name+".part", os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return 0, "", fmt.Errorf("making the file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	size, err = d.client.Download(ctx, api.Post(exports, struct {
		Identities []identity `json:"identities"`
		After      string     `json:"after"`
	}{of, after}), part)
	if err == nil {
		next, err = behind(part, size)
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return 0, "", err
	}
	if err := os.Rename(part.Name(), name); err != nil {
		return 0, "", fmt.Errorf("naming the file: %w", err)
	}
	return size, next, nil
}

// behind is what more.json names, the last file of a ZIP that is not all.
func behind(part io.ReaderAt, size int64) (after string, err error) {
	z, err := zip.NewReader(part, size)
	if err != nil {
		return "", fmt.Errorf("reading the ZIP: %w", err)
	}
	file, err := z.Open("more.json")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	var more struct {
		After string `json:"after"`
	}
	if err == nil {
		defer func() { _ = file.Close() }()
		err = json.NewDecoder(file).Decode(&more)
	}
	if err == nil && more.After == "" {
		err = errors.New("it does not say behind what there is more")
	}
	if err != nil {
		return "", fmt.Errorf("reading more.json: %w", err)
	}
	return more.After, nil
}
