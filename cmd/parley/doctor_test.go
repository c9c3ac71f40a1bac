package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/embedded/private"
	"github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/adapters/vault"
)

// Given a node that runs, then the doctor finds nothing; and given each of the faults
// that it looks for, then it says which, what to do, and fails when it is one.
func TestDoctorFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	node := serveDev(t, data, freeAddress(t), "--sip-listen", fmt.Sprintf("%s:%d", siptest.Host, siptest.FreePort(t)))
	examine := func(wanted int, words ...string) string {
		t.Helper()
		said, code := run(t, append([]string{"doctor", "--data", data}, words...)...)
		require.Equal(t, wanted, code, said)
		return said
	}
	healthy := examine(0, "--scan")
	// Six of manifests, and four credentials of the workspace's channel connections.
	for _, line := range []string{"all 10 sealed secrets open with this key", "no read model misses a commit", "records behind the log",
		"reactor dialer", "events accepted"} {
		require.Contains(t, healthy, line)
	}
	require.NotContains(t, healthy, "FAILURE")
	require.NotContains(t, healthy, "warning")
	said, code := run(t, "events", "--data", data, "--category", "tenants", "-n", "1")
	require.Zero(t, code, said)
	require.Contains(t, said, "parley.tenants.defined.v1", "it finds the broker's login by itself, as the doctor does")

	require.NotContains(t, healthy, "cn-acme-slack", "no provider is asked without --ask-providers")
	asked := examine(0, "--ask-providers")
	require.Regexp(t, `ok +cn-acme-slack +of tenant acme, slack A0ACME:T0ACME: its provider knows the credential`, asked)
	require.Contains(t, asked, "cn-acme-sms")
	recorder := environment(t, data)["CHANNEL_RECORDER_URL"]
	revoked, err := node.http.Post(recorder+"/faults", "application/json", strings.NewReader(`{"channelType":"slack","does":"revoked"}`))
	require.NoError(t, err)
	require.NoError(t, revoked.Body.Close())
	asked = examine(1, "--ask-providers")
	flat := strings.Join(strings.Fields(asked), " ")
	require.Regexp(t, `FAILURE +cn-acme-slack .*Slack does not accept the credentials[^-]*invalid_auth`, flat)
	require.Contains(t, asked, "update-channel-connection")

	deaf := map[string]any{"provider": "sip", "address": fmt.Sprintf("%s:%d", siptest.Host, siptest.FreePort(t)), "username": "acme",
		"password": "secret", "optionsSeconds": 5}
	c := clientOf(node)
	c.must(t, http.MethodPost, "/api/v1/admin/apply", map[string]any{"manifests": []any{map[string]any{"kind": "Trunk",
		"metadata": map[string]any{"name": "deaf", "tenant": "acme"}, "spec": deaf}}}, "auth", c.env["PARLEY_TOKEN"])
	node.await("the trunk to be missed", func() bool {
		flat = strings.Join(strings.Fields(examine(0)), " ")
		return strings.Contains(flat, "warning trunks trunk deaf of acme does not answer:")
	})
	require.Contains(t, flat, "see spec.fallbacks")

	other := filepath.Join(t.TempDir(), "keyset.json")
	_, err = vault.Create(other)
	require.NoError(t, err)
	wrong := examine(1, "--keyset", other)
	require.Contains(t, wrong, "sealed secrets do not open with this key")
	require.Regexp(t, `is not the keyset of log .*: its fingerprint is [0-9a-f]{16}, that of the log's keyset is [0-9a-f]{16}`, wrong)
	require.Contains(t, examine(1, "--keyset", other+"-gone"), "is not there")

	byHand(t, data, `INSERT INTO nodes (node, seen_at, settings)
		VALUES ('node-unlike', now() + interval '1 minute', '{"--rate": "5"}')`)
	flat = strings.Join(strings.Fields(examine(0)), " ")
	require.Regexp(t, `warning nodes --rate is not the same on all: node-[0-9a-f]{8} has [0-9]+, node-unlike has 5 -> start all`, flat)
	node.await("/readyz to name it", func() bool {
		a, err := c.do(http.MethodGet, "/readyz", nil)
		return err == nil && strings.Contains(a.String(), `"unlike":["--rate"]`)
	})
	byHand(t, data, `DELETE FROM nodes WHERE node = 'node-unlike'`)

	appendForeign(t, data)
	require.Contains(t, examine(0, "--scan"), "1 malformed, first at parley.tenants/0 offset")

	setAsideByHand(t, data)
	require.Contains(t, examine(1), "parley rebuild voice-setup")
	run(t, "rebuild", "--data", data, "voice-setup")
	require.Contains(t, examine(0), "no read model misses a commit")

	node.terminate()
	require.Zero(t, node.exit(patience))
	require.Contains(t, examine(0), "nobody projects")
}

