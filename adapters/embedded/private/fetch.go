package private

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
	"github.com/parley-platform/parley/adapters/embedded/datafolder"
)

// fetchable are the versions that can be downloaded, by their major number.
var fetchable = map[int]embeddedpostgres.PostgresVersion{
	15: embeddedpostgres.V15,
	16: embeddedpostgres.V16,
	17: embeddedpostgres.V17,
	18: embeddedpostgres.V18,
}

const fetchedMajor = 17

// fetchBinaries downloads Postgres into the folder, once. The library has no call
// for that alone: it is told to start a throw-away server, from which we keep the
// programs. As root that server fails after the programs are there (the library
// does not change the user), so what counts is the programs and not its error.
func fetchBinaries(ctx context.Context, f folder, want int, log *slog.Logger) (binaries, error) {
	if want == 0 {
		want = fetchedMajor
	}
	version, ok := fetchable[want]
	if !ok {
		return binaries{}, fmt.Errorf("Postgres %d cannot be downloaded", want)
	}
	root := filepath.Join(f.home, "binaries", string(version))
	if b, err := inspect(ctx, filepath.Join(root, "bin")); err == nil {
		return b, nil
	}
	log.Info("this machine has no Postgres, downloading it", "version", string(version), "folder", root)
	failed := download(version, root)
	b, err := inspect(ctx, filepath.Join(root, "bin"))
	if err != nil {
		return binaries{}, fmt.Errorf("download Postgres %s: %w", version, errors.Join(failed, err))
	}
	return b, f.owner.own(filepath.Join(f.home, "binaries"))
}

func download(version embeddedpostgres.PostgresVersion, root string) error {
	scratch, err := os.MkdirTemp("", "parley-postgres-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	port, err := freePort()
	if err != nil {
		return err
	}
	server := embeddedpostgres.NewDatabase(embeddedpostgres.DefaultConfig().
		Version(version).
		Port(port).
		CachePath(filepath.Join(scratch, "archive")).
		RuntimePath(filepath.Join(scratch, "server")).
		DataPath(filepath.Join(scratch, "cluster")).
		BinariesPath(root).
		Logger(io.Discard))
	if err := server.Start(); err != nil {
		return err
	}
	return server.Stop()
}

func freePort() (uint32, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return uint32(datafolder.PortOf(l)), nil
}
