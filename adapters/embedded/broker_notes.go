package embedded

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/parley-platform/parley/adapters/embedded/logfolder"
)

// examine reads the whole log before the broker sees it: the broker would cut a
// segment at its first bad batch, and begin an empty partition anew.
func examine(cfg BrokerConfig) (*logfolder.Report, error) {
	found, err := logfolder.Scan(context.Background(), cfg.Dir, logfolder.ScanConfig{Known: cfg.Known, Progress: func(done, total int64) {
		cfg.Log.Info("the log is read before it is opened", "MiB", done>>20, "of", total>>20)
	}})
	if err != nil {
		return nil, err
	}
	for _, p := range found.Partitions {
		if p.Torn != nil && len(found.Damage) == 0 {
			cfg.Log.Warn("an incomplete last batch, which was acknowledged to nobody, is cut off", "where", p.Torn.String())
		}
	}
	cfg.Log.Debug("the log was read", "bytes", found.Bytes, "took", found.Took, "damage", len(found.Damage))
	return found, found.Err()
}

// notesSync is how often notes are made durable: a machine that loses power loses at
// most what was noted since. A process that is killed loses none.
const notesSync = time.Second

// keptNotes writes the notes while the broker runs.
type keptNotes struct {
	dir   string
	notes *logfolder.Notes
	log   *slog.Logger
	stop  chan struct{}
	done  chan struct{}

	mu     sync.Mutex
	topics map[[16]byte]string // by id, as newer clients name them
	failed bool
}

func keepNotes(cfg BrokerConfig, found *logfolder.Report) (*keptNotes, error) {
	notes, err := logfolder.OpenNotes(cfg.Dir, found)
	if err != nil {
		return nil, err
	}
	k := &keptNotes{dir: cfg.Dir, notes: notes, log: cfg.Log, topics: map[[16]byte]string{},
		stop: make(chan struct{}), done: make(chan struct{})}
	go k.sync()
	return k, nil
}

func (k *keptNotes) sync() {
	defer close(k.done)
	tick := time.NewTicker(notesSync)
	defer tick.Stop()
	for {
		select {
		case <-k.stop:
			return
		case <-tick.C:
			k.report(k.notes.Sync())
		}
	}
}

// report says once that notes cannot be written. The log is whole without them.
func (k *keptNotes) report(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if failed := err != nil; failed != k.failed {
		k.failed = failed
		if failed {
			k.log.Error("what was acknowledged is not noted, so a tail that is lost later may not be missed; look at the disk", "error", err)
		}
	}
}

func (k *keptNotes) close() error {
	close(k.stop)
	<-k.done
	return k.notes.Close()
}

// listen makes connections whose acknowledgements are noted before they leave.
func (k *keptNotes) listen(l net.Listener) net.Listener { return notingListener{l, k} }

// answered notes what an answer to a produce request acknowledges.
func (k *keptNotes) answered(version int16, body []byte) {
	answer := kmsg.NewPtrProduceResponse()
	answer.SetVersion(version)
	if answer.ReadFrom(body) != nil {
		return // the broker writes none that cannot be read
	}
	for _, t := range answer.Topics {
		name := t.Topic
		if version >= 13 {
			name = k.topic(t.TopicID)
		}
		for _, p := range t.Partitions {
			if p.ErrorCode == 0 && name != "" {
				k.report(k.notes.Acknowledge(name, int(p.Partition), p.BaseOffset))
			}
		}
	}
}

// topic is the name of the topic with an id, as the broker wrote it down.
func (k *keptNotes) topic(id [16]byte) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if name, known := k.topics[id]; known {
		return name
	}
	data, err := os.ReadFile(filepath.Join(k.dir, "log", "topics.json"))
	var file struct {
		Topics []struct {
			Name string `json:"name"`
			ID   []byte `json:"id"`
		} `json:"topics"`
	}
	if err := errors.Join(err, json.Unmarshal(data, &file)); err != nil {
		k.log.Warn("the topic of an acknowledgement is not known", "error", fmt.Errorf("topics.json: %w", err))
	}
	for _, t := range file.Topics {
		if len(t.ID) == len(id) {
			k.topics[[16]byte(t.ID)] = t.Name
		}
	}
	return k.topics[id]
}

// notingListener wraps what it accepts.
type notingListener struct {
	net.Listener
	notes *keptNotes
}

func (l notingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &notingConn{Conn: c, notes: l.notes}, nil
}

// notingConn looks at the heads of the requests that come in and at the answers to the
// produce requests among them. The broker writes each answer at once, in one piece,
// after it has made the batches durable.
type notingConn struct {
	net.Conn
	notes *keptNotes

	head [12]byte // of the request that is coming in: size, key, version, correlation
	have int      // bytes of the head that are here
	body int64    // bytes of the request that follow the head

	mu       sync.Mutex
	produced []produceRequest // that may still be answered, oldest first
}

type produceRequest struct {
	correlation int32
	version     int16
}

// readAhead is more than the requests of a connection that the broker reads before it
// has answered the one before. Produce requests that want no answer are forgotten by it.
const readAhead = 4

// Read implements net.Conn.
func (c *notingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	for rest := b[:n]; len(rest) > 0; {
		if c.body > 0 {
			skip := min(c.body, int64(len(rest)))
			rest, c.body = rest[skip:], c.body-skip
			continue
		}
		taken := copy(c.head[c.have:], rest)
		rest, c.have = rest[taken:], c.have+taken
		if c.have == len(c.head) {
			c.request()
		}
	}
	return n, err
}

// request looks at a head that is complete.
func (c *notingConn) request() {
	c.have = 0
	c.body = int64(binary.BigEndian.Uint32(c.head[:])) - 8
	if binary.BigEndian.Uint16(c.head[4:]) != uint16(kmsg.Produce) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.produced) == readAhead {
		c.produced = slices.Delete(c.produced, 0, 1)
	}
	c.produced = append(c.produced, produceRequest{int32(binary.BigEndian.Uint32(c.head[8:])), int16(binary.BigEndian.Uint16(c.head[6:]))})
}

// answers tells whether an answer is to a produce request, and of which version.
func (c *notingConn) answers(correlation int32) (version int16, produce bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.produced, func(r produceRequest) bool { return r.correlation == correlation })
	if i < 0 {
		return 0, false
	}
	version = c.produced[i].version
	c.produced = slices.Delete(c.produced, 0, i+1)
	return version, true
}

// Write implements net.Conn.
func (c *notingConn) Write(b []byte) (int, error) {
	if len(b) > 8 {
		if version, produce := c.answers(int32(binary.BigEndian.Uint32(b[4:]))); produce {
			body := b[8:]
			if version >= 9 { // tags of the head, which the broker leaves empty
				body = body[1:]
			}
			c.notes.answered(version, body)
		}
	}
	return c.Conn.Write(b)
}