// appendForeign writes what no node would have written.
func appendForeign(t *testing.T, data string) {
	t.Helper()
	broker, login, err := embedded.BrokerAt(filepath.Join(data, "kafka"))
	require.NoError(t, err)
	mechanism, err := login.Mechanism()
	require.NoError(t, err)
	client := &kafka.Client{Addr: kafka.TCP(broker), Transport: &kafka.Transport{SASL: mechanism}}
	_, err = client.Produce(t.Context(), &kafka.ProduceRequest{Topic: "parley.tenants", Partition: 0, RequiredAcks: kafka.RequireAll,
		Records: kafka.NewRecordReader(kafka.Record{Key: kafka.NewBytes([]byte("stranger")), Value: kafka.NewBytes([]byte("hello"))})})
	require.NoError(t, err)
}

func setAsideByHand(t *testing.T, data string) {
	t.Helper()
	byHand(t, data, `INSERT INTO projection_errors (commit_id, model, model_version, topic, partition, log_offset, stream,
		version, type, tenant, error)
		SELECT commit_id, 'voice setup', 1, topic, partition, log_offset, stream, version, type, tenant, 'value too long' FROM events
		WHERE topic = 'parley.trunks' LIMIT 1`)
}

// byHand changes what is in a node's database.
func byHand(t *testing.T, data, statement string) {
	t.Helper()
	url, err := private.PostgresAt(filepath.Join(data, "postgres"))
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	_, err = conn.Exec(t.Context(), statement)
	require.NoError(t, err)
}

// Given a node that has ended, when a command wants its broker, then it says that the node has to run; and given
// what the page on backups says to copy of its folder, in an empty one, when the doctor looks at it before a node
// has started there, then it looks at log and key, and says that the read models come with the node.
func TestAFolderThatWasRestoredIsExaminedBeforeItsFirstStart(t *testing.T) {
	t.Parallel()
	data, restored := dataFolder(t), dataFolder(t)
	begunAndEnded := func(data string) {
		p := serve(t, data, freeAddress(t))
		p.terminate()
		require.Zero(t, p.exit(patience))
	}
	begunAndEnded(data)
	for _, command := range []string{"topics", "reactor list", "events -n 1"} {
		said, code := run(t, append(strings.Fields(command), "--data", data)...)
		require.Equal(t, 1, code, said)
		require.Contains(t, said, "the node of "+data+" does not run")
		require.Contains(t, said, "parley serve --data "+data)
	}
	for _, part := range []string{"kafka", "blobs"} {
		require.NoError(t, os.CopyFS(filepath.Join(restored, part), os.DirFS(filepath.Join(data, part))))
	}
	key, err := os.ReadFile(filepath.Join(data, "keyset.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(restored, "keyset.json"), key, 0o600))
	said, code := run(t, "doctor", "--data", restored)
	require.Zero(t, code, said)
	require.NotContains(t, said, "FAILURE")
	require.NotContains(t, said, "SQLSTATE")
	require.Regexp(t, `warning +read models +there are none: no node has started`, said)
	require.Contains(t, said, "the one of log")
	begunAndEnded(restored)
	said, code = run(t, "doctor", "--data", restored)
	require.Zero(t, code, said)
	require.NotContains(t, said, "there are none")
	require.Contains(t, said, "no read model misses a commit")
}
