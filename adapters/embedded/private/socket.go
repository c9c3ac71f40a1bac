package private

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// socketPath are the folders that may hold the server's socket: both the list of the server's setting and that of a
// URL's hosts are split at commas, and no system takes a path of a socket that is much longer than this with its name.
var socketPath = regexp.MustCompile(`^/[A-Za-z0-9/._-]{1,80}$`)

// socketFolder is where the server listens beside its port, for who runs on this machine: a question over a socket file
// costs two thirds of one over loopback TCP. Empty where the folder takes none, as some shared folders do not; its port
// is enough.
func (f folder) socketFolder() string {
	if !socketPath.MatchString(f.home) {
		return ""
	}
	listener, err := net.Listen("unix", filepath.Join(f.home, ".s.attempt"))
	if err != nil {
		return ""
	}
	_ = listener.Close() // which removes the file
	return f.home
}

// clearSockets removes what a killed server left: its socket, and the note of its process's number, which may be another
// program's by now. Nothing works in the folder.
func (f folder) clearSockets() error {
	left, err := filepath.Glob(filepath.Join(f.home, ".s.*"))
	if err != nil {
		return err
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a stale socket: %w", err)
		}
	}
	return nil
}

// LocalURL is URL for clients on this machine: by the server's socket where there is one, else by its port.
func (p *Postgres) LocalURL() string {
	if p.sockets == "" {
		return p.URL()
	}
	port := strconv.Itoa(p.port)
	return p.urlAt(databaseName, "", url.Values{"host": {p.sockets + ",127.0.0.1"}, "port": {port + "," + port}})
}
