package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// desk is where somebody works on the command line beside a node, with nothing but the node's data folder.
type desk struct {
	t    *testing.T
	data string
}

// code is how a command ended.
func code(err error) int {
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	return 0
}

// does runs a command that has to succeed, and returns what it printed.
func (u desk) does(args ...string) string {
	u.t.Helper()
	printed, said, err := tool(u.t, nil, append(args, "--data", u.data)...)
	require.NoError(u.t, err, "parley %s: %s", strings.Join(args, " "), said)
	return printed
}

// fails runs a command that has to end with the code, and returns what it said.
func (u desk) fails(wanted int, env []string, args ...string) string {
	u.t.Helper()
	printed, said, err := tool(u.t, env, append(args, "--data", u.data)...)
	require.Equal(u.t, wanted, code(err), "parley %s: %s%s", strings.Join(args, " "), printed, said)
	return said
}

// objects are the lines of -o json.
func (u desk) objects(args ...string) (all []map[string]any) {
	u.t.Helper()
	for line := range strings.Lines(u.does(append(args, "-o", "json")...)) {
		var one map[string]any
		require.NoError(u.t, json.Unmarshal([]byte(line), &one), line)
		all = append(all, one)
	}
	return all
}

// Given a node of serve --dev, then the product's work is done from the command line with
// its data folder alone.
func TestTheProductIsWorkedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	node := spawn(t, data, freeAddress(t), "--dev", "--sim-speed", "10")
	node.awaitReady()
	require.FileExists(t, filepath.Join(data, "dev.env"), "who waits for /readyz can work")
	u := desk{t, data}
	t.Run("calls", u.calls)
	t.Run("keys", u.keys)
	t.Run("what happens", u.happenings)
	t.Run("what goes wrong", func(t *testing.T) { u.wrongs(t, environment(t, data)) })
}

func (u desk) calls(t *testing.T) {
	u.t = t
	require.Contains(t, u.does("calls"), "place one with: parley call")
	told := u.does("call", "+1 555 000-0001", "--machine-detection", "detect", "--follow")
	for _, wanted := range []string{"calls.requested", "tel:+15550000001 from 15550100", "“Hello, this is Acme support",
		"amd_human_detected",
		"calls.completed", "\ncompleted  "} {
		require.Contains(t, told, wanted)
	}
	require.Contains(t, u.fails(3, nil, "call", "+15550000005", "-f"), "is placed")
	ended := u.objects("call", "+15550000009", "-f")
	require.Len(t, ended, 1)
	require.Equal(t, "completed", ended[0]["status"])

	all := u.objects("calls")
	require.Len(t, all, 3)
	require.Equal(t, ended[0], all[0], "the newest first")
	require.Len(t, u.objects("calls", "--status", "failed"), 1)
	require.Len(t, u.objects("calls", "-n", "1", "--offset", "1"), 1)
	id := all[0]["conversationId"].(string)
	require.Contains(t, u.does("calls"), id, "no terminal: whole")
	require.Contains(t, u.does("calls", id), "status       completed")
	require.Equal(t, all[0], u.objects("calls", id)[0])
}

func (u desk) keys(t *testing.T) {
	u.t = t
	secret := u.does("keys", "create", "--scope", "main", "--name", "billing")
	require.Regexp(t, `^sk_[0-9A-Za-z]{43}$`, secret)
	second := u.objects("key", "create", "--scope", "main", "--name", "reports")[0]
	require.Regexp(t, `^sk_`, second["apikey"])

	byName := func() map[string]string {
		ids := map[string]string{}
		for _, k := range u.objects("keys") {
			ids[k["name"].(string)] = k["keyId"].(string)
		}
		return ids
	}
	ids := byName()
	require.Equal(t, second["key_id"], ids["reports"])
	require.Contains(t, u.does("keys", "list", "--scope", "main"), "billing")
	require.Contains(t, u.does("keys", "scope"), "RUN_API")
	require.Contains(t, u.does("keys", "revoke", ids["billing"]), "is revoked")
	require.NotContains(t, byName(), "billing")
	said := u.fails(2, []string{"PARLEY_API_KEY=" + secret}, "keys", "scope")
	require.Contains(t, said, "UNAUTHORIZED", "it opens nothing any more")
	require.Contains(t, u.fails(2, nil, "keys", "revoke", secret), "by its id")
	require.Contains(t, u.fails(2, nil, "keys", "revoke", ids["billing"]), "parley keys list")
}

// Given a campaign that cannot end by itself meanwhile, for its calls take as long as in life
// and go one by one, then it is started, paused, resumed and looked at.
func TestCampaignsAreWorkedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	u := desk{t, dataFolder(t)}
	serveDev(t, u.data, freeAddress(t), "--sim-speed", "1", "--campaign-lines", "1")
	const id = "cd-acme-renewals"
	require.Contains(t, u.does("campaigns"), id)
	require.Contains(t, u.fails(2, nil, "campaigns", "results", id), "parley campaigns start")
	require.Contains(t, u.does("campaigns", "start", id), "Campaign Started: run cid-")
	require.Contains(t, u.fails(2, nil, "campaigns", "start", id), "CONFLICT")
	require.Equal(t, "Paused", u.objects("campaigns", "pause", id)[0]["status"])
	require.Contains(t, u.does("campaigns", "show", id), "status        Paused")
	require.Contains(t, u.does("campaigns", "resume", id), "Campaign Resumed")
	var run map[string]any
	require.Eventually(t, func() bool {
		run = u.objects("campaigns", "results", id)[0]
		return run["totalContacts"] == 13.0
	}, patience, 20*time.Millisecond, "its contacts are listed")
	require.Contains(t, u.does("campaigns", "results", id, "--run", run["campaignInstanceId"].(string)), "contacts   13")
	require.Contains(t, u.fails(2, nil, "campaigns", "show", "cd-none"), "NOT_FOUND")
}

