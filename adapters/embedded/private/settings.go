package private

import (
	"context"
	"maps"
	"slices"
	"strconv"
)

// serverSettings tune a server that shares a small machine with Parley itself and holds
// nothing that the log could not give back. fsync stays on: with it off, a power cut
// would leave a cluster that does not start, and a rebuild is slower than a recovery.
// synchronous_commit is left to each client, which knows whether what it writes is
// derived (docs/architecture.md "Asynchronous commits and the gate").
var serverSettings = map[string]string{
	// Loopback TCP, and a socket in its own folder where that takes one, both with a
	// password.
	"listen_addresses":    "127.0.0.1",
	"password_encryption": "scram-sha-256",

	// One node's pools, its listeners, a psql beside them.
	"max_connections": "100",
	// COPY of a rebuild sorts and builds indexes.
	"maintenance_work_mem": "128MB",
	// Parallel plans want shared memory that containers do not have, and two cores.
	"max_parallel_workers_per_gather": "0",
	// Short queries: compiling them costs more than it saves.
	"jit": "off",
	// The disks of today seek almost as fast as they read on.
	"random_page_cost": "1.1",

	// Nobody replicates from here: the least write-ahead log, and bulk loads into
	// new tables skip it.
	"wal_level":       "minimal",
	"max_wal_senders": "0",
	// Rare, spread checkpoints: fewer whole-page images between them.
	"checkpoint_timeout":           "15min",
	"checkpoint_completion_target": "0.9",
	"max_wal_size":                 "2GB",

	// Checkpoint and lease rows are updated all the time: clean up after them early.
	"autovacuum_naptime":             "15s",
	"autovacuum_vacuum_scale_factor": "0.05",
	"autovacuum_vacuum_cost_limit":   "1000",

	"timezone":        "UTC",
	"log_timezone":    "UTC",
	"lc_messages":     "C", // errors that can be searched for
	"log_line_prefix": "%m [%p] ",
	"log_checkpoints": "off",
}

// pageCompressions are for the images of whole pages in the write-ahead log, the best
// first. Ids that do not grow with the time touch an index everywhere, so that with
// millions of events each insert brings such images: what the server always knows, pglz,
// then takes more of the cores than all the rest of it.
var pageCompressions = []string{"lz4", "zstd"}

// pageCompression is the best of them that these binaries were built with.
func pageCompression(ctx context.Context, f folder, b binaries) string {
	for _, name := range pageCompressions {
		if f.command(ctx, b.postgres(), "-C", "wal_compression", "-D", f.cluster(), "-c", "wal_compression="+name).Run() == nil {
			return name
		}
	}
	return "pglz"
}

// arguments are the server's command line. Settings are given here and not
// in a file of the cluster: a new version of Parley changes them by starting.
func (p *Postgres) arguments(compression string, extra map[string]string) []string {
	settings := maps.Clone(serverSettings)
	settings["shared_buffers"] = sharedBuffers(memoryAt("/"))
	settings["wal_compression"] = compression
	maps.Copy(settings, extra)
	settings["port"], settings["unix_socket_directories"] = strconv.Itoa(p.port), p.sockets
	args := []string{"-D", p.folder.cluster()}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	return args
}
