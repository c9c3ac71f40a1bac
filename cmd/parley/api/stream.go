package api

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// streamSilence is how long who follows waits for a word: three heartbeats.
const streamSilence = 45 * time.Second

// ended is what made the reader of a stream stop.
type ended struct{ error }

// Follow reads a stream of Server-Sent Events, and takes it up again where it was cut; each
// gets the data of an event, once and in order. It ends with the error of each, or when
// the context does, with nil. What cannot be reached at first is an error; later it is
// waited for, which is told once on notes.
func (c *Client) Follow(ctx context.Context, path string, q url.Values, notes io.Writer, each func(data []byte) error) error {
	last, delay, noted := "", leastPause, false
	for {
		before := last
		err := c.stream(ctx, path, q, &last, each)
		var refusal *Refusal
		var stop ended
		switch {
		case errors.As(err, &stop):
			return stop.error
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &refusal) && !refusal.Passing():
			return err
		case errors.As(err, &refusal):
			delay = max(delay, refusal.pause())
		case last == "":
			return err // never was connected
		}
		if last != before {
			delay, noted = leastPause, false
		}
		if !noted {
			why, _, _ := strings.Cut(cmp.Or(err, io.EOF).Error(), "\n")
			fmt.Fprintf(notes, "parley: the stream was cut (%s); going on where it was as soon as a node answers\n", why)
			noted = true
		}
		if wait(ctx, delay) != nil {
			return nil
		}
		delay = min(2*delay, mostPause)
	}
}

// stream reads one connection. last is the id of the last event that was read, or a
// position that the node gave.
func (c *Client) stream(ctx context.Context, path string, q url.Values, last *string, each func([]byte) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	quiet := time.AfterFunc(streamSilence, cancel) // a connection can die without a word
	defer quiet.Stop()
	call := Call{Method: http.MethodGet, Path: path, Query: q, Header: map[string]string{}}
	if *last != "" {
		call.Header["Last-Event-ID"] = *last
	}
	res, err := c.send(ctx, call, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	in := bufio.NewReaderSize(res.Body, 64<<10)
	var id string
	var data []byte
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return err
		}
		quiet.Reset(streamSilence)
		line = bytes.TrimRight(line, "\r\n")
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "id":
			id = string(value)
		case "data":
			data = append(data, value...)
		}
		if len(line) > 0 {
			continue
		}
		if id != "" {
			*last = id
		}
		if data != nil {
			if err := each(data); err != nil {
				return ended{err}
			}
		}
		id, data = "", nil
	}
}
