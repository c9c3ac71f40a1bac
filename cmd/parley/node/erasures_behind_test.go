package node_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/eventstore"
)

// queriesOfPeople are those by which whoever may do everything finds people.
func queriesOfPeople(more ...string) []string {
	of := "/api/v1/projects/" + mainApp
	return append([]string{"/api/v1/events?limit=200&order=desc", "/api/v1/events?limit=200&order=desc&category=contacts",
		contactsPath + "?limit=100", of + "/interactions?limit=200", of + "/conversations?limit=200", of + "/messages?limit=200",
		of + "/transfers?limit=200", "/api/public/bot/" + mainApp + "/voicemail", sessionsPath + "?limit=100"}, more...)
}

// found is what a node answers to all of the queries; a refusal counts as it is.
func (s *server) found(auth string, queries []string) (all string, err error) {
	for _, path := range queries {
		a, err := s.try(http.MethodGet, path, nil, "auth", auth)
		if err != nil {
			return "", err
		}
		all += fmt.Sprintf("%s: %d %s\n", path, a.Status, a.Text)
	}
	return all, nil
}

// shows reports which of the words stand in a text, whatever their case.
func shows(text string, words ...string) (which []string) {
	for _, w := range words {
		if strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			which = append(which, w)
		}
	}
	return which
}

// gone waits until no node answers anything of the words to any query.
func gone(t *testing.T, nodes []*server, auth string, queries []string, words ...string) {
	t.Helper()
	until(t, "nobody to show what is erased", func() bool {
		for _, on := range nodes {
			all, err := on.found(auth, queries)
			require.NoError(t, err)
			if len(shows(all, words...)) > 0 {
				return false
			}
		}
		return true
	})
}

// neverShown asks all nodes for people again and again, until the returned function is called,
// which tells what was shown of the words.
func neverShown(nodes []*server, auth string, words ...string) (end func() error) {
	var asking sync.WaitGroup
	stop, wrong := make(chan struct{}), make(chan error, len(nodes))
	for _, on := range nodes {
		asking.Go(func() {
			for {
				all, err := on.found(auth, queriesOfPeople())
				if which := shows(all, words...); err == nil && len(which) > 0 {
					err = fmt.Errorf("%s shows %v: %s", on.ID(), which, all)
				}
				if err != nil {
					wrong <- err
					return
				}
				select {
				case <-stop:
					return
				case <-time.After(5 * time.Millisecond): // so that the node can do something else too
				}
			}
		})
	}
	return func() error {
		close(stop)
		asking.Wait()
		close(wrong)
		var all []error
		for err := range wrong {
			all = append(all, err)
		}
		return errors.Join(all...)
	}
}

// annabelle does everything by which somebody comes to stand somewhere, and a contact of hers
// is changed so often that a snapshot of it is kept.
func (w *callWorld) annabelle(t *testing.T) (contact string) {
	t.Helper()
	call := w.dialOut(t, aCall().and(fields{"metadata": fields{"CustomerFirstName": "Annabelle", "CustomerEmail": "annabelle@example.com"}}))
	session := w.ended(t, call.CallID).SessionID
	written, _ := w.one.text(t, "+15550000001")
	w.one.textEnded(t, written)
	w.one.apply(t, "ContactList", "vips", "VIPs", fields{"projectId": mainApp, "contacts": []any{
		fields{"phoneNumber": "+15550000001", "firstName": "Annabelle"}, fields{"phoneNumber": "+15550000002", "firstName": "Bertrand"}}})
	made := w.ask(t, "POST", contactsPath, byMail("annabelle@example.com")).must(t, 201).contact(t)
	contact = made["id"].(string)
	w.ask(t, "POST", contactsPath+"/"+contact+"/link-session", fields{"sessionId": session}).must(t, 200)
	for n := range 210 {
		w.ask(t, "PATCH", contactsPath+"/"+contact, fields{"displayName": fmt.Sprint("Annabelle the ", n)}).must(t, 200)
	}
	return contact
}

// known is the contact as a node folds it, which leaves a snapshot.
func (s *server) known(t *testing.T, contact string) string {
	t.Helper()
	read, err := eventstore.Read(t.Context(), s.Store(), contacts.Contacts, contacts.Contacts.Stream(contact))
	require.NoError(t, err)
	return fmt.Sprintf("%+v", read.State)
}

