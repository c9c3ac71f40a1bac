// Package private runs a Postgres of this node's own: a server process made from the
// machine's own binaries, which ends with the process that started it.
//
// It owns the server, its account, its folder and what a killed process left behind in
// it. It never knows which tables are stored.
package private
