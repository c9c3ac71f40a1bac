package channelstest

import (
	"context"
	"net/http"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
)

// Drafter is an Adapter that shows messages while they are still being written, as handlers/reactors/channels
// wants it.
type Drafter interface {
	Drafts(to string) (channels.Drafts, bool)
	Draft(ctx context.Context, c channels.Connection, d channels.Draft) channels.Outcome
}

// Drafts is how a provider shows a message that is still being written.
type Drafts struct {
	To      string // where it does that
	Nowhere string // where it does not; empty: everywhere else it does
	// Problem is what it finds wrong with a request: for a draft that it shows for the first time, for one
	// that it shows already, or for the message that takes its place, each of Outbound's text.
	Problem func(step string, r *http.Request, body []byte) string
	Taken   Reply  // of a draft
	ID      string // that the draft has then; empty: drafts are not kept
	Edited  Reply  // of the message that takes its place
	Gone    Reply  // the draft is not there any more
}

// The steps of a draft.
const (
	DraftFirst = "first"
	DraftAgain = "again"
	DraftFinal = "final"
)

// drafting holds of adapters that show what is being written.
var drafting = []check{
	{"what is being written is shown, asked for as the provider wants it", drafts},
	{"a message takes the place of its draft", replaced},
	{"a draft that is not there any more loses no message", lost},
	{"without credentials, and beyond the limits, no draft is shown", undrafted},
}

// drafter is the adapter at base, and how it shows drafts.
func (s Suite) drafter(t T, base string) (Drafter, channels.Drafts) {
	adapter, err := s.New(base)
	require.NoError(t, err)
	by := adapter.(Drafter)
	how, shows := by.Drafts(s.Drafts.To)
	assert.True(t, shows)
	assert.Equal(t, s.Drafts.ID != "", how.Kept)
	assert.Positive(t, how.Every)
	return by, how
}

func (s Suite) draft(text string) channels.Draft {
	return channels.Draft{Shown: channels.Shown{Reference: "s-1/1/1"}, To: s.Drafts.To, Text: text, Number: 1}
}

func drafts(t T, s Suite) {
	problem, step := "", DraftFirst
	p := serve(func(w http.ResponseWriter, r *http.Request, body []byte) {
		problem = s.Drafts.Problem(step, r, body)
		s.Drafts.Taken.writes(w, r, body)
	})
	defer p.Close()
	by, _ := s.drafter(t, p.URL)
	if s.Drafts.Nowhere != "" {
		_, shows := by.Drafts(s.Drafts.Nowhere)
		assert.False(t, shows, s.Drafts.Nowhere)
	}
	d, want := s.draft(s.Outbound.Text), channels.Outcome{Status: channels.Taken, ProviderMessageID: s.Drafts.ID}
	for _, step = range []string{DraftFirst, DraftAgain} {
		p.asked.Store(0)
		assert.Equal(t, want, by.Draft(t.Context(), s.Connection, d), step)
		assert.Empty(t, problem, "what the provider finds wrong, %s", step)
		assert.EqualValues(t, 1, p.asked.Load())
		d.ID, d.Number = want.ProviderMessageID, 2
	}
}

// final is the message that takes the place of a draft.
func (s Suite) final() channels.Outbound {
	m := s.Outbound
	m.To, m.Choices, m.Fields = s.Drafts.To, nil, nil
	m.Shown = channels.Shown{Reference: "s-1/1/1", ID: s.Drafts.ID}
	return m
}

func replaced(t T, s Suite) {
	problem := ""
	p := serve(func(w http.ResponseWriter, r *http.Request, body []byte) {
		problem = s.Drafts.Problem(DraftFinal, r, body)
		s.Drafts.Edited.writes(w, r, body)
	})
	defer p.Close()
	if _, how := s.drafter(t, p.URL); !how.Kept {
		return
	}
	for range 2 { // again comes to the same
		p.asked.Store(0)
		out := s.send(t, t.Context(), p.URL, s.final())
		assert.Equal(t, channels.Outcome{Status: channels.Taken, ProviderMessageID: s.Drafts.ID}, out)
		assert.Empty(t, problem)
		assert.EqualValues(t, 1, p.asked.Load())
	}
}

func lost(t T, s Suite) {
	asked := 0
	p := serve(func(w http.ResponseWriter, r *http.Request, body []byte) {
		if asked++; asked == 1 {
			s.Drafts.Gone.writes(w, r, body)
			return
		}
		s.Provider.Taken.Reply.writes(w, r, body)
	})
	defer p.Close()
	if _, how := s.drafter(t, p.URL); how.Kept {
		assert.Equal(t, s.Provider.Taken.Want, s.send(t, t.Context(), p.URL, s.final()))
	}
}

func undrafted(t T, s Suite) {
	p := serve(s.Drafts.Taken.writes)
	defer p.Close()
	by, _ := s.drafter(t, p.URL)
	bare := s.Connection
	bare.Credentials = nil
	assert.True(t, by.Draft(t.Context(), bare, s.draft("x")).Denied)
	adapter := by.(Adapter)
	assert.Equal(t, channels.Refused, by.Draft(t.Context(), s.Connection, s.draft(text(adapter.Limits().Text+1))).Status)
	assert.Zero(t, p.asked.Load())
}
