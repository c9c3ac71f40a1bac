package sockets

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
)

// What is read and written at once of a socket: of most messages all. What is larger goes past it. The server's own are
// eight times as large, and stay with each socket for as long as it is open.
const atOnce = 512

// sparing is a request's answer whose connection comes with small buffers.
type sparing struct{ http.ResponseWriter }

// Hijack takes the connection from the server, with what it has read of it already.
func (w sparing) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, large, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	before, err := large.Reader.Peek(large.Reader.Buffered())
	if err != nil {
		return nil, nil, err
	}
	in := bufio.NewReaderSize(bytes.NewReader(bytes.Clone(before)), max(atOnce, len(before)))
	if _, err := in.Peek(len(before)); err != nil {
		return nil, nil, err
	}
	return conn, bufio.NewReadWriter(in, bufio.NewWriterSize(conn, atOnce)), nil
}
