package privacy_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/memories"
	known "github.com/parley-platform/parley/domain/privacy"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore/sealed"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/privacy"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
	models "github.com/parley-platform/parley/projections/privacy"
)

var at = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

// erasing is a job about somebody who stands in these streams, and what became of it.
type erasing struct {
	*reactorstest.World
	places  []erasures.Place // found at a look, as long as they are not forgotten
	left    []erasures.Place // found behind the erasure, once
	owned   []models.Owned   // that outlive what is too old
	looks   int
	perLook int // of what is too old; 0: all
	deleted []string
	unnamed map[string]time.Time
	spoken  shelf
	erased  int   // keys
	fail    error // of the next erasing of keys
	does    *reactors.Attempts[erasures.State]
}

// shelf counts how often what was spoken is forgotten.
type shelf struct{ cleared int }

func (s *shelf) Forget(context.Context) error { s.cleared++; return nil }

func (w *erasing) Find(_ context.Context, tenant string, identities []known.Identity) ([]erasures.Place, error) {
	w.looks++
	require.Equal(w, reactorstest.Tenant, tenant)
	require.Equal(w, []known.Identity{{Kind: known.Telephone, Value: "+15550001"}}, identities)
	return slices.DeleteFunc(slices.Clone(w.places), func(p erasures.Place) bool { return w.forgot(p.Stream) }), nil
}

// forgot reports whether nothing stands on the stream behind an erasure.
func (w *erasing) forgot(stream string) bool {
	types := w.types(stream)
	return len(types) > 0 && strings.HasSuffix(types[len(types)-1], ".erased.v1")
}

func (w *erasing) types(stream string) (out []string) {
	for _, r := range w.World.Log.Accepted() {
		if r.Stream == stream {
			out = append(out, r.Type)
		}
	}
	return out
}

func (w *erasing) Left(_ context.Context, _ string, forgotten []erasures.Place) ([]erasures.Place, error) {
	if len(forgotten) == 0 {
		return nil, nil
	}
	left := w.left
	w.left = nil
	return left, nil
}

func (w *erasing) Aged(_ context.Context, tenant string, of erasures.Aged, besides []erasures.Place) ([]erasures.Place, error) {
	w.looks++
	require.Equal(w, reactorstest.Tenant, tenant)
	require.Equal(w, aged.ProjectID, of.ProjectID)
	if len(of.Before) == 0 {
		return nil, nil
	}
	found := slices.DeleteFunc(slices.Clone(w.places), func(p erasures.Place) bool {
		return w.forgot(p.Stream) || slices.ContainsFunc(besides, func(b erasures.Place) bool { return b.Stream == p.Stream })
	})
	return found[:min(len(found), cmp.Or(w.perLook, len(found)))], nil
}

func (w *erasing) Outliving(_ context.Context, _ string, streams []string) ([]models.Owned, error) {
	for _, stream := range streams {
		require.False(w, w.forgot(stream), "then nobody knows any more")
	}
	return w.owned, nil
}

func (w *erasing) Delete(_ context.Context, name string) error {
	w.deleted = append(w.deleted, name)
	return nil
}

func (w *erasing) Unnamed(context.Context) (map[string]time.Time, error) { return w.unnamed, nil }

func (w *erasing) Erase(_ context.Context, ids []sealed.ID) error {
	w.erased += len(ids)
	return w.fail
}

func newErasure(t *testing.T, places ...erasures.Place) *erasing {
	w := before(t, places...)
	reactorstest.Given(w.World, erasures.Jobs, "erasure-er-1", erasures.Requested{ErasureID: "er-1", TenantID: reactorstest.Tenant,
		Identities: []known.Identity{{Kind: known.Telephone, Value: "+15550001"}}, At: at})
	return w
}

