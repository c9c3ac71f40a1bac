package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-platform/parley/examples"
)

// socketFigure is what Parley adds to the first word of a model, on its way to a socket.
const socketFigure = "first delta on a socket, added"

// socketDeltas measures, for the time of a figure, from when the stub has written its first word to
// when that word is read from a web chat's socket. Each begins a session.
func (c *Command) socketDeltas(b *bench, s *stub, out *report) error {
	if err := b.appChannel("staging"); err != nil {
		return err
	}
	var all []time.Duration
	before, start := spent(), time.Now()
	for len(all) == 0 || time.Since(start) < c.For {
		took, err := b.socketDelta(s)
		if err != nil {
			return err
		}
		all = append(all, took)
	}
	f := figureOf(socketFigure, 1, all, time.Since(start), spent()-before)
	out.add(f.aim("p50 under 2 ms", f.P50 < 2))
	return nil
}

// appChannel makes a channel by which apps talk with what is deployed in an environment.
func (b *bench) appChannel(environment string) error {
	if _, err := b.ask(context.Background(), "/api/projects/"+b.work.Project+"/sdk-channels", map[string]string{"name": "bench",
		"channelType": "mobile_ios", "publicApiKeyId": "ak-acme-widget", "environment": environment}, http.StatusCreated); err != nil {
		return fmt.Errorf("making an SDK channel: %w", err)
	}
	return nil
}

// socketDelta says something on a socket, and waits for the first word of the answer.
func (b *bench) socketDelta(s *stub) (added time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	token, err := b.begins(ctx, b.node.URL())
	if err != nil {
		return 0, err
	}
	conn, _, err := websocket.Dial(ctx, b.node.URL()+webChatPath, &websocket.DialOptions{HTTPHeader: http.Header{"X-Sdk-Token": {token}}})
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.CloseNow() }()
	if err := conn.Write(ctx, websocket.MessageText, []byte(`{"type":"message","id":"1","text":"hello"}`)); err != nil {
		return 0, err
	}
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return 0, err
		}
		read := time.Now()
		var f struct{ Type, Role, Message string }
		if err := json.Unmarshal(data, &f); err != nil {
			return 0, err
		}
		switch said := f.Type == "delta" || f.Type == "message" && f.Role == "assistant"; {
		case said && added == 0: // a turn that is over before its delta is told says the whole instead
			added = read.Sub(*s.spoke.Load())
		case f.Type == "error":
			return 0, fmt.Errorf("a socket refuses: %s", f.Message)
		case f.Type == "turn_ended":
			if added == 0 {
				return 0, fmt.Errorf("a turn on a socket said nothing")
			}
			return added, nil
		}
	}
}

const webChatPath = "/api/v1/channels/web_chat/ws"

// begins is the token of a new session of an app, at a server.
func (b *bench) begins(ctx context.Context, at string) (token string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at+"/api/v1/sdk/init",
		bytes.NewReader(fmt.Appendf(nil, `{"projectId":%q}`, b.work.Project)))
	if err != nil {
		return "", err
	}
	r.Header.Set("X-Public-Key", examples.PublicKey)
	r.Header.Set("Content-Type", "application/json")
	res, err := b.client.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	var begun struct{ Token string }
	if text, _ := io.ReadAll(res.Body); json.Unmarshal(text, &begun) != nil || begun.Token == "" {
		return "", fmt.Errorf("a session of an app did not begin: %s", text)
	}
	return begun.Token, nil
}
