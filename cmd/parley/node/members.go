package node

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
)

// members remembers in the data folder under which names this node reads as which
// consumer groups. After a kill -9 the brokers keep those members for the session
// timeout, and their partitions wait; a node that comes back takes them out at once.
type members struct {
	file string
	log  *slog.Logger

	mu  sync.Mutex
	now map[string]map[string]string // member by group and topic
}

func newMembers(dir string, log *slog.Logger) *members {
	return &members{file: filepath.Join(dir, "members.json"), log: log, now: map[string]map[string]string{}}
}

// leave takes out the members of this folder's last process. The folder's lock says
// that it is gone.
func (m *members) leave(ctx context.Context, groups watermillkafka.Groups) {
	data, err := os.ReadFile(m.file)
	if err != nil {
		return // the first start, or one that ended well
	}
	old := map[string]map[string]string{}
	if err := json.Unmarshal(data, &old); err != nil {
		m.log.Warn("the file of group members is not readable, their sessions will end by themselves", "file", m.file, "error", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for group, byTopic := range old {
		for _, member := range byTopic {
			if err := groups.Leave(ctx, group, member); err != nil {
				m.log.Info("a former member of a group could not be taken out, its session will end by itself", "group", group, "error", err)
			}
		}
	}
}

// joined notes a member.
func (m *members) joined(group, topic, member string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now[group] == nil {
		m.now[group] = map[string]string{}
	}
	m.now[group][topic] = member
	data, err := json.Marshal(m.now)
	if err == nil {
		err = replaceFile(m.file, data)
	}
	if err != nil {
		m.log.Warn("group members could not be remembered; after a crash their partitions wait for the session timeout", "error", err)
	}
}

// forget is for a process that has left its groups.
func (m *members) forget() { _ = os.Remove(m.file) }

func replaceFile(file string, data []byte) error {
	next := file + ".new"
	if err := os.WriteFile(next, slices.Concat(data, []byte("\n")), 0o644); err != nil {
		return err
	}
	return os.Rename(next, file)
}
