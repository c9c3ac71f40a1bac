package embeddedtest

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// prefix marks the databases that a later test process may drop.
const prefix = "test_"

// Database makes an empty database for the test and returns its URL. The test
// process shares one server; the database is dropped when the test ends, whoever is
// still connected. Under -short it skips the test.
func Database(t testing.TB) (databaseURL string) {
	t.Helper()
	childtest.Integration(t)
	server := serverURL(t)
	name := prefix + strings.ReplaceAll(uuid.NewString(), "-", "")
	administer(t, server, `CREATE DATABASE `+name)
	t.Cleanup(func() { administer(t, server, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`) })
	return withDatabase(t, server, name)
}

var template struct {
	sync.Once
	name string
}

// Prepared is Database with what prepare makes of an empty one: that is made once in a test
// process, and copied. All calls must prepare the same, and leave no connection open.
func Prepared(t testing.TB, prepare func(databaseURL string) error) (databaseURL string) {
	t.Helper()
	childtest.Integration(t)
	server := serverURL(t)
	template.Do(func() {
		name := prefix + strings.ReplaceAll(uuid.NewString(), "-", "")
		administer(t, server, `CREATE DATABASE `+name)
		if err := prepare(withDatabase(t, server, name)); err != nil {
			t.Errorf("preparing the tests' database: %v", err)
			return
		}
		template.name = name
	})
	if template.name == "" {
		t.Fatal("there is no database for this test: an earlier one says why")
	}
	name := prefix + strings.ReplaceAll(uuid.NewString(), "-", "")
	administer(t, server, `CREATE DATABASE `+name+` TEMPLATE `+template.name)
	t.Cleanup(func() { administer(t, server, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`) })
	return withDatabase(t, server, name)
}

var shared struct {
	sync.Once
	url string
}

// SharedDatabase is one database for all tests of the process, for tests that clean up
// their rows: making and migrating one takes most of a second. prepare is called once.
// Nobody drops it: it goes when another process takes the server.
func SharedDatabase(t testing.TB, prepare func(databaseURL string) error) (databaseURL string) {
	t.Helper()
	childtest.Integration(t)
	shared.Do(func() {
		server := serverURL(t)
		name := prefix + strings.ReplaceAll(uuid.NewString(), "-", "")
		administer(t, server, `CREATE DATABASE `+name)
		url := withDatabase(t, server, name)
		if err := prepare(url); err != nil {
			t.Errorf("preparing the tests' database: %v", err)
			return
		}
		shared.url = url
	})
	if shared.url == "" {
		t.Fatal("there is no database for this test: an earlier one says why")
	}
	return shared.url
}

// DropDatabase throws the database of the URL away, cutting off whoever is
// connected, and makes it anew, empty: the accident that Parley recovers from by
// reading its log.
func DropDatabase(t testing.TB, databaseURL string) {
	t.Helper()
	name := nameOf(t, databaseURL)
	if !strings.HasPrefix(name, prefix) {
		t.Fatalf("DropDatabase drops databases made by Database only, not %q", name)
	}
	administer(t, databaseURL, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`, `CREATE DATABASE `+name)
}

// administer runs statements on the server's maintenance database.
func administer(t testing.TB, serverURL string, statements ...string) {
	t.Helper()
	if err := run(withDatabase(t, serverURL, "postgres"), statements...); err != nil {
		t.Fatal(err)
	}
}

func run(databaseURL string, statements ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func withDatabase(t testing.TB, databaseURL, name string) string {
	t.Helper()
	u := parse(t, databaseURL)
	u.Path = "/" + name
	return u.String()
}

func nameOf(t testing.TB, databaseURL string) string {
	t.Helper()
	return strings.TrimPrefix(parse(t, databaseURL).Path, "/")
}

func parse(t testing.TB, databaseURL string) *url.URL {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal("the database URL does not parse") // the error would show the password
	}
	return u
}
