package embeddedtest_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
)

func TestPartsAreFreshForEachTest(t *testing.T) {
	for round := range 2 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			brokers, databaseURL := embeddedtest.Parts(t)

			topics, err := (&kafka.Client{Addr: kafka.TCP(brokers...)}).Metadata(t.Context(), &kafka.MetadataRequest{})
			require.NoError(t, err)
			require.Empty(t, topics.Topics)

			conn := connect(t, databaseURL)
			_, err = conn.Exec(t.Context(), `CREATE TABLE seen (n int)`)
			require.NoError(t, err, "a table of an earlier test would be in the way")
		})
	}
}

func TestDropDatabaseCutsClientsOffAndLeavesAnEmptyOne(t *testing.T) {
	databaseURL := embeddedtest.Database(t)
	before := connect(t, databaseURL)
	_, err := before.Exec(t.Context(), `CREATE TABLE seen (n int)`)
	require.NoError(t, err)

	embeddedtest.DropDatabase(t, databaseURL)

	_, err = before.Exec(t.Context(), `SELECT 1`)
	require.Error(t, err, "the old connection is gone")
	var tables int
	err = connect(t, databaseURL).QueryRow(t.Context(), `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`).Scan(&tables)
	require.NoError(t, err)
	require.Zero(t, tables)
}

// A test process that is killed, as by a timeout, must not leave a server behind.
func TestServerEndsWithAKilledTestProcess(t *testing.T) {
	if os.Getenv("PARLEY_TEST_CHILD") != "" {
		fmt.Println("server " + embeddedtest.Database(t))
		select {}
	}
	childtest.Integration(t)
	child := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), "PARLEY_TEST_CHILD=1")
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	defer func() { _ = child.Process.Kill() }()
	databaseURL := readURL(t, bufio.NewScanner(out))
	_ = connect(t, databaseURL).Close(t.Context())

	require.NoError(t, child.Process.Kill())
	_ = child.Wait()

	require.Eventually(t, func() bool {
		conn, err := pgx.Connect(t.Context(), databaseURL)
		if err == nil {
			_ = conn.Close(t.Context())
		}
		return err != nil
	}, 30*time.Second, 20*time.Millisecond)
}

func readURL(t *testing.T, lines *bufio.Scanner) (databaseURL string) {
	t.Helper()
	for lines.Scan() {
		if _, err := fmt.Sscanf(lines.Text(), "server %s", &databaseURL); err == nil {
			return databaseURL
		}
	}
	t.Fatal("the child ended without a server")
	return ""
}

func connect(t *testing.T, databaseURL string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
