package turns

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/sessions"
)

// filesMember is the member of session.messageMetadata that tells of the files of a message. Where there are
// files it is ours, whatever the sender has put there.
const filesMember = "files"

// withFiles is what goes with the turn, with what is told of the files that came with its message.
func (c Receive) withFiles(s sessions.State) json.RawMessage {
	told := c.Files
	if told == nil {
		for _, id := range c.Attached {
			told = append(told, s.Attachment(id).Told())
		}
	}
	if len(told) == 0 {
		return c.Metadata
	}
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(c.Metadata, &members) // an object, or nothing
	members[filesMember] = encoded(told)
	return encoded(members)
}

// What begins the files of a message, as a model sees them.
const (
	sentAsFiles = "(Sent with it, as files:) "
	notReceived = "(Sent with it, and not received:) "
)

// filesTold is what a model is told of the files of a message: of those that came what they are, wherever the message
// stands, and of the others why not, in the message's own turn. Names are what the user says, so the guardrails
// have their say; what one of them blocks is not told.
func (m *machine) filesTold(line sessions.Line, now bool) (told string) {
	var came, missing []string
	for _, id := range line.Files {
		if a := m.s.Attachment(id); a != nil {
			came = append(came, fmt.Sprintf("%s (%s, %d bytes, attachment %s)", a.Name, a.ContentType, a.SizeBytes, a.ID))
		}
	}
	for _, f := range m.missed(now) {
		missing = append(missing, strings.TrimPrefix(f.Name+": "+f.Problem, ": "))
	}
	for _, part := range []struct {
		title string
		files []string
	}{{sentAsFiles, came}, {notReceived, missing}} {
		if len(part.files) == 0 {
			continue
		}
		text, _, blocked := m.guard("input", strings.Join(part.files, "; "))
		if blocked != nil {
			text = taken
		}
		told += "\n\n" + part.title + text
	}
	return told
}

// missed are the files of the turn's message that did not come: only channels have such.
func (m *machine) missed(now bool) []sessions.ToldFile {
	r := m.s.Talk.Running
	if !now || m.s.Thread == "" || r == nil {
		return nil
	}
	var sent struct{ Files []sessions.ToldFile }
	if json.Unmarshal(r.Metadata, &sent) != nil {
		return nil
	}
	return slices.DeleteFunc(sent.Files, func(f sessions.ToldFile) bool { return f.Problem == "" })
}

// pictures are those that go with each line, for models that see: the newest of all that a model may be shown.
func (m *machine) pictures(lines []sessions.Line) map[int][]completions.Picture {
	out, left := map[int][]completions.Picture{}, completions.MostPictures
	for i, l := range slices.Backward(lines) {
		for _, id := range slices.Backward(l.Files) {
			a := m.s.Attachment(id)
			if left == 0 || a == nil || !completions.IsPicture(a.ContentType, a.SizeBytes) {
				continue
			}
			out[i] = append(out[i], completions.Picture{AttachmentID: a.ID, ContentType: a.ContentType, Blob: a.Blob})
			left--
		}
		slices.Reverse(out[i])
	}
	return out
}
