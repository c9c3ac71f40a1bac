// Package migrations holds the numbered SQL files that define every table. It
// owns no data: each table is filled from the log and may be dropped.
package migrations

import "embed"

// Files are the migrations in goose's format, in the order of their numbers.
//
//go:embed *.sql
var Files embed.FS
