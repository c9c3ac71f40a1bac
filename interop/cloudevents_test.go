//go:build interop

package interop

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// place is where a record stands on the log.
type place struct {
	Topic     string `json:"topic"`
	Partition int    `json:"partition"`
	Offset    int64  `json:"offset"`
}

// read is a record as an outside SDK read it.
type read struct {
	place
	Attributes map[string]any  `json:"attributes"`
	Data       json.RawMessage `json:"data"`
	Error      string          `json:"error"`
}

// event is a line of `parley events`: what counts, as Parley itself says it.
type event struct {
	ID          string          `json:"id"`
	Type        string          `json:"type"`
	Stream      string          `json:"stream"`
	Version     int64           `json:"version"`
	Time        time.Time       `json:"time"`
	Tenant      string          `json:"tenantId"`
	Actor       string          `json:"actor"`
	Correlation string          `json:"correlationId"`
	Data        json.RawMessage `json:"data"`
	Position    place           `json:"position"`
}

// SDKs that know nothing of Parley, each with a Kafka client of its language. That of
// JavaScript also has ajv hold what it read against the schema that the event names.
var cloudEventSDKs = map[string]func(t *testing.T, s Server) string{
	"Python": func(t *testing.T, s Server) string {
		return job{env: s.environ()}.run(t, pythonProgram(t, "python"), "interop/cloudevents/read.py")
	},
	"JavaScript": func(t *testing.T, s Server) string {
		dir, err := npm()
		require.NoError(t, err)
		return job{env: s.environ("NODE_PATH="+filepath.Join(dir, "node_modules"), "KAFKAJS_NO_PARTITIONER_WARNING=1")}.
			run(t, "node", "interop/cloudevents/read.cjs", "docs/schemas/events")
	},
}

// Given a server at work, when outside SDKs read all its topics from the beginning, then
// every record is a CloudEvent to them, and each event is what Parley says that it is.
func TestOutsideSDKsReadTheLogAsCloudEvents(t *testing.T) {
	t.Parallel()
	s := server(t)
	call := dialled(t, s)
	known := eventsOf(t, s)
	require.Contains(t, typesOf(known, "call-"+call), "parley.calls.completed.v1")
	schemas := schemasByID(t)
	for language, all := range cloudEventSDKs {
		t.Run(language, func(t *testing.T) {
			records := map[place]read{}
			for _, r := range decoded[read](t, all(t, s)) {
				assert.Empty(t, r.Error, r.place)
				records[r.place] = r
				switch schema, named := r.Attributes["dataschema"].(string); {
				case r.Attributes["source"] == "/parley/log":
					assert.Contains(t, logsOwn, r.Attributes["type"], r.place)
				case assert.True(t, named, "%v names no schema", r.place):
					assert.Contains(t, schemas, schema, r.place)
				}
			}
			for _, e := range known {
				requireSame(t, e, records[e.Position])
			}
			require.NotEmpty(t, sealedText.FindString(string(records[requestOf(t, known, call)].Data)), "a caller's number stands sealed")
			require.Equal(t, "parley.genesis.v1", records[place{Topic: "parley.calls"}].Attributes["type"])
			require.Equal(t, "parley.keyset.v1", records[place{Topic: "parley.keyset"}].Attributes["type"])
		})
	}
}

// logsOwn are the types of what Parley writes about the log itself.
var logsOwn = []any{"parley.genesis.v1", "parley.keyset.v1", "parley.keys-begun.v1", "parley.keys.v1"}

// What outsiders read where Parley, asked without its keyset, says "[sealed]" or null.
var (
	sealedText = regexp.MustCompile(`"~1\.[\w-]{22}\.[\w-]+"`)
	sealedJSON = regexp.MustCompile(`"~1j\.[\w-]{22}\.[\w-]+"`)
)