// before is everything but a job.
func before(t *testing.T, places ...erasures.Place) *erasing {
	w := &erasing{World: reactorstest.New(t, at), places: places}
	reactorstest.Given(w.World, calls.Calls, "call-1", calls.Requested{CallID: "1", TenantID: reactorstest.Tenant, Target: "tel:+15550001",
		NotifyURL: "https://crm.example/n", DialBy: at.Add(time.Minute), At: at})
	reactorstest.Given(w.World, sessions.Sessions, "session-1", sessions.Opened{SessionID: "1", TenantID: reactorstest.Tenant, At: at})
	reactorstest.Given(w.World, voicemails.Voicemails, "voicemail-1", voicemails.Recorded{VoicemailID: "1", TenantID: reactorstest.Tenant,
		Blob: "b/1", At: at})
	reactorstest.Given(w.World, contactlists.Lists, "contactlist-acme.shop", contactlists.ListDefined{TenantID: reactorstest.Tenant,
		ProjectID: "shop", ListID: "l"})
	reactorstest.Given(w.World, memories.Memories, "memory-1", memories.Written{Name: memories.Name{TenantID: reactorstest.Tenant,
		Scope: memories.OfSession, OwnerID: "1", Store: "notes"}, Content: json.RawMessage(`{"seat":"aisle"}`), Version: 1, At: at})
	w.does = privacy.Eraser{Store: w.Store, Keys: w, Blobs: w, Persons: w, Settled: func(context.Context) error { return nil }, Now: w.Now,
		Spoken: &w.spoken, Log: w.Quiet}.Attempts()
	return w
}

func (w *erasing) job() erasures.State {
	return reactorstest.State(w.World, erasures.Jobs, "erasure-er-1")
}

// plays hands the reactor its events until the job is done.
func (w *erasing) plays() {
	w.Helper()
	for range 10 {
		if w.job().Status == erasures.Done {
			return
		}
		require.NoError(w, w.Play(w.Context(), w.does.Reactor()))
		if w.job().Attempt.Wanted() || w.job().Status == erasures.Done {
			continue
		}
		w.Passes(time.Minute)
		require.NoError(w, w.Wake(w.Context(), w.does, "erasure-er-1"))
	}
	require.Equal(w, erasures.Done, w.job().Status)
}

func all() []erasures.Place {
	return []erasures.Place{{Stream: "call-1"}, {Stream: "session-1"}, {Stream: "voicemail-1"}, {Stream: "memory-1"},
		{Stream: "contactlist-acme.shop", Keys: []string{sealed.ID{1}.String()}}}
}

// Given somebody in a call that is under way, its session, a voicemail and a list, when the
// job is played, then each says that it has forgotten, what ran has ended, nothing more is
// told, and the recording is gone.
func TestAPersonIsForgottenEverywhere(t *testing.T) {
	w := newErasure(t, all()...)
	w.plays()
	require.Equal(t, []string{"parley.calls.requested.v1", "parley.calls.failed.v1", "parley.calls.erased.v1"}, w.types("call-1"))
	require.Equal(t, []string{"parley.sessions.opened.v1", "parley.sessions.ended.v1", "parley.sessions.erased.v1"}, w.types("session-1"))
	require.Equal(t, []string{"parley.voicemails.recorded.v1", "parley.voicemails.transcription-failed.v1", "parley.voicemails.erased.v1"},
		w.types("voicemail-1"))
	require.Equal(t, []string{"parley.memories.written.v1", "parley.memories.erased.v1"}, w.types("memory-1"))
	require.Equal(t, []string{"parley.contactlists.defined.v1", "parley.contactlists.erased.v1"}, w.types("contactlist-acme.shop"))
	require.Equal(t, []string{"parley.deliveries.erased.v1"}, w.types("delivery-call-1"), "what the notifier still brings is not taken")
	require.True(t, reactorstest.State(w.World, deliveries.Deliveries, "delivery-call-1").Shut)
	require.Equal(t, []string{"b/1"}, w.deleted)
	require.Equal(t, 1, w.spoken.cleared, "some of what was said to persons may have been said to this one")
	require.Equal(t, 3, w.looks, "the last two found nothing")
}

