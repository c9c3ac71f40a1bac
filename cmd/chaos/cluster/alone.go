package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// attempt runs a program to its end and gives its exit code and what it said, which stays
// in dir. One that still runs when the time is up is ended.
func attempt(ctx context.Context, dir string, within time.Duration, program string, args ...string) (code int, said string, err error) {
	out, err := os.CreateTemp(dir, "attempt-*.log")
	if err != nil {
		return 0, "", err
	}
	_ = out.Close()
	p, err := spawn(out.Name(), cleanEnvironment(), program, args...)
	if err != nil {
		return 0, "", err
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		p.kill()
		return 0, "", ctx.Err()
	case <-time.After(within):
		p.kill()
		err = fmt.Errorf("it still ran after %s; see %s", within, filepath.Base(out.Name()))
	}
	text, readErr := os.ReadFile(out.Name())
	return p.cmd.ProcessState.ExitCode(), string(text), errors.Join(err, readErr)
}

// startWithin is how long a node or broker may take to refuse its log.
const startWithin = 30 * time.Second

// TryNode starts a node on a folder that holds a log, with read models of its own that
// are empty, and gives its exit code and what it said.
func (c *Cluster) TryNode(ctx context.Context, data string) (code int, said string, err error) {
	url, err := c.emptyDatabase(ctx)
	if err != nil {
		return 0, "", err
	}
	return attempt(ctx, c.Dir, startWithin, c.Binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--keyset", c.Keyset(),
		"--database-url", url)
}

// emptyDatabase makes one anew.
func (c *Cluster) emptyDatabase(ctx context.Context) (url string, err error) {
	const name = "alone"
	for _, statement := range []string{`DROP DATABASE IF EXISTS ` + name + ` WITH (FORCE)`, `CREATE DATABASE ` + name} {
		if err := c.Database.Administer(ctx, statement); err != nil {
			return "", err
		}
	}
	return c.Database.Named(name), nil
}