func requireSame(t *testing.T, e event, r read) {
	t.Helper()
	require.Equal(t, []any{"1.0", e.ID, e.Type, e.Stream, e.Tenant, fmt.Sprint(e.Version), "application/json"},
		[]any{r.Attributes["specversion"], r.Attributes["id"], r.Attributes["type"], r.Attributes["subject"], r.Attributes["tenant"],
			r.Attributes["version"], r.Attributes["datacontenttype"]}, e.Position)
	at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(r.Attributes["time"]))
	require.NoError(t, err)
	require.Equal(t, e.Time.UTC().Truncate(time.Millisecond), at.UTC().Truncate(time.Millisecond), e.Position)
	if e.Actor != "" {
		require.Equal(t, e.Actor, r.Attributes["actor"], e.Position)
	}
	if e.Correlation != "" {
		require.Equal(t, e.Correlation, r.Attributes["correlationid"], e.Position)
	}
	shut := sealedJSON.ReplaceAll(sealedText.ReplaceAll(r.Data, []byte(`"[sealed]"`)), []byte("null"))
	require.JSONEq(t, string(e.Data), string(shut), e.Position)
}

// dialled is a call that was made and has ended.
func dialled(t *testing.T, s Server) string {
	t.Helper()
	body := fmt.Sprintf(`{"botId":%q,"target":"tel:+15550000001","caller":%q,"machineDetection":"detect","notifyurl":%q}`,
		s.Env["BOT_ID"], s.Env["CALLER"], s.Env["NOTIFY_URL"])
	r, err := http.NewRequest("POST", s.URL+"/api/1.1/public/bot/"+s.Env["BOT_ID"]+"/assist/dialout", strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("auth", s.Env["PARLEY_TOKEN"])
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	var made struct {
		CallID string `json:"callId"`
	}
	require.NoError(t, json.NewDecoder(res.Body).Decode(&made))
	require.NotEmpty(t, made.CallID, res.Status)
	require.Eventually(t, func() bool {
		return strings.Contains(strings.Join(typesOf(eventsOf(t, s, "--stream", "call-"+made.CallID), "call-"+made.CallID), " "),
			"parley.calls.completed")
	}, patience, 200*time.Millisecond)
	return made.CallID
}

// eventsOf is what Parley says stands on the log, of all accounts.
func eventsOf(t *testing.T, s Server, filters ...string) []event {
	t.Helper()
	program, err := binary()
	require.NoError(t, err)
	return decoded[event](t, job{}.run(t, program, append([]string{"events", "--data", s.Data}, filters...)...))
}

// requestOf is where the request of a call stands.
func requestOf(t *testing.T, events []event, call string) place {
	t.Helper()
	for _, e := range events {
		if e.Stream == "call-"+call && e.Version == 1 {
			return e.Position
		}
	}
	require.Fail(t, "no request of "+call)
	return place{}
}

func typesOf(events []event, stream string) []string {
	var out []string
	for _, e := range events {
		if e.Stream == stream {
			out = append(out, e.Type)
		}
	}
	return out
}

// schemasByID are the ids of the committed schemas.
func schemasByID(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository, "docs", "schemas", "events", "*.json"))
	require.NoError(t, err)
	out := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var schema struct {
			ID string `json:"$id"`
		}
		require.NoError(t, json.Unmarshal(text, &schema))
		out[schema.ID] = file
	}
	require.Greater(t, len(out), 50)
	return out
}

// decoded reads lines of JSON. What else a program says is passed over.
func decoded[T any](t *testing.T, lines string) []T {
	t.Helper()
	var out []T
	in := bufio.NewScanner(strings.NewReader(lines))
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		if !strings.HasPrefix(in.Text(), "{") {
			continue
		}
		var one T
		require.NoError(t, json.Unmarshal(in.Bytes(), &one), in.Text())
		out = append(out, one)
	}
	require.NoError(t, in.Err())
	require.NotEmpty(t, out, lines)
	return out
}