// Given files whose events never came, as their nodes were killed, when a person is erased, then those that were stored for the person's
// streams are gone, and no other.
func TestFilesWithoutAnEventGoWithTheirStream(t *testing.T) {
	w := newErasure(t, all()...)
	w.unnamed = map[string]time.Time{"attachments/acme/1/f-1/sum": at, "attachments/acme/2/f-1/sum": at, "recordings/acme/1/sum": at,
		"recordings/acme/2/sum": at, "exports/acme/1/sum": at, "pictures/acme/1/sum": at}
	w.plays()
	require.ElementsMatch(t, []string{"b/1", "attachments/acme/1/f-1/sum", "recordings/acme/1/sum"}, w.deleted)
}

// Given a session with files, when its customer is erased, then the files are gone, and those
// that come later are refused.
func TestFilesOfASessionAreErased(t *testing.T) {
	w := newErasure(t, erasures.Place{Stream: "session-1"})
	for _, blob := range []string{"b/2", "b/3"} {
		reactorstest.Given(w.World, sessions.Sessions, "session-1", sessions.Attached{AttachmentID: blob, Blob: blob, At: at})
	}
	w.plays()
	require.Equal(t, []string{"b/2", "b/3"}, w.deleted)
	require.Error(t, reactorstest.State(w.World, sessions.Sessions, "session-1").TakesFile())
}

// Given a call that was recorded, and on which a message was left that nobody has made a voicemail of yet, then both files are gone.
func TestFilesOfACallAreErased(t *testing.T) {
	w := newErasure(t, erasures.Place{Stream: "call-1"})
	reactorstest.Given(w.World, calls.Calls, "call-1", calls.Answered{SessionID: "1", At: at}, calls.Recorded{Blob: "b/2", At: at},
		calls.MessageWanted{VoicemailID: "v-1", TransferID: "t-1", At: at}, calls.MessageLeft{VoicemailID: "v-1", Blob: "b/3", At: at})
	w.plays()
	require.Equal(t, []string{"b/2", left("v-1"), "b/3"}, w.deleted)
}

func left(voicemailID string) string { return voicemails.LeftOnCall(reactorstest.Tenant, voicemailID) }

// Given messages that were wanted on a call, when the nodes that heard them were killed before they told of them, then their
// files go with the call.
func TestMessagesThatNobodyToldOfAreErased(t *testing.T) {
	w := newErasure(t, erasures.Place{Stream: "call-1"})
	reactorstest.Given(w.World, calls.Calls, "call-1", calls.Answered{SessionID: "1", At: at},
		calls.MessageWanted{VoicemailID: "v-1", TransferID: "t-1", At: at},
		calls.MessageMissed{VoicemailID: "v-1", TransferID: "t-1", Reason: calls.TakerLost, At: at},
		calls.MessageWanted{VoicemailID: "v-2", TransferID: "t-2", At: at})
	w.plays()
	require.Equal(t, []string{left("v-1"), left("v-2")}, w.deleted)
}

// Given a step that could not erase the keys, when it is made again, then nothing is said
// twice.
func TestAStepThatFailsIsMadeAgain(t *testing.T) {
	w := newErasure(t, all()...)
	w.fail = errors.New("parley.keys is away")
	require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	require.NotEmpty(t, w.job().Found, "where it is half done stands on the log")
	w.fail = nil
	w.plays()
	require.Len(t, w.types("call-1"), 3)
	require.Len(t, w.types("delivery-call-1"), 1)
	require.Equal(t, 1, w.job().Counts["contactlists"])
}

// Given somebody who wrote behind the erasure because he had begun before it, then that is
// forgotten, too.
func TestWhatWasSaidMeanwhileIsForgotten(t *testing.T) {
	w := newErasure(t, erasures.Place{Stream: "call-1"})
	w.left = []erasures.Place{{Stream: "session-1"}}
	w.plays()
	require.True(t, w.forgot("session-1"))
}

