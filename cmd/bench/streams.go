package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	streamAgent  = "bench-stream"
	streamWords  = 20
	streamsBegin = 2 * time.Minute // in which all have begun
	mostStreams  = 150             // MiB more
	restFor      = 10 * time.Second
	// What a server takes that nobody asks anything, with what the runtime of agents may add to what it took
	// before (docs/benchmarks.md "An idle server").
	idleMemory = 84 + 40 // MiB
	idleCore   = 16 + 10 // thousandths
)

// streams measures a server of its own in which many turns are told at once, each by a model that
// has begun to answer, and one that does nothing.
func (c *Command) streams(b *bench, out *report) error {
	out.heading("a server at rest, and with streams")
	source := fmt.Sprintf("DSL: 1\nAGENT: %s\nGOAL: Help.\nMODEL: {ID: %s}\n", streamAgent, stubModel)
	stub, err := startStub()
	if err != nil {
		return err
	}
	defer stub.close()
	models := filepath.Join(b.cfg.Data, "models.yaml")
	if err := os.WriteFile(models, fmt.Appendf(nil, "providers: [{name: bench, kind: openai, baseUrl: %q, apiKeyEnv: PATH}]\n"+
		"models: [{id: %s, provider: bench}]\n", stub.url+"/v1", stubModel), 0o600); err != nil {
		return fmt.Errorf("writing the models: %w", err)
	}
	if err := b.makeAgent(streamAgent, source); err != nil {
		return err
	}
	if err := b.deployAgent("production", streamAgent); err != nil {
		return err
	}
	if err := b.appChannel("production"); err != nil {
		return err
	}
	b.close()
	most := strconv.Itoa(2*c.Streams + idleSockets/socketsOfOne + 100)
	s, err := c.serve(b, "--models", models, "--turns", most, "--waiting-messages", most, "--concurrent-sessions", most)
	if err != nil {
		return err
	}
	defer s.stop()
	mib, share, err := s.rests(c)
	if err != nil {
		return err
	}
	out.add(figure{Name: "idle server", Value: mib, Unit: "MiB"}.aim(fmt.Sprintf("at most %d MiB", idleMemory), mib <= idleMemory))
	out.add(figure{Name: "idle server, with Postgres", Value: share, Unit: "‰ of a core"}.aim(fmt.Sprintf("at most %d ‰", idleCore),
		share <= idleCore))
	if err := s.connected(c, b, share, out); err != nil {
		return err
	}
	if err := s.listens(b, out); err != nil {
		return err
	}
	return c.streamed(b, s, stub, out)
}

// rests measures a server of which nobody asks anything: what it holds, and how many thousandths of a core
// it takes, with its Postgres.
func (s *server) rests(c *Command) (mib, share float64, err error) {
	pid := s.cmd.Process.Pid
	used := func() (sum time.Duration) {
		all := processes()
		for p := range all {
			if under(all, p, pid) {
				sum += all[p].spent
			}
		}
		return sum
	}
	time.Sleep(restFor / 2) // what a start has left to do
	before, start := used(), time.Now()
	time.Sleep(max(c.For, restFor))
	share = 1000 * float64(used()-before) / float64(time.Since(start))
	mib, err = s.memory()
	return mib, share, err
}

func (c *Command) streamed(b *bench, s *server, stub *stub, out *report) error {
	for range 20 { // what is made once
		if err := s.stream(b, "hello"); err != nil {
			return err
		}
	}
	before, err := s.memory()
	if err != nil {
		return err
	}
	var lost atomic.Int32
	var why atomic.Value
	var all sync.WaitGroup
	work := begin()
	for range c.Streams {
		all.Go(func() {
			if err := s.stream(b, fmt.Sprintf("%s, then words %d", wantsHold, streamWords)); err != nil {
				lost.Add(1)
				why.Store(err.Error())
			}
		})
	}
	for int(stub.held.Load()+lost.Load()) < c.Streams && time.Since(work.start) < streamsBegin {
		time.Sleep(10 * time.Millisecond)
	}
	began := time.Since(work.start)
	during, err := s.memory()
	held := stub.held.Load()
	close(stub.release)
	all.Wait()
	if err != nil {
		return err
	}
	more := during - before
	f := figure{Name: "turns streamed at once", Clients: c.Streams, Value: more,
		Unit: fmt.Sprintf("MiB more, begun in %.1f s", began.Seconds())}
	out.add(f.aim(fmt.Sprintf("under %d MiB more, none lost", mostStreams), more < mostStreams && lost.Load() == 0 && int(held) == c.Streams))
	if n := lost.Load(); n > 0 {
		return fmt.Errorf("%d of %d streams were lost, the last one by: %v", n, c.Streams, why.Load())
	}
	return nil
}

// stream is a turn that is told to its end.
func (s *server) stream(b *bench, message string) error {
	body, _ := json.Marshal(map[string]string{"projectId": b.work.Project, "message": message})
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.url+chatAgentPath, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("auth", b.work.Token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	res, err := b.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	told, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK || !bytes.Contains(told, []byte("event: complete")) {
		return fmt.Errorf("status %d: %s", res.StatusCode, told)
	}
	return nil
}