// snapshots is what all of them say.
func (c *cluster) snapshots(t *testing.T) (all string) {
	t.Helper()
	require.NoError(t, beside(t, c).QueryRow(t.Context(),
		`SELECT coalesce(string_agg(stream || convert_from(substr(data, 33), 'UTF8'), ' '), '') FROM snapshots`).Scan(&all))
	return all
}

// Given somebody who was erased while the tables, put back as they were before, know nothing
// of it yet, when two nodes, which ran all the time or start now, project what they are
// behind, with keys that are gone already, then neither ever shows her, no table, index or
// snapshot has her, the projector does not stand still, and what the log gives to who reads
// it now is what the tables have.
func TestANodeThatIsBehindMeetsErasedKeys(t *testing.T) {
	t.Parallel()
	childtest.Integration(t)
	for name, as := range map[string]struct{ before, stopped bool }{"before she came": {before: true}, "while she was there": {},
		"before she came, and the nodes start": {before: true, stopped: true}, "while she was there, and the nodes start": {stopped: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newCallWorld(t, erasesSoon)
			nodes := []*server{w.server, w.cluster.start(t, erasesSoon)}
			his := w.dialOut(t, aCall().and(fields{"target": "tel:+15550000002", "metadata": fields{"CustomerFirstName": "Bertrand"}}))
			w.ended(t, his.CallID)
			if as.before {
				dump(t, w.cluster)
			}
			contact := w.annabelle(t)
			require.Contains(t, nodes[1].known(t, contact), "Annabelle")
			until(t, "a snapshot that has her", func() bool { return strings.Contains(w.cluster.snapshots(t), "Annabelle") })
			if !as.before {
				dump(t, w.cluster)
			}
			for _, who := range []fields{{"kind": "telephone", "value": "+15550000001"}, {"kind": "email", "value": "annabelle@example.com"}} {
				w.erased(t, nodes[1], w.erase(t, who).Erasure.ErasureID)
			}
			her := []string{"5550000001", "annabelle"}
			gone(t, nodes, w.auth, queriesOfPeople(), her...) // also by the jobs
			end := func() error { return nil }
			if as.stopped {
				nodes[0].stop()
				nodes[1].stop()
			} else {
				end = neverShown(nodes, w.auth, her...)
			}
			restore(t, w.cluster)
			for _, on := range nodes {
				if as.stopped {
					on.up(t)
				}
				on.awaitOpen(t)
			}
			until(t, "the other node to know the erasure again", func() bool {
				return strings.Contains(nodes[1].do(t, "GET", erasuresPath, nil, "auth", w.auth).Text, `"total":2`)
			})
			require.NoError(t, end())

			for _, on := range nodes { // one may notice later than the other that the tables went back
				var later placed
				until(t, "a call to be taken: nothing stands still", func() bool {
					a := on.do(t, "POST", dialOutPath, aCall().and(fields{"target": "tel:+15550000012"}), "auth", w.auth)
					return a.Status == 200 && json.Unmarshal([]byte(a.Text), &later) == nil
				})
				until(t, "the end of the call", func() bool {
					read, err := eventstore.Read(t.Context(), on.Store(), calls.Calls, calls.Calls.Stream(later.CallID))
					return err == nil && read.State.Ended()
				})
				require.NotContains(t, on.known(t, contact), "Annabelle")
				all, err := on.found(w.auth, queriesOfPeople(contactsPath+"/"+contact))
				require.NoError(t, err)
				require.Empty(t, shows(all, her...))
				require.Contains(t, all, "15550000002")
			}
			until(t, "a snapshot behind the erasure", func() bool { return strings.Contains(w.cluster.snapshots(t), "contact-"+contact) })
			require.Empty(t, shows(w.cluster.snapshots(t), her...))
			statement(t, w.cluster, `DROP SCHEMA dump CASCADE`)
			require.Empty(t, shows(wholeDatabase(t, w.cluster.database), her...))
			require.Empty(t, w.cluster.check(t, nodes[1]), "rebuilt it is the same")
		})
	}
}
