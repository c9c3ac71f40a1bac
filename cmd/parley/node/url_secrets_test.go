package node_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
)

// A URL that a caller gives may hold a token. It comes to the receiver as it was given,
// and stands nowhere else: not on the log, not in a read model, not in what is logged
// or shown.
func TestASecretInACallersURLIsNowhereButInTheRequest(t *testing.T) {
	t.Parallel()
	childtest.Integration(t)
	written := &logged{}
	c := newCluster(t)
	c.a = c.start(t, func(cfg *node.Config) {
		cfg.Logger = slog.New(slog.NewTextHandler(written, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	c.b = c.a
	w := newTransferDesk(t, c)
	hook := newURLReceiver(t)

	// given a call and two transfers whose URLs hold secrets, one in the query of the request
	var call placed
	notify := hook.url + "/calls?token=SECRET-of-a-call&b=%2F;c"
	c.a.do(t, "POST", dialOutPath, aCall().and(fields{"notifyurl": notify}), "auth", w.auth).must(t, 200).into(t, &call)
	w.staff(t, nil, "a-maria")
	inBody, inQuery := hook.url+"/transfers?token=SECRET-of-a-transfer", hook.url+"/queries?token=SECRET-of-a-query"
	w.ask(t, c.a, w.to(w.session(t, mainApp), toAgent("a-maria")).and(fields{"callbackUrl": inBody})).must(t, 200)
	query := url.Values{"callbackUrl": {inQuery}, "orgId": {w.id + "-org"}, "botSessionId": {w.session(t, mainApp)}, "aId": {"a-maria"}}
	c.a.do(t, "POST", assignPath+"?"+query.Encode(), nil, "auth", w.auth).must(t, 200)

	// and URLs that are refused, and one that nobody answers
	for _, wrong := range []string{"ftp://127.0.0.1/?token=SECRET-ftp", "https://me:SECRET-user@dialer.example/",
		"https://dialer.example:1:2/?SECRET-port", "http://169.254.169.254/?SECRET-private",
		"http://dialer.example/?SECRET-long=" + strings.Repeat("x", 2048)} {
		r := c.a.do(t, "POST", dialOutPath, aCall().and(fields{"notifyurl": wrong}), "auth", w.auth).must(t, 400)
		require.NotContains(t, r.Text, "SECRET")
		r = c.a.do(t, "POST", assignPath, w.to("s-1", toAgent("a-maria")).and(fields{"callbackUrl": wrong}), "auth", w.auth).must(t, 400)
		require.NotContains(t, r.Text, "SECRET")
	}
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	c.a.do(t, "POST", dialOutPath, aCall().and(fields{"notifyurl": dead.URL + "/?token=SECRET-unanswered"}), "auth", w.auth).must(t, 200)

	// and a transfer that was taken down before URLs were sealed
	before := hook.url + "/before?token=in-the-open"
	recorded := transfers.Requested{TransferID: uuid.NewString(), TenantID: w.id, ProjectID: mainApp, OrgID: w.id + "-org",
		SessionID:      w.session(t, mainApp),
		ConversationID: "c-old", Kind: transfers.KindOf("api"), CallbackURL: before, HumanAgentID: "a-maria", Turn: 1, At: time.Now().UTC()}
	_, err := eventstore.Execute(t.Context(), w.on.Store(), transfers.Transfers, transfers.Stream(recorded.TransferID),
		eventstore.Command{Tenant: w.id, Actor: "user:test", New: true},
		func(transfers.State) ([]event.Payload, error) {
			return []event.Payload{recorded, transfers.Offered{HumanAgentID: "a-maria", Attempt: 1, At: recorded.At}}, nil
		})
	require.NoError(t, err)

	// then each comes to exactly the URL that was given
	for _, given := range []string{notify, inBody, inQuery, before} {
		until(t, "a notice at "+given, func() bool { return hook.has(strings.TrimPrefix(given, hook.url)) })
	}
	until(t, "the attempt at a receiver that is gone", func() bool {
		return rowsWith(t, c.database, "deliveries", dead.URL+"/") > 0 && rowsWith(t, c.database, "deliveries", "retrying") > 0
	})

	// and nobody else has seen a secret
	for name, text := range map[string]string{
		"log": everyRecord(t, c.brokers), "read models": everyRow(t, c.database), "node's log": written.String(), "audit": wholeAudit(t, w),
	} {
		require.NotEmpty(t, text, name)
		for line := range strings.Lines(text) {
			require.NotContains(t, line, "SECRET-", "in the %s", name)
		}
	}
	require.True(t, strings.Contains(everyRecord(t, c.brokers), hook.url+`/calls"`), "host and path stay readable")
	require.NotZero(t, rowsWith(t, c.database, "deliveries", hook.url+"/transfers"))
	require.NotZero(t, rowsWith(t, c.database, "deliveries", hook.url+"/before"))
	require.Zero(t, rowsWith(t, c.database, "deliveries", "in-the-open"), "what an old event tells is not copied")
}

// urlReceiver notes the URLs at which it is asked.
type urlReceiver struct {
	url string
	mu  sync.Mutex
	got map[string]bool
}

func newURLReceiver(t *testing.T) *urlReceiver {
	t.Helper()
	r := &urlReceiver{got: map[string]bool{}}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got[q.RequestURI] = true
	}))
	t.Cleanup(s.Close)
	r.url = s.URL
	return r
}

func (r *urlReceiver) has(uri string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got[uri]
}

// logged is what a node wrote into its log.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String is all of it so far.
func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// everyRecord is all that stands on any topic: keys, values and headers, as they are.
func everyRecord(t *testing.T, brokers []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumeRegex(), kgo.ConsumeTopics(".*"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	require.NoError(t, err)
	defer client.Close()
	var all strings.Builder
	for left := ends(ctx, t, client); len(left) > 0; {
		client.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
			at := fmt.Sprint(r.Topic, "/", r.Partition)
			if end, open := left[at]; open && r.Offset+1 >= end {
				delete(left, at)
			}
			fmt.Fprintf(&all, "%s %s %s", r.Topic, r.Key, r.Value)
			for _, h := range r.Headers {
				fmt.Fprintf(&all, " %s=%s", h.Key, h.Value)
			}
			all.WriteByte('\n')
		})
		require.NoError(t, ctx.Err())
	}
	return all.String()
}

