package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/adapters/embedded/child"
	"github.com/parley-platform/parley/cmd/parley/connect"
)

// mostMemory is what the server may hold after the queries, in MiB.
const mostMemory = 300

// queries measures reads over HTTP, and the memory of a server of its own, on what
// the history left.
func (c *Command) queries(b *bench, out *report) error {
	out.heading(fmt.Sprintf("reads at %d events", c.Events))
	s, err := c.serve(b)
	if err != nil {
		return err
	}
	defer s.stop()
	call, err := s.someCall(b)
	if err != nil {
		return err
	}
	day := time.Now().UTC().AddDate(0, 0, -2).Format(time.DateOnly)
	project := url.PathEscape(b.work.Project)
	month := "from=" + time.Now().UTC().AddDate(0, 0, -historyDays).Format(time.RFC3339)
	figures := "/api/projects/" + project + "/analytics"
	for _, q := range []struct {
		name, method, path, body string
		aim                      func(figure) figure
	}{
		{"one scope", "GET", "/aaa/api/public/apps/" + project + "/scopes/" + b.work.Scope, "", pointAim},
		{"events of one call", "GET", "/api/v1/events?stream=call-" + call, "", pointAim},
		{"call details of one day", "POST", "/agentassist/api/public/analytics/account/" + b.work.Account + "/calldetails",
			fmt.Sprintf(`{"startDate":%q,"endDate":%q,"timeZoneOffset":0}`, day, day), dayAim},
		{"events of one day, a page", "GET", "/api/v1/events?since=" + day + "T00:00:00Z", "", dayAim},
		{"metrics by hour over 30 days", "GET", figures + "/metrics?groupBy=hour&" + month, "", dayAim},
		{"p95 by hour over 30 days", "GET", figures + "/metrics?groupBy=hour&metrics=p95_duration&" + month, "", dayAim},
		{"analytics events page", "GET", figures + "/events?" + month, "", dayAim},
		{"interactions, a page", "GET", "/api/v1/projects/" + project + "/interactions", "", func(f figure) figure { return f }},
	} {
		f, err := timed(q.name, c.For, 1, func(ctx context.Context) error { _, err := s.ask(ctx, b, q.method, q.path, q.body); return err },
			nothing)
		if err != nil {
			return err
		}
		out.add(q.aim(f))
	}
	mib, err := s.memory()
	if err != nil {
		return err
	}
	out.add(figure{Name: "memory of the server", Value: mib, Unit: "MiB"}.aim(fmt.Sprintf("under %d MiB", mostMemory), mib < mostMemory))
	return nil
}

func pointAim(f figure) figure { return f.aim("p99 under 5 ms", f.P99 < 5) }

func dayAim(f figure) figure { return f.aim("p95 under 50 ms", f.P95 < 50) }

// server is a `parley serve` of its own.
type server struct {
	cmd  *exec.Cmd
	gone <-chan struct{}
	url  string
	out  bytes.Buffer
}

// serve starts a server on the log and the database of the history: with embedded
// parts these are in the folder.
func (c *Command) serve(b *bench, more ...string) (*server, error) {
	address, err := unusedAddress()
	if err != nil {
		return nil, err
	}
	args := []string{"serve", "--data", b.cfg.Data, "--listen", address, "--rate", "1000000", "--log-level", "error"}
	args = append(args, more...)
	if !b.embedded {
		args = append(args, "--roles", "api,projector")
		args = append(args, "--kafka-brokers", strings.Join(c.KafkaBrokers, ","), "--database-url", b.cfg.DatabaseURL)
		args = append(args, arguments(c.KafkaFlags)...)
	}
	s := &server{cmd: exec.Command(c.Parley, args...), url: "http://" + address}
	s.cmd.Stderr, s.cmd.Stdout = &s.out, &s.out
	child.Tie(s.cmd, syscall.SIGKILL)
	if s.gone, err = child.Start(s.cmd); err != nil {
		return nil, fmt.Errorf("starting a server: %w", err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		res, err := http.Get(s.url + "/readyz")
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return s, nil
			}
		}
		if time.Now().After(deadline) {
			s.stop()
			return nil, fmt.Errorf("the server is not ready after a minute: %s", s.out.String())
		}
	}
}

// arguments are the flags again.
func arguments(k connect.KafkaFlags) []string {
	var out []string
	if k.KafkaTLS {
		out = append(out, "--kafka-tls")
	}
	for _, f := range [][2]string{{"--kafka-ca", k.KafkaCA}, {"--kafka-sasl", k.KafkaSASL}, {"--kafka-user", k.KafkaUser},
		{"--kafka-password-file", k.KafkaPasswordFile}} {
		if f[1] != "" {
			out = append(out, f[0], f[1])
		}
	}
	return out
}

func unusedAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("finding a free port: %w", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	<-s.gone
}

// ask sends one request as the workspace's client.
func (s *server) ask(ctx context.Context, b *bench, method, path, body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(path, "/aaa/") {
		req.Header.Set("x-api-key", b.work.APIKey)
	} else {
		req.Header.Set("auth", b.work.Token)
		req.Header.Set("Authorization", "Bearer "+b.work.Token)
	}
	req.Header.Set("accountId", b.work.Account)
	req.Header.Set("iid", b.work.Project)
	req.Header.Set("Content-Type", "application/json")
	res, err := b.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: status %d: %s", method, path, res.StatusCode, answer)
	}
	return answer, err
}

// someCall is a call of the history.
func (s *server) someCall(b *bench) (string, error) {
	answer, err := s.ask(context.Background(), b, "GET", "/api/v1/projects/"+url.PathEscape(b.work.Project)+"/interactions?limit=1&offset=100",
		"")
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(string(answer), `"conversationId":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if _, err := uuid.Parse(id); err != nil {
		return "", fmt.Errorf("finding a call of the history: %w", err)
	}
	return id, nil
}

// memory is the resident memory of the server's process, in MiB.
func (s *server) memory() (float64, error) {
	data, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(s.cmd.Process.Pid), "status"))
	if err != nil {
		return 0, fmt.Errorf("reading the server's memory: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		var kb float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kb); err == nil {
			return kb / 1024, nil
		}
	}
	return 0, fmt.Errorf("the server's memory is not known")
}
