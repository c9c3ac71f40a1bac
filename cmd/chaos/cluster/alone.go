package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
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

// Salvage copies what is whole of the log in a folder into a new one, and gives what it
// said is missing.
func (c *Cluster) Salvage(ctx context.Context, data, to string) (said string, err error) {
	code, said, err := attempt(ctx, c.Dir, startWithin, c.Binary, "log", "salvage", "--data", data, "--to", to)
	if err == nil && code != 0 {
		err = fmt.Errorf("parley log salvage ended with %d: %s", code, said)
	}
	return said, err
}

// ServeAlone starts a node on the log in its folder, with empty read models, and gives how
// many calls it shows once it serves. It reaches neither the customer's server, since it
// is not for development, nor the provider of texts.
func (c *Cluster) ServeAlone(ctx context.Context, data string) (calls int, err error) {
	env, err := c.Nodes[0].Environment()
	if err != nil {
		return 0, err
	}
	url, err := c.emptyDatabase(ctx)
	if err != nil {
		return 0, err
	}
	listen, err := freeAddress()
	if err != nil {
		return 0, err
	}
	p, err := spawn(filepath.Join(c.Dir, "alone.log"), cleanEnvironment(), c.Binary, "serve", "--data", data, "--listen", listen,
		"--keyset", c.Keyset(), "--database-url", url)
	if err != nil {
		return 0, err
	}
	defer func() {
		_ = p.signal(syscall.SIGTERM)
		select {
		case <-p.done:
		case <-time.After(20 * time.Second):
			p.kill()
		}
	}()
	err = Until(ctx, time.Minute, "a node on a log of its own", func() error {
		if !p.running() {
			return errors.New("it ended; see alone.log")
		}
		calls, err = countCalls("http://"+listen, env)
		return err
	})
	return calls, err
}

// countCalls asks a node for its list of calls.
func countCalls(url string, env map[string]string) (int, error) {
	r, err := http.NewRequest(http.MethodGet, url+"/api/v1/projects/"+env["BOT_ID"]+"/interactions", nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+env["PARLEY_TOKEN"])
	res, err := health.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	var page struct{ Pagination struct{ Total int } }
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("the list of calls is answered with %s", res.Status)
	}
	if err := json.NewDecoder(res.Body).Decode(&page); err != nil {
		return 0, fmt.Errorf("reading the list of calls: %w", err)
	}
	return page.Pagination.Total, nil
}
