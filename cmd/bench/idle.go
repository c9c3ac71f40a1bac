package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	idleSockets     = 2000
	socketsOfOne    = 10  // sockets that a session may have
	mostSockets     = 100 // MiB
	idleConnections = 1000
	idleMore        = 5 // thousandths of a core, which is what two measurements of the same may differ by
)

// connected measures the server at rest once more, when it has many connections of channels.
func (s *server) connected(c *Command, b *bench, share float64, out *report) error {
	for n := range idleConnections {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.url+"/api/projects/"+b.work.Project+
			"/channel-connections", strings.NewReader(fmt.Sprintf(`{"channelType":"line","externalIdentifier":"Ubench%d","credentials":{`+
			`"channelSecret":"s","channelAccessToken":"t"}}`, n)))
		if err != nil {
			return err
		}
		r.Header.Set("auth", b.work.Token)
		r.Header.Set("Content-Type", "application/json")
		res, err := b.client.Do(r)
		if err != nil {
			return err
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusCreated {
			return fmt.Errorf("connection %d of a channel was answered with %d", n, res.StatusCode)
		}
	}
	_, with, err := s.rests(c)
	if err != nil {
		return err
	}
	f := figure{Name: fmt.Sprintf("the same with %d connections", idleConnections), Value: with, Unit: "‰ of a core"}
	out.add(f.aim(fmt.Sprintf("at most %d ‰ more", idleMore), with <= share+idleMore))
	return nil
}

// listens measures what the server holds more when so many sockets are open on which nobody says anything.
func (s *server) listens(b *bench, out *report) error {
	var open []net.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	before, err := s.memory()
	if err != nil {
		return err
	}
	token := ""
	for n := range idleSockets {
		if n%socketsOfOne == 0 {
			if token, err = b.begins(context.Background(), s.url); err != nil {
				return err
			}
		}
		c, err := idleSocket(s.url, token)
		if err != nil {
			return err
		}
		open = append(open, c)
		go answersPings(c)
	}
	time.Sleep(restFor) // what opening them has left behind is collected
	with, err := s.memory()
	if err != nil {
		return err
	}
	more := with - before
	out.add(figure{Name: "idle sockets", Clients: idleSockets, Value: more, Unit: "MiB more"}.
		aim(fmt.Sprintf("under %d MiB more", mostSockets), more < mostSockets))
	return nil
}

// idleSocket opens one by hand: it costs this process next to nothing.
func idleSocket(at, token string) (net.Conn, error) {
	host := strings.TrimPrefix(at, "http://")
	c, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	if _, err = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nX-SDK-Token: %s\r\n\r\n", webChatPath, host, token); err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(bufio.NewReaderSize(c, 16), nil)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusSwitchingProtocols {
		return nil, fmt.Errorf("a socket was answered with %d", answer.StatusCode)
	}
	return c, nil
}

// answersPings says on a socket that somebody is there, each time it is asked, until it is closed: the server would else
// wait for it, and close it.
func answersPings(c net.Conn) {
	frame := make([]byte, 2+125)
	for {
		if _, err := io.ReadFull(c, frame[:2]); err != nil {
			return
		}
		kind, size := frame[0]&0xf, int64(frame[1])
		if size > 125 { // the size stands behind this: no ping
			if _, err := io.ReadFull(c, frame[:2]); err != nil {
				return
			}
			size = int64(frame[0])<<8 | int64(frame[1])
		}
		if kind != 0x9 {
			if _, err := io.CopyN(io.Discard, c, size); err != nil {
				return
			}
			continue
		}
		if _, err := io.ReadFull(c, frame[:size]); err != nil {
			return
		}
		if _, err := c.Write(append([]byte{0x8a, 0x80 | byte(size), 0, 0, 0, 0}, frame[:size]...)); err != nil { // masked with nothing
			return
		}
	}
}