// Given somebody who writes by a channel while they are being erased, then the message is taken as any other and forgotten
// again, also when that is told twice, and the job is done when nothing came for its calm; what they write then is theirs.
func TestWhoWritesWhileTheyAreErased(t *testing.T) {
	w := newErasure(t, erasures.Place{Stream: "thread-1"})
	hears := func(id string) {
		receive := threads.Receive{TenantID: reactorstest.Tenant, ProjectID: "shop", ConnectionID: "cn-1", Kind: "twilio_sms", At: w.Now(),
			Entry: channels.Entry{ExternalID: id, Thread: "+1:+15550001", From: "+15550001", Text: "Is anybody there?"}}
		decided, err := receive.Decide(reactorstest.State(w.World, threads.Threads, "thread-1"))
		require.NoError(t, err)
		require.Len(t, decided, 1, "nobody is refused because they are being erased")
		reactorstest.Given(w.World, threads.Threads, "thread-1", decided...)
	}
	step := func() { require.NoError(t, w.Play(t.Context(), w.does.Reactor())) }
	calm := func() {
		require.False(t, w.job().AgainAt.IsZero())
		w.Passes(privacy.DefaultCalm)
		require.NoError(t, w.Wake(t.Context(), w.does, "erasure-er-1"))
	}
	hears("1")
	for range 3 { // it is found, forgotten, and looked for
		step()
	}
	for _, id := range []string{"2", "3"} {
		hears(id)
		calm()
		for range 3 {
			step()
			require.NotEqual(t, erasures.Done, w.job().Status)
		}
		require.True(t, w.forgot("thread-1"), id)
		require.Empty(t, reactorstest.State(w.World, threads.Threads, "thread-1").From)
	}
	calm()
	step()
	require.Equal(t, erasures.Done, w.job().Status)
	hears("4")
	step()
	require.Len(t, reactorstest.State(w.World, threads.Threads, "thread-1").Waiting, 1)
}

// Given a conversation of which another agent is told at two addresses, then what stands on the way to either is given up, and both
// are shut for what comes late.
func TestWhatIsToldOfATaskIsForgottenOnEachWay(t *testing.T) {
	w := newErasure(t, erasures.Place{Stream: "thread-1"})
	tellers := []threads.Teller{{Number: 1, ID: "a", URL: "https://a.example.com"}, {Number: 1, ID: "b", URL: "https://b.example.com"}}
	reactorstest.Given(w.World, threads.Threads, "thread-1", threads.Received{TenantID: reactorstest.Tenant, ConnectionID: "cn-1", Kind: "a2a",
		Number: 1, From: "key:k", Text: "hi"}, threads.TellerSet{Teller: tellers[0]}, threads.TellerSet{Teller: tellers[1]})
	var ways []string
	for _, t := range tellers {
		ways = append(ways, deliveries.Deliveries.Stream(t.Way("thread-1")))
	}
	reactorstest.Given(w.World, deliveries.Deliveries, ways[1], deliveries.Enqueued{NoticeID: "n-1", TenantID: reactorstest.Tenant,
		URL: "https://b.example.com", Body: []byte(`{}`), QueuedAt: w.Now(), Deadline: w.Now().Add(time.Hour)})
	w.plays()
	for _, way := range ways {
		require.True(t, reactorstest.State(w.World, deliveries.Deliveries, way).Shut, way)
	}
	require.Equal(t, "parley.deliveries.undelivered.v1", w.types(ways[1])[1])
}

func TestNobodyKnowsAStrangeStream(t *testing.T) {
	w := newErasure(t, erasures.Place{Stream: "humanagent-1"})
	for range 3 {
		require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	}
	require.Equal(t, erasures.Running, w.job().Status, "it is tried again until somebody does")
}

// Given a job that is done, then it has forgotten whom it was about.
func TestTheJobForgets(t *testing.T) {
	w := newErasure(t)
	w.plays()
	require.NoError(t, w.Play(t.Context(), privacy.Finisher{Store: w.Store, Keys: w, Now: w.Now}.Reactor()))
	require.NoError(t, w.Play(t.Context(), privacy.Finisher{Store: w.Store, Keys: w, Now: w.Now}.Reactor()), "twice")
	require.Equal(t, []string{"requested", "started", "not-found", "requeued", "started", "completed", "erased"},
		names(w.types("erasure-er-1")))
}

func names(types []string) (out []string) {
	for _, typ := range types {
		out = append(out, strings.Split(typ, ".")[2])
	}
	return out
}
