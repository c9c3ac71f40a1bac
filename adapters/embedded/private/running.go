package private

import (
	"errors"
	"fmt"
	"github.com/parley-platform/parley/adapters/embedded/datafolder"
	"os"
	"path/filepath"
	"strings"
)

// PostgresAt is the URL, password included, of the server that another process runs
// in the folder.
func PostgresAt(dir string) (string, error) {
	home := dir
	note, err := os.ReadFile(filepath.Join(dir, locationFile))
	if err == nil {
		home = strings.TrimSpace(string(note))
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("looking for the private Postgres: %w", err)
	}
	secret, err := os.ReadFile(folder{home: home}.password())
	if err != nil {
		return "", fmt.Errorf("looking for the private Postgres: %w; run as the user that runs it, or name it with --database-url", err)
	}
	port := datafolder.RememberedPort(home)
	if port == 0 {
		return "", fmt.Errorf("%s does not say where its Postgres listens: name it with --database-url", home)
	}
	return (&Postgres{port: port, secret: strings.TrimSpace(string(secret))}).URL(), nil
}
