// Command serve is the server of rooms of our tests as a program, for clients that are no Go: its first line says where it
// is, and it ends with its input. GET /asked tells what its server API was asked.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/parley-platform/parley/adapters/livekit/livekittest"
)

func main() {
	if err := run(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	s, err := livekittest.New(os.Getenv("LIVEKIT_API_KEY"), os.Getenv("LIVEKIT_API_SECRET"))
	if err != nil {
		return err
	}
	var mu sync.Mutex
	asked := []map[string]string{}
	s.Asked = func(r *http.Request, body []byte) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, map[string]string{"path": r.URL.Path, "body": string(body),
			"token": strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")})
	}
	rooms := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/asked" {
			rooms.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		_ = json.NewEncoder(w).Encode(asked)
	})
	if _, err := fmt.Println(s.URL); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
