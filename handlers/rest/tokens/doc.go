// Package tokens knows who calls with a JWT: it issues and verifies tokens, fetches the
// key sets of clients that publish them, and notes what it refused. It never decides
// what a caller may do: domain/access does.
package tokens
