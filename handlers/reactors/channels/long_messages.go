package channels

import (
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/turns"
)

// heard is what a session hears of a message, and how many characters of it that leaves out. A mail, or a post
// in a workspace, may be longer than a message of a session. Its provider was told that we have it, so who
// wrote it is answered all the same; all of it stands on the thread.
func heard(m threads.Received) (text string, leftOut int) {
	if sessions.Blank(m.Text) && len(m.Files) > 0 {
		return sessions.OnlyFiles, 0
	}
	all := []rune(m.Text)
	if len(all) <= turns.LongestText {
		return m.Text, 0
	}
	return string(all[:turns.LongestText]), len(all) - turns.LongestText
}
