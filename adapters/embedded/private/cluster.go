package private

import (
	"context"
	"crypto/rand"
	"fmt"
	"github.com/parley-platform/parley/adapters/embedded/datafolder"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// ensureCluster makes the cluster at the first start and returns the password of
// its one user.
func ensureCluster(ctx context.Context, f folder, b binaries, cfg PostgresConfig) (string, error) {
	if f.hasCluster() {
		return readPassword(f)
	}
	secret := rand.Text()
	if err := datafolder.Note(f.password(), secret); err != nil {
		return "", err
	}
	if err := f.owner.own(f.password()); err != nil {
		return "", err
	}
	cfg.Log.Info("making a Postgres cluster", "folder", f.cluster(), "binaries", b.dir)
	if err := initialise(ctx, f, b, cfg.Settings["fsync"] != "off"); err != nil {
		return "", err
	}
	return secret, nil
}

// initialise makes the cluster under another name first: a cluster under its own
// name is a whole one, whenever this process may have been killed. The other name is
// new each time: the initdb of a process that was just killed may still be removing
// its own.
func initialise(ctx context.Context, f folder, b binaries, durable bool) error {
	const unfinishedMark = ".unfinished-"
	leftovers, err := filepath.Glob(f.cluster() + unfinishedMark + "*")
	if err != nil {
		return err
	}
	for _, l := range leftovers {
		_ = os.RemoveAll(l) // somebody may be at it; what stays goes at a later start
	}
	if err := os.RemoveAll(f.cluster()); err != nil {
		return err
	}
	unfinished := f.cluster() + unfinishedMark + rand.Text()[:8]
	runtime.LockOSThread() // initdb ends when the thread that started it does
	defer runtime.UnlockOSThread()
	args := []string{"--pgdata", unfinished, "--username", databaseUser, "--pwfile", f.password(),
		"--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--data-checksums"}
	if !durable {
		args = append(args, "--no-sync")
	}
	out, err := f.command(ctx, b.initdb(), args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w\n%s\nfree space in %s and its permissions are the usual causes", err, strings.TrimSpace(string(out)),
			f.home)
	}
	return os.Rename(unfinished, f.cluster())
}

func readPassword(f folder) (string, error) {
	text, err := os.ReadFile(f.password())
	if err != nil {
		return "", fmt.Errorf("the password of the private Postgres: %w; delete %s and start again: the read models come back from the log", err,
			f.home)
	}
	return strings.TrimSpace(string(text)), nil
}