func (u desk) happenings(t *testing.T) {
	u.t = t
	require.Equal(t, 4, strings.Count(u.does("tail", "--since", "1h", "--category", "calls", "-n", "4")+"\n", "\n"))
	for _, e := range u.objects("tail", "--since", "1h", "--type", "parley.calls.completed", "-n", "1") {
		require.Equal(t, "parley.calls.completed.v1", e["type"])
		require.NotEmpty(t, e["position"])
	}

	// Ctrl-C ends it without a word, and so does a reader that has seen enough.
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	following := exec.CommandContext(ctx, binary(t), "tail", "--since", "1h", "--data", u.data)
	following.Env = clean(os.Environ())
	out, err := following.StdoutPipe()
	require.NoError(t, err)
	var said strings.Builder
	following.Stderr = &said
	require.NoError(t, following.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, following.Process.Signal(syscall.SIGINT))
	require.NoError(t, following.Wait())
	require.Empty(t, said.String())

	// Also when all was written before it goes, and nothing happens any more.
	piped := exec.CommandContext(ctx, "bash", "-c", `"$0" tail --since 1h --data "$1" | { read -r line; sleep 1; echo "$line"; }`,
		binary(t), u.data)
	piped.Env = clean(os.Environ())
	printed, err := piped.CombinedOutput()
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(printed), "\n"), "%s", printed)
}

func (u desk) wrongs(t *testing.T, env map[string]string) {
	u.t = t
	for about, x := range map[string]struct {
		code   int
		env    []string
		args   string
		wanted []string
	}{
		"a bad number":          {2, nil, "call 12", []string{"target", "VALIDATION_ERROR", "request tr-"}},
		"an unknown call":       {2, nil, "calls none", []string{"NOT_FOUND", "parley calls lists them"}},
		"an unknown project":    {2, nil, "calls --project none", []string{"NOT_FOUND", "--project"}},
		"an old token":          {2, []string{"PARLEY_TOKEN=a.b.c"}, "calls", []string{"UNAUTHORIZED", "parley token", "dev.env"}},
		"of another tenant":     {2, []string{"PARLEY_TOKEN=" + env["TENANT2_TOKEN"]}, "call +15550000001", []string{"NOT_FOUND", "--project"}},
		"two credentials":       {2, nil, "calls --token x --api-key y", []string{"auth", "x-api-key"}},
		"nobody there":          {1, []string{"PARLEY_TOKEN=x"}, "tail --url http://127.0.0.1:1", []string{"127.0.0.1:1", "parley serve --dev"}},
		"another server":        {2, nil, "tail --url http://127.0.0.1:1", []string{"PARLEY_TOKEN", "a token is needed"}},
		"a filter of no sense":  {2, nil, "tail --category cals", []string{"category"}},
		"a time of no sense":    {2, nil, "tail --since yesterday", []string{"--since"}},
		"a status that is none": {2, nil, "calls --status done", []string{"--status", "completed"}},
	} {
		said := u.fails(x.code, x.env, strings.Fields(x.args)...)
		for _, w := range x.wanted {
			require.Contains(t, said, w, about)
		}
	}
	narrow, said, err := tool(t, nil, "token", "--client", "acme-console", "--account", "acme", "--permissions", "none", "--scopes",
		"Assist Dialout", "--secret-file", write(t, "secret", "development-only-client-secret-of-acme-console"))
	require.NoError(t, err, said)
	mine := []string{"PARLEY_TOKEN=" + narrow}
	require.Contains(t, u.fails(2, mine, "tail"), "audit:read")
	require.Contains(t, u.fails(2, mine, "calls"), "session:read")
	require.Contains(t, u.fails(2, mine, "campaigns"), "Campaign Management")
	require.Contains(t, u.fails(0, mine, "call", "+15550000009", "-f"), "its status alone", "it is followed all the same")
}

// Given a node whose broker has a fixed address, then the tools find it by the data folder,
// and find it again when that was moved.
func TestToolsFindABrokerOfAMovedFolder(t *testing.T) {
	t.Parallel()
	data, broker := dataFolder(t), freeAddress(t)
	tools := func(data string) {
		t.Helper()
		u := desk{t, data}
		require.Contains(t, u.does("topics"), "parley.calls")
		require.Contains(t, u.does("reactor", "list"), "dialer")
		require.NotContains(t, u.does("doctor"), "FAILURE")
		require.Contains(t, u.does("rebuild", "access"), "rebuilt access")
	}
	node := serve(t, data, freeAddress(t), "--kafka-listen", broker)
	tools(data)
	node.terminate()
	require.Zero(t, node.exit(patience))

	moved := filepath.Join(filepath.Dir(data), "moved")
	require.NoError(t, os.Rename(data, moved))
	t.Cleanup(func() { _ = os.Rename(moved, data) }) // after the node, before what looks for orphans there
	serve(t, moved, freeAddress(t), "--kafka-listen", broker)
	tools(moved)
}
