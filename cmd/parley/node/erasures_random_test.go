package node_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/projections/analytics"
	"github.com/parley-platform/parley/projections/rebuild"
)

// check compares the live tables with those that the log gives now, and says how they differ.
func (c *cluster) check(t *testing.T, on *server) (differences []string) {
	t.Helper()
	differences, err := c.rebuild(t, on, true)
	require.NoError(t, err)
	return differences
}

// rebuild does what parley rebuild --all does.
func (c *cluster) rebuild(t *testing.T, on *server, check bool) (differences []string, err error) {
	t.Helper()
	master, err := vault.Open(c.keyset)
	require.NoError(t, err)
	keys, err := keyring.ReadCopy(t.Context(), on.Log().Keys(), master)
	require.NoError(t, err)
	pool, err := pgxpool.New(t.Context(), c.database)
	require.NoError(t, err)
	defer pool.Close()
	read, err := rebuild.Rebuild(t.Context(), rebuild.Config{Database: pool, Log: on.Log(), Categories: catalog.Categories(), Keys: keys,
		Models: slices.Models(master), By: t.Name(), Check: check, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	for _, d := range read.Differences {
		differences = append(differences, fmt.Sprint(d))
	}
	counted, err := analytics.Rebuild(t.Context(), analytics.RebuildConfig{Database: pool, Log: on.Log(), Categories: catalog.Categories(),
		Keys: keys, Check: check, Logger: slog.New(slog.DiscardHandler)})
	return append(differences, counted.Differences...), err
}

// Given people who are called, written to, known, and put on lists and off them on two nodes,
// while some of them are erased, again and again, twice at once, and texts are kept no longer,
// in whatever order, and everything is rebuilt in the middle of it, then the tables are those
// that the log gives to who reads it now, without the keys that are gone; and of who is
// erased for good no table and no event has anything, while nothing of who never was is lost.
func TestErasuresInAnyOrderLeaveWhatTheLogGives(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, erasesSoon)
	nodes := []*server{w.server, w.cluster.start(t, erasesSoon)}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	number := func(n int) string { return fmt.Sprintf("+1555000%04d", 9000+10*n) } // the simulated carrier's last digit: answered
	name := func(n int) string { return fmt.Sprintf("Person%dOf%x", n, seed) }
	const people, never, forGood = 6, 0, 1

	var working errgroup.Group
	for worker := range 3 {
		working.Go(func() error {
			r := rand.New(rand.NewPCG(seed, uint64(worker)))
			for range 8 {
				who, on := r.IntN(people), nodes[r.IntN(len(nodes))]
				switch r.IntN(8) {
				case 0, 1:
					on.do(t, "POST", dialOutPath, aCall().and(fields{"target": "tel:" + number(who),
						"metadata": fields{"CustomerFirstName": name(who)}}), "auth", w.auth).must(t, 200)
				case 2:
					w.one.text(t, number(who))
				case 3:
					var contacts []any
					for n := range people {
						if r.IntN(2) == 0 || n == never {
							contacts = append(contacts, fields{"phoneNumber": number(n), "firstName": name(n)})
						}
					}
					w.one.apply(t, "ContactList", "vips", "VIPs", fields{"projectId": mainApp, "contacts": contacts})
				case 4: // what a project keeps no longer
					id := erasures.IDPrefix + uuid.NewString()
					if err := eventstore.Do(t.Context(), on.Store(), erasures.Jobs, erasures.Jobs.Stream(id), eventstore.Command{Tenant: w.one.id},
						erasures.Expire{ErasureID: id, TenantID: w.one.id, Aged: erasures.Aged{ProjectID: mainApp,
							Before: map[retention.Kind]time.Time{retention.Messages: time.Now()}}, At: time.Now()}.Decide); err != nil {
						return err
					}
				case 5: // who is known already is refused
					on.do(t, "POST", contactsPath, fields{"identity": number(who), "identityType": "phone", "displayName": name(who)},
						"auth", w.auth)
				default:
					if who != never { // twice at once
						for _, on := range nodes {
							on.do(t, "POST", erasuresPath, fields{"identities": []fields{{"kind": "telephone", "value": number(who)}}},
								"auth", w.auth).must(t, 202)
						}
					}
				}
			}
			return nil
		})
	}
	working.Go(func() error {
		_, err := w.cluster.rebuild(t, nodes[1], false)
		return err
	})
	kept := w.dialOut(t, aCall().and(fields{"target": "tel:" + number(never), "metadata": fields{"CustomerFirstName": name(never)}}))
	require.NoError(t, working.Wait())
	w.erased(t, nodes[1], w.erase(t, fields{"kind": "telephone", "value": number(forGood)}).Erasure.ErasureID)
	until(t, "the end of what was begun", func() bool {
		var list struct {
			Erasures []struct {
				Status string `json:"status"`
			} `json:"erasures"`
		}
		w.do(t, "GET", erasuresPath+"?limit=200", nil, "auth", w.auth).must(t, 200).into(t, &list)
		for _, e := range list.Erasures {
			if e.Status != "done" {
				return false
			}
		}
		return true
	})
	w.ended(t, kept.CallID)

	require.Empty(t, w.cluster.check(t, w.server))
	database := wholeDatabase(t, w.cluster.database)
	for _, gone := range []string{strings.TrimPrefix(number(forGood), "+"), name(forGood)} {
		require.NotContains(t, database, gone)
	}
	require.Contains(t, database, name(never))
	shown := nodes[1].do(t, "GET", "/api/v1/events?limit=200&stream=call-"+kept.CallID, nil, "auth", w.auth).must(t, 200).Text
	require.Contains(t, shown, name(never))
}
