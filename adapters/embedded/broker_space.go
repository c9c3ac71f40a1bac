package embedded

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"syscall"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const defaultReserve = 64 << 20

// policyViolation is the code of Kafka for a request that the broker does not want
// to carry out: nothing was appended, and repeating it at once is of no use.
const policyViolation = 44

// diskGuard refuses to append while the disk is nearly full. Reading goes on, and so
// do the small writes of consumer groups. It opens by itself when there is room.
type diskGuard struct {
	cluster *kfake.Cluster
	folder  string
	reserve int64
	free    func(folder string) (int64, error)
	log     *slog.Logger
	refuses bool // only used by the cluster's one loop
}

func (g *diskGuard) install() {
	g.cluster.ControlKey(int16(kmsg.Produce), func(r kmsg.Request) (kmsg.Response, error, bool) {
		g.cluster.KeepControl()
		why := g.refusal()
		if why == "" {
			return nil, nil, false
		}
		return refuseAll(r.(*kmsg.ProduceRequest), why), nil, true
	})
}

// refusal is why nothing can be appended now; empty if it can.
func (g *diskGuard) refusal() string {
	free, err := g.free(g.folder)
	why := ""
	switch {
	case err != nil:
		why = fmt.Sprintf("the free space of %s cannot be told: %v", g.folder, err)
	case free < g.reserve:
		why = fmt.Sprintf("the disk of %s is full: %d MiB are free, %d are kept; make room, and it goes on by itself", g.folder, free>>20,
			g.reserve>>20)
	}
	if refuses := why != ""; refuses != g.refuses {
		g.refuses = refuses
		if refuses {
			g.log.Error("the embedded broker appends nothing", "why", why)
		} else {
			g.log.Info("the embedded broker appends again", "freeMiB", free>>20)
		}
	}
	return why
}

// refuseAll answers every partition of a request alike.
func refuseAll(r *kmsg.ProduceRequest, why string) kmsg.Response {
	out := r.ResponseKind().(*kmsg.ProduceResponse)
	for _, topic := range r.Topics {
		t := kmsg.NewProduceResponseTopic()
		t.Topic, t.TopicID = topic.Topic, topic.TopicID
		for _, partition := range topic.Partitions {
			p := kmsg.NewProduceResponseTopicPartition()
			p.Partition, p.ErrorCode = partition.Partition, policyViolation
			if r.Version >= 8 {
				p.ErrorMessage = &why
			}
			t.Partitions = append(t.Partitions, p)
		}
		out.Topics = append(out.Topics, t)
	}
	return out
}

// freeSpace is what this process may still write to the disk of a folder, in bytes.
func freeSpace(folder string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

// Room is how much may still be written to the disk of the log, and how much of that is
// left free: at less nothing is appended.
func (b *Broker) Room() (free, reserve int64, err error) {
	free, err = freeSpace(b.disk)
	return free, b.reserve, err
}

// Full is why nothing is appended at the moment; empty while it is. Anybody may read it: it
// names no folder.
func (b *Broker) Full() string {
	free, reserve, err := b.Room()
	if err == nil && free < reserve {
		return fmt.Sprintf("appends nothing: %d MiB are free on its disk, %d are kept", free>>20, reserve>>20)
	}
	return ""
}

// RoomAt is how much may still be written to the disk of the log that a folder holds, whether a
// broker runs there or not.
func RoomAt(dir string) (folder string, free int64, err error) {
	folder = LogFolder(dir)
	free, err = freeSpace(folder)
	return folder, free, err
}

// LogFolder is where the log is, in the folder of a broker.
func LogFolder(dir string) string { return filepath.Join(dir, "log") }
