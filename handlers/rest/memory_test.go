package rest_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

// allocated is what a function allocates, in bytes, whether or not it is freed at once:
// no collection that comes early or late changes it.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// lists is a body of so many bytes that is worth a hundred times as much when it is decoded.
func lists(size int) string { return "[" + strings.Repeat("[],", size/3-1) + "[]]" }

// Twenty connections without a credential post 1 MB each of what costs most to decode.
// All of them are refused as ever, and nothing is made of what they send.
func TestStrangersTakeNoMemory(t *testing.T) {
	const connections, most = 20, 8 << 20
	w := resttest.NewWorld(t)
	addr := serve(t, w)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	for _, c := range []struct {
		name, body string
		status     int
	}{
		{"an object of lists", `{"target":` + lists(rest.MaxBody-20) + `}`, 401},
		{"not an object", lists(rest.MaxBody - 3), 400},
		{"broken at the end", `{"target":` + lists(rest.MaxBody-20) + `]`, 400},
		{"too large", `{"target":` + lists(rest.MaxBody+20) + `}`, 413},
		{"one long text", `{"target":"` + strings.Repeat("x", rest.MaxBody-20) + `"}`, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			statuses := make([]int, connections)
			took := allocated(func() {
				var all sync.WaitGroup
				for i := range connections {
					all.Go(func() {
						r, _ := http.NewRequest(http.MethodPost, fmt.Sprintf("http://%s/calls/p-1", addr), strings.NewReader(c.body))
						resp, err := http.DefaultClient.Do(r)
						if err != nil {
							return
						}
						_, _ = io.Copy(io.Discard, resp.Body)
						_ = resp.Body.Close()
						statuses[i] = resp.StatusCode
					})
				}
				all.Wait()
			})
			for _, status := range statuses {
				require.Equal(t, c.status, status)
			}
			require.Less(t, took, uint64(most), "%d MiB", took>>20)
		})
	}
}

// What a node reckons for a body is at least what is held while its request is answered.
func TestWhatIsReckonedForABodyIsWhatItHolds(t *testing.T) {
	for name, metadata := range map[string]string{
		"many values": "[" + strings.Repeat("[],", 9_000) + "1]",
		"many names":  "{" + strings.TrimSuffix(strings.Repeat(`"a":{},`, 9_000), ",") + "}",
		"long texts":  `["` + strings.Repeat("x", 900<<10) + `"]`,
	} {
		t.Run(name, func(t *testing.T) {
			w := resttest.NewWorld(t)
			body := `{"target":"a","metadata":` + metadata + `}`
			reckoned := uint64(len(body))*rest.MadePerByte + uint64(strings.Count(body, ","))*rest.MadePerValue
			var status int
			took := allocated(func() { status = w.Call(http.MethodPost, "/calls/p-1", body, "auth", w.Token()).Status })
			require.Equal(t, 200, status)
			t.Logf("%d bytes: reckoned %d KiB, allocated in all %d KiB", len(body), reckoned>>10, took>>10)
			require.Less(t, took, 6*reckoned, "most of it is garbage by then")
		})
	}
}