// ends are where the partitions end that have records.
func ends(ctx context.Context, t *testing.T, client *kgo.Client) map[string]int64 {
	t.Helper()
	topics, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, client)
	require.NoError(t, err)
	ask := kmsg.NewPtrListOffsetsRequest()
	ask.ReplicaID = -1
	for _, topic := range topics.Topics {
		if topic.IsInternal {
			continue
		}
		of := kmsg.NewListOffsetsRequestTopic()
		of.Topic = *topic.Topic
		for _, p := range topic.Partitions {
			end := kmsg.NewListOffsetsRequestTopicPartition()
			end.Partition, end.Timestamp = p.Partition, -1
			of.Partitions = append(of.Partitions, end)
		}
		ask.Topics = append(ask.Topics, of)
	}
	found, err := ask.RequestWith(ctx, client)
	require.NoError(t, err)
	out := map[string]int64{}
	for _, topic := range found.Topics {
		for _, p := range topic.Partitions {
			require.Zero(t, p.ErrorCode)
			if p.Offset > 0 {
				out[fmt.Sprint(topic.Topic, "/", p.Partition)] = p.Offset
			}
		}
	}
	require.NotEmpty(t, out)
	return out
}

func everyRow(t *testing.T, database string) string {
	t.Helper()
	db, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer db.Close(context.Background())
	rows, err := db.Query(t.Context(), `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename)
		FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.NotEmpty(t, tables)
	var all strings.Builder
	for _, table := range tables {
		var text *string
		require.NoError(t, db.QueryRow(t.Context(), `SELECT string_agg(x::text, E'\n') FROM `+table+` x`).Scan(&text), table)
		if text != nil {
			all.WriteString(*text + "\n")
		}
	}
	return all.String()
}

// rowsWith is how many rows of the table have the text in them.
func rowsWith(t *testing.T, database, table, text string) (n int) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer db.Close(context.Background())
	require.NoError(t, db.QueryRow(t.Context(), `SELECT count(*) FROM `+table+` x WHERE position($1 in x::text) > 0`, text).Scan(&n))
	return n
}

// wholeAudit is what GET /api/v1/events shows to one who may see everything.
func wholeAudit(t *testing.T, w *transferDesk) string {
	t.Helper()
	var all strings.Builder
	for _, e := range w.allEvents(t, w.on, "limit", "100") {
		all.WriteString(e.Stream + " " + string(e.Data) + "\n")
	}
	return all.String()
}
