package proxy

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Kafka is what the links from one node to the brokers share: where each broker is
// to be found, and how many of the next produces are to be held.
type Kafka struct {
	mu    sync.Mutex
	links map[string]string // address of a broker, as it names itself, to that of its link
	holds []*Held
}

// Held is one produce that is kept back on its way to the broker, or whose
// acknowledgement is kept back on its way to the node.
type Held struct {
	Answer bool          // the acknowledgement and not the request
	For    time.Duration // how long
	taken  atomic.Int64  // when it was taken, in Unix nanoseconds; 0: nothing came to be held
	freed  atomic.Int64
}

// Taken says whether a produce came to be held, and whether it was let go since.
func (h *Held) Taken() (taken, freed bool) { return h.taken.Load() > 0, h.freed.Load() > 0 }

// NewKafka is a Kafka without brokers; Open adds them.
func NewKafka() *Kafka { return &Kafka{links: map[string]string{}} }

func (k *Kafka) add(broker, link string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.links[broker] = link
}

// HoldNext keeps back the next produce that passes any of the links.
func (k *Kafka) HoldNext(answer bool, howLong time.Duration) *Held {
	h := &Held{Answer: answer, For: howLong}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.holds = append(k.holds, h)
	return h
}

// Release forgets the holds that nothing came for.
func (k *Kafka) Release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.holds = nil
}

func (k *Kafka) take(answer bool) *Held {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, h := range k.holds {
		if h.Answer == answer {
			k.holds = append(k.holds[:i:i], k.holds[i+1:]...)
			return h
		}
	}
	return nil
}

// holdRequest keeps a produce back. The node hangs up meanwhile and tries again on
// another connection; this one to the broker stays open, and what was held is
// delivered late, as a network does that lost its way for a while.
func (k *Kafka) holdRequest(l *Link, frame []byte) (held bool) {
	if requestOf(frame).key != keyProduce {
		return false
	}
	h := k.take(false)
	h.wait(l)
	return h != nil
}

func (k *Kafka) holdAnswer(l *Link, of kind) {
	if of.key == keyProduce {
		k.take(true).wait(l)
	}
}

func (h *Held) wait(l *Link) {
	if h == nil {
		return
	}
	h.taken.Store(time.Now().UnixNano())
	defer func() { h.freed.Store(time.Now().UnixNano()) }()
	timer := time.NewTimer(h.For)
	defer timer.Stop()
	for {
		l.mu.Lock()
		over, changed := l.closed || l.cut, l.changed
		l.mu.Unlock()
		if over {
			return
		}
		select {
		case <-timer.C:
			return
		case <-changed:
		}
	}
}

// The keys of the requests that matter here.
const (
	keyProduce         = int16(kmsg.Produce)
	keyMetadata        = int16(kmsg.Metadata)
	keyFindCoordinator = int16(kmsg.FindCoordinator)
	keyDescribeCluster = int16(kmsg.DescribeCluster)
)

// kind is what an answer answers.
type kind struct{ key, version int16 }

// answers remembers what was asked on a connection, by correlation id.
type answers struct {
	mu    sync.Mutex
	kinds map[int32]kind
}

func requestOf(frame []byte) kind {
	if len(frame) < 12 {
		return kind{key: -1}
	}
	return kind{int16(binary.BigEndian.Uint16(frame[4:])), int16(binary.BigEndian.Uint16(frame[6:]))}
}

func (a *answers) asked(frame []byte) {
	if len(frame) < 12 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kinds[int32(binary.BigEndian.Uint32(frame[8:]))] = requestOf(frame)
}

func (a *answers) of(frame []byte) kind {
	if len(frame) < 8 {
		return kind{key: -1}
	}
	id := int32(binary.BigEndian.Uint32(frame[4:]))
	a.mu.Lock()
	defer a.mu.Unlock()
	k, ok := a.kinds[id]
	if !ok {
		return kind{key: -1}
	}
	delete(a.kinds, id)
	return k
}

// mostFrame bounds a frame, in bytes.
const mostFrame = 128 << 20

// readFrame reads one request or answer with its length in front.
func readFrame(from io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > mostFrame {
		return nil, fmt.Errorf("a frame of %d bytes", n)
	}
	frame := make([]byte, 4+n)
	copy(frame, size[:])
	if _, err := io.ReadFull(from, frame[4:]); err != nil {
		return nil, err
	}
	return frame, nil
}

// rewrite puts the addresses of the links in the place of those of the brokers.
func (k *Kafka) rewrite(of kind, frame []byte) []byte {
	var answer kmsg.Response
	switch of.key {
	case keyMetadata:
		answer = kmsg.NewPtrMetadataResponse()
	case keyFindCoordinator:
		answer = kmsg.NewPtrFindCoordinatorResponse()
	case keyDescribeCluster:
		answer = kmsg.NewPtrDescribeClusterResponse()
	default:
		return frame
	}
	answer.SetVersion(of.version)
	head := 8 // length, correlation id
	if answer.IsFlexible() {
		head++ // no tags in the header
	}
	if len(frame) < head || answer.ReadFrom(frame[head:]) != nil {
		return frame
	}
	k.readdress(answer)
	out := answer.AppendTo(append([]byte(nil), frame[:head]...))
	binary.BigEndian.PutUint32(out, uint32(len(out)-4))
	return out
}

func (k *Kafka) readdress(answer kmsg.Response) {
	switch a := answer.(type) {
	case *kmsg.MetadataResponse:
		for i := range a.Brokers {
			k.replace(&a.Brokers[i].Host, &a.Brokers[i].Port)
		}
	case *kmsg.FindCoordinatorResponse:
		k.replace(&a.Host, &a.Port)
		for i := range a.Coordinators {
			k.replace(&a.Coordinators[i].Host, &a.Coordinators[i].Port)
		}
	case *kmsg.DescribeClusterResponse:
		for i := range a.Brokers {
			k.replace(&a.Brokers[i].Host, &a.Brokers[i].Port)
		}
	}
}

func (k *Kafka) replace(host *string, port *int32) {
	k.mu.Lock()
	link, ok := k.links[net.JoinHostPort(*host, strconv.Itoa(int(*port)))]
	k.mu.Unlock()
	if !ok {
		return
	}
	h, p, _ := net.SplitHostPort(link)
	n, _ := strconv.Atoi(p)
	*host, *port = h, int32(n)
}
