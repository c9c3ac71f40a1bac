package email

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Given a sender who has written so many mails in an hour, then no more are taken of them until it is over;
// other senders and mailboxes are not held up, and who is counted is bounded.
func TestSoManyMailsOfOneSender(t *testing.T) {
	s, now := &senders{}, time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	of := func(mailbox, sender string) author { return authorOf(mailbox, sender, checks{}) }
	for range mostAnHour {
		require.False(t, s.many(of("shop", "ann"), now))
		s.took(of("shop", "ann"), now)
	}
	require.True(t, s.many(of("shop", "ann"), now.Add(time.Hour-1)))
	require.False(t, s.many(of("desk", "ann"), now))
	require.False(t, s.many(of("shop", "bob"), now))
	require.False(t, s.many(of("shop", "ann"), now.Add(time.Hour)))
	for n := range mostSenders + 5 {
		s.took(of("shop", fmt.Sprint(n)), now)
	}
	require.LessOrEqual(t, len(s.of), mostSenders)
}
