package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

// What is measured of queues: transfers into many, in none of which many wait; into one in which a thousand do; and how fast
// those who wait there are given to people who come all at once.
const (
	queueFigure  = "transfer to a queue"
	behindFigure = "transfer behind a thousand"
	givenFigure  = "given to people who come"
	lineClients  = 16
	shortLines   = 50
	longLine     = "q-bench-long"
	whoWait      = 1000
	whoCome      = 60
	eachTakes    = 10 // conversations of one of them
)

// lineBench has queues, and people who are not there yet.
type lineBench struct {
	*bench
	db   *pgxpool.Pool
	told *stub        // of each transfer
	next atomic.Int64 // transfer
}

// queues measures what waits for people. Its part is its own: who waits goes on waiting, and is asked about.
func (c *Command) queues(dir string, out *report) error {
	if len(c.KafkaBrokers) > 0 || !c.wants(queueFigure, behindFigure, givenFigure) {
		return nil
	}
	return c.part(dir, func(b *bench) error {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		out.heading("queues")
		db, err := b.react(ctx, dir)
		if err != nil {
			return err
		}
		defer db.Close()
		told, err := startStub()
		if err != nil {
			return err
		}
		defer told.close()
		m := &lineBench{bench: b, db: db, told: told}
		if err := m.define(ctx); err != nil {
			return fmt.Errorf("defining queues and who serves them: %w", err)
		}
		return m.measure(ctx, c.For, out)
	})
}

func (m *lineBench) measure(ctx context.Context, d time.Duration, out *report) error {
	short, err := timed(queueFigure, d, lineClients, func(ctx context.Context) error {
		return m.transfer(ctx, fmt.Sprint("q-bench-", m.next.Add(1)%shortLines))
	}, m.analysed)
	if err != nil {
		return err
	}
	out.add(short)
	if err := atOnce(lineClients, whoWait, func(int) error { return m.transfer(ctx, longLine) }); err != nil {
		return fmt.Errorf("those who wait: %w", err)
	}
	if err := m.analysed(ctx); err != nil {
		return err
	}
	long, err := timed(behindFigure, d, lineClients, func(ctx context.Context) error { return m.transfer(ctx, longLine) }, m.analysed)
	if err != nil {
		return err
	}
	long = long.of(short)
	out.add(long.aim("half of "+queueFigure, long.Ratio >= 0.5))
	given, err := m.given(ctx)
	if err != nil {
		return err
	}
	out.add(given.of(short))
	return nil
}

// given has people come, and waits until each has all that they take.
func (m *lineBench) given(ctx context.Context) (figure, error) {
	cpu, began := spent(), time.Now()
	if err := atOnce(lineClients, whoCome, func(i int) error { return m.comes(ctx, personID(i)) }); err != nil {
		return figure{}, fmt.Errorf("who comes: %w", err)
	}
	const all = whoCome * eachTakes
	if err := eventually(ctx, "that everybody has enough to do", func() (bool, error) {
		var assigned int
		err := m.db.QueryRow(ctx, `SELECT count(*) FROM events WHERE stream LIKE 'transfer-%' AND type LIKE 'parley.transfers.assigned.%'`).
			Scan(&assigned)
		return assigned >= all, err
	}); err != nil {
		return figure{}, err
	}
	return figure{Name: givenFigure, Rate: all / time.Since(began).Seconds(), CPU: float64((spent() - cpu).Microseconds()) / all}, nil
}

// define makes the queues, which many wait in for long, and those who serve the long one.
func (m *lineBench) define(ctx context.Context) error {
	var text bytes.Buffer
	one := func(kind, id, spec string) {
		_, _ = fmt.Fprintf(&text, "---\nkind: %s\nmetadata: {id: %s, name: %s, tenant: %s}\nspec: %s\n", kind, id, id, m.work.Account, spec)
	}
	for i := range shortLines {
		one("Queue", fmt.Sprint("q-bench-", i), "{waitTimeoutSeconds: 3600}")
	}
	serve := ""
	for i := range whoCome {
		one("HumanAgent", personID(i), fmt.Sprintf("{userId: %[1]s, roleId: r-1, iId: %[2]s, agentGroupId: g-1, firstName: A, lastName: B, "+
			"emailId: %[1]s@acme.example, canSupportChat: true, maxDigitalChatSupport: %[3]d}", personID(i), m.work.Project, eachTakes))
		serve += fmt.Sprintf("{userId: %s}, ", personID(i))
	}
	one("Queue", longLine, "{waitTimeoutSeconds: 3600, agents: ["+serve+"]}")
	manifests, err := manifest.Parse("bench", text.Bytes(), apply.Kinds())
	if err != nil {
		return err
	}
	_, err = apply.New(m.node.Store(), m.node.Vault()).Do(ctx, apply.Request{Manifests: manifests},
		apply.Caller{Actor: "bench", Operator: true})
	return err
}

func personID(i int) string { return fmt.Sprint("a-bench-", i) }

// transfer opens a session and hands it to a queue.
func (m *lineBench) transfer(ctx context.Context, queue string) error {
	session, err := m.session(ctx)
	if err != nil {
		return err
	}
	_, err = m.ask(ctx, "/agentassist/api/v1/public/"+m.work.Project+"/assign-conversation", map[string]string{"orgId": m.work.Org,
		"botSessionId": session, "callbackUrl": m.told.url + "/later", "queueId": queue, "transferredType": "QUEUE"}, http.StatusOK)
	return err
}

// comes says that somebody is there.
func (m *lineBench) comes(ctx context.Context, person string) error {
	path := "/agentassist/api/v1/public/" + m.work.Project + "/agents/" + person + "/presence?orgId=" + url.QueryEscape(m.work.Org)
	_, err := m.call(ctx, http.MethodPut, path, map[string]string{"onlineStatusType": "AVAILABLE"}, http.StatusOK)
	return err
}
