package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/exports"
)

// Exports that a kill -9 interrupts anywhere end all the same: each succeeds once, and
// leaves one file.
func TestExportsOfANodeThatIsKilled(t *testing.T) {
	t.Parallel()
	data, listen := dataFolder(t), freeAddress(t)
	node := serveDev(t, data, listen)
	c := clientOf(node)
	path := "/api/public/bot/" + c.env["BOT_ID"] + "/search/app-export"
	jobs := make(chan string, 100)
	go func() { // until the node is no more
		defer close(jobs)
		for range cap(jobs) {
			var out struct{ JobID string }
			a, err := c.do(http.MethodPost, path, map[string]any{"features": []string{}}, "auth", c.env["PARLEY_TOKEN"])
			if err != nil || a.status != http.StatusOK {
				return
			}
			a.read(t, &out)
			jobs <- out.JobID
		}
	}()
	ids := []string{<-jobs, <-jobs, <-jobs}
	node.kill()
	for id := range jobs {
		ids = append(ids, id)
	}

	died := time.Now()
	node = serveDev(t, data, listen)
	c = clientOf(node)
	back := time.Now()
	var size int
	for _, id := range ids {
		require.NotEmpty(t, id)
		var job struct {
			Status   string
			FileInfo struct{ ExternalFileURL string }
		}
		node.await("export "+id, func() bool {
			a, err := c.do(http.MethodGet, path+"/jobs/"+id, nil, "auth", c.env["PARLEY_TOKEN"])
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, a.status, "%s", a)
			a.read(t, &job)
			return job.Status == "SUCCESS" || job.Status == "FAILED"
		})
		require.Equal(t, "SUCCESS", job.Status)
		res, err := http.Get(job.FileInfo.ExternalFileURL)
		require.NoError(t, err)
		file, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode)
		require.True(t, strings.HasPrefix(string(file), "PK"), "a zip")
		size = len(file)
		var stored []string
		require.NoError(t, filepath.WalkDir(data, func(name string, d os.DirEntry, err error) error {
			begun := strings.HasPrefix(d.Name(), ".new-") // what a kill left of a file; it has no name by which it is served
			if err == nil && d.Type().IsRegular() && strings.Contains(name, id) && !begun && !strings.HasSuffix(name, ".attrs") {
				stored = append(stored, name)
			}
			return nil
		}))
		require.Len(t, stored, 1, "one file")
	}
	done := time.Since(back)
	once, succeeded, begun := map[string]int{}, map[string]int{}, 0
	for _, r := range accepted(t, c.env["KAFKA_BROKERS"], exports.Jobs.Topic(), loginOf(t, c.env)) {
		switch {
		case strings.HasPrefix(r.Type, "parley.exports.requested."):
			once[exports.Jobs.StreamID(r.Stream)] = 1 // one whose answer the kill took is one too
		case strings.HasPrefix(r.Type, "parley.exports.succeeded."):
			succeeded[exports.Jobs.StreamID(r.Stream)]++
		case strings.HasPrefix(r.Type, "parley.exports.started."):
			begun++
		}
	}
	require.Equal(t, once, succeeded, "exports that succeeded, and how often")
	t.Logf("%d exports in %d attempts, the last of %d bytes; back after %s, all done %s later", len(ids), begun, size,
		back.Sub(died).Round(time.Millisecond), done.Round(time.Millisecond))
}
