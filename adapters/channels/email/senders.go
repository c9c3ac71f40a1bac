package email

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"time"
)

// Of one sender a mailbox takes so many mails an hour on a node: two machines that answer each other, and do
// not say that they are machines, come to an end by it. The others come again, as SMTP has them.
const (
	mostAnHour  = 60
	mostSenders = 100_000 // that are counted; then all begin anew
)

// senders counts mails by mailbox and sender. It keeps no mail, and nobody's address.
type senders struct {
	mu sync.Mutex
	of map[author]*hour
}

// author is who writes to a mailbox: a hash, however long the addresses are.
type author [sha256.Size]byte

// authorOf is one of a sender. Whoever says that he is somebody else uses up nothing of theirs: what is known
// to be of the sender is counted apart.
func authorOf(mailbox, sender string, known checks) author {
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %t", mailbox, sender, known.vouched()))
}

// hour is one that began with a mail.
type hour struct {
	since time.Time
	mails int
}

// at is the hour of an author; it holds mu.
func (s *senders) at(of author, now time.Time) *hour {
	if s.of == nil || len(s.of) >= mostSenders {
		s.of = map[author]*hour{}
	}
	h := s.of[of]
	if h == nil || now.Sub(h.since) >= time.Hour {
		h = &hour{since: now}
		s.of[of] = h
	}
	return h
}

// many is whether a mailbox has had as many mails of an author as it takes.
func (s *senders) many(of author, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at(of, now).mails >= mostAnHour
}

// took counts one.
func (s *senders) took(of author, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at(of, now).mails++
}
