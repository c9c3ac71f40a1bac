package node

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/parley-platform/parley/adapters/telephony"
	"github.com/parley-platform/parley/adapters/vault"
	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/campaigns"
	"github.com/parley-platform/parley/handlers/reactors/contactcenter"
	"github.com/parley-platform/parley/handlers/reactors/platform"
	"github.com/parley-platform/parley/handlers/reactors/runtime"
	"github.com/parley-platform/parley/handlers/reactors/voice"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/access"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
	contactmodels "github.com/parley-platform/parley/projections/contactcenter"
	voicemodels "github.com/parley-platform/parley/projections/voice"
)

// runReactors registers the reactors, and starts them and the timers if this node
// has the role.
func (n *Node) runReactors(ctx context.Context) error {
	dialer := n.newDialer()
	all := []reactors.Reactor{dialerReactor(dialer), voice.Notifier{Store: n.store, Notify: n.notify()}.Reactor(),
		voice.CallSessions{Store: n.store}.Reactor(), runtime.Deployer{Deploy: acts.Deploy{Log: n.acting()}}.Reactor()}
	all = append(all, n.campaignEngine().Reactors()...)
	all = append(all, n.transferReactors()...)
	effects, err := n.effects()
	if err != nil {
		return err
	}
	for _, e := range effects {
		all = append(all, e.Reactor())
	}
	all = append(all, n.voicemailRecorder(), contactcenter.ConversationPresence{Store: n.store,
		Agents: contactmodels.NewHumanAgents(n.db.Queries), Transfers: contactmodels.NewTransfers(n.db.Queries)}.Reactor())
	replayer := &reactors.Replayer{Store: n.store, Reactors: all, Now: n.clock.Now, Log: n.log}
	all = append(all, replayer.Reactor())
	if !n.cfg.has(RoleReactor) {
		return n.admit(ctx, all)
	}
	if err := n.kafka.Plain(ctx, 1, reactors.PoisonTopic); err != nil {
		return err
	}
	publisher, err := watermillkafka.NewPublisher(n.cfg.KafkaBrokers, n.kafka.Client())
	if err != nil {
		return err
	}
	n.closing(func(context.Context) { _ = publisher.Close() })
	copies, err := n.acceptedTopics(ctx)
	if err != nil {
		return err
	}
	for i := range copies {
		copies[i].FromStart = true // a copy is of the whole log
	}
	all = append(all, copies...)
	if err := n.admit(ctx, all); err != nil {
		return err
	}
	n.members = newMembers(n.cfg.Data, n.log)
	n.members.leave(ctx, watermillkafka.Groups{Client: n.kafka.Client()})
	router, err := reactors.NewRouter(n.routerConfig(publisher, all), all...)
	if err != nil {
		return err
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := router.Run(run); err != nil && run.Err() == nil {
			n.log.Error("the reactors stopped", "error", err)
		}
	}()
	n.closing(func(ctx context.Context) {
		if err := router.Close(ctx); err != nil {
			n.log.Warn("reactors did not stop in time", "error", err)
		} else {
			n.members.forget()
		}
		stop()
		<-done
		if err := dialer.Close(ctx); err != nil {
			n.log.Warn("calls did not end in time; their leases end them", "error", err)
		}
	})
	go n.watchReactors(run, all)
	n.runTimers(run, dialer, effects)
	return nil
}

// campaignEngine makes started campaigns run.
func (n *Node) campaignEngine() campaigns.Engine {
	return campaigns.Engine{Log: n.acting(), DialOut: acts.DialOut{Log: n.acting()}, Runs: campaignmodels.NewCampaignRuns(n.db.Queries),
		Lines: pacing.Lines{Voice: n.cfg.CampaignLines, SMS: n.cfg.CampaignMessages}}
}

// notify is how reactors tell those whom callers named.
func (n *Node) notify() acts.Notify { return acts.Notify{Store: n.store, SealURL: n.sealURL} }

func (n *Node) routerConfig(p message.Publisher, all []reactors.Reactor) reactors.Config {
	byGroup := map[string]reactors.Reactor{}
	for _, r := range all {
		byGroup[r.Group()] = r
	}
	return reactors.Config{
		Subscribe: func(group string) (message.Subscriber, error) {
			r := byGroup[group]
			return watermillkafka.NewSubscriber(watermillkafka.Config{Brokers: n.cfg.KafkaBrokers, Group: group, Client: n.kafka.Client(),
				Dialer: n.kafka.Dialer(), Logger: n.log,
				StartAt:   watermillkafka.StartRefuse,
				Admit:     func(ctx context.Context) error { return n.admission.Admit(ctx, r) },
				OnMember:  func(topic, member string) { n.members.joined(group, topic, member) },
				OnStopped: func(topic string, partition int, err error) { n.admission.Stopped(r.Name, topic, partition, err) }})
		},
		Now: n.clock.Now, Publisher: p, Positions: n.projector, Verdicts: n.projector.Index(), Draining: watermillkafka.Draining,
		Metrics: n.registry, Log: n.log,
	}
}

func (n *Node) newDialer() *voice.Dialer {
	carrier := telephony.NewSimulated(int(math.Round(n.cfg.SimSpeed))).Serves(n.id, n.clock.Now)
	return voice.NewDialer(voice.DialerConfig{Node: n.id, Store: n.store, Carriers: []voice.Carrier{voice.CarrierOf(carrier)},
		Log: n.log, Now: n.clock.Now, Lease: n.cfg.CallLease, MaxLegs: 2000})
}

func dialerReactor(d *voice.Dialer) reactors.Reactor {
	return reactors.Reactor{Name: "dialer", Categories: []*event.Category{calls.Calls.Category}, Events: []event.Payload{calls.Requested{}},
		Side: reactors.AtMostOnce,
		Handle: func(ctx context.Context, e reactors.Event) error {
			return d.Requested(ctx, calls.Calls.StreamID(e.Stream))
		}}
}

func (n *Node) deliverer() platform.Deliverer {
	client := webhook.New(webhook.Options{Guard: webhook.Guard{AllowLoopback: n.cfg.Dev}, Now: n.clock.Now})
	n.closing(func(context.Context) { client.Close() })
	return platform.Deliverer{Store: n.store, Secrets: opener{access.NewAccess(n.db.Queries), n.vault}, Now: n.clock.Now, Log: n.log,
		Post: func(ctx context.Context, p platform.WebhookPost) platform.WebhookAnswer {
			return platform.WebhookAnswer(client.Send(ctx, webhook.Request(p)))
		}}
}

// opener opens what the events hold sealed, for the sender.
type opener struct {
	access *access.Access
	vault  *vault.Vault
}

// WebhookSecrets implements reactors.WebhookSecrets.
func (o opener) WebhookSecrets(ctx context.Context, tenant, project string) ([][]byte, error) {
	p, ok, err := o.access.Project(ctx, tenant, project)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.New(fault.NotFound, "project %s is gone", project)
	}
	secret, err := o.vault.Unseal(p.WebhookSecret, vault.WebhookSecretContext(tenant, project))
	if err != nil {
		return nil, fmt.Errorf("opening the webhook secret of project %s: %w", project, err)
	}
	return [][]byte{secret}, nil
}

// OpenURL implements reactors.WebhookSecrets.
func (o opener) OpenURL(_ context.Context, tenant, sealed string) (string, error) {
	plain, err := o.vault.Unseal(sealed, vault.CallerURLContext(tenant))
	if err != nil {
		return "", fmt.Errorf("opening the caller's URL: %w", err)
	}
	return string(plain), nil
}

// OpenHeaders implements reactors.WebhookSecrets.
func (o opener) OpenHeaders(_ context.Context, tenant, sealed string) (map[string]string, error) {
	if sealed == "" {
		return nil, nil
	}
	plain, err := o.vault.Unseal(sealed, vault.NotifyHeadersContext(tenant))
	if err != nil {
		return nil, fmt.Errorf("opening the caller's headers: %w", err)
	}
	var headers map[string]string
	if err := json.Unmarshal(plain, &headers); err != nil {
		return nil, fmt.Errorf("opening the caller's headers: %w", err)
	}
	return headers, nil
}

// runTimers fires due timers until the context ends.
func (n *Node) runTimers(ctx context.Context, dialer *voice.Dialer, effects []reactors.Effect) {
	source := projections.NewTimers(n.db.Queries)
	n.registry.MustRegister(newTimerMetrics(source))
	handlers := n.timerHandlers(dialer)
	for _, e := range effects {
		topic, timer, fire := e.Wakes()
		if handlers[topic] == nil {
			handlers[topic] = map[string]reactors.TimerHandler{}
		}
		handlers[topic][timer] = fire
	}
	timers := reactors.Timers{Source: source, Gate: n.gate, Log: n.log, Handlers: handlers, News: n.timerNews}
	run, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		timers.Run(run)
	}()
	n.closing(func(context.Context) {
		stop()
		<-done
	})
}

func (n *Node) timerHandlers(dialer *voice.Dialer) map[string]map[string]reactors.TimerHandler {
	return map[string]map[string]reactors.TimerHandler{
		calls.Calls.Topic(): {voicemodels.LeaseTimer: func(ctx context.Context, t projections.Timer, now time.Time) error {
			return dialer.Expire(ctx, calls.Calls.StreamID(t.Stream), now)
		}},
		pacing.Pacing.Topic():       {campaignmodels.OpeningTimer: n.campaignEngine().Wake},
		transfers.Transfers.Topic(): {contactmodels.WaitTimer: n.endWait},
		humanagents.Desks.Topic(): {contactmodels.ClaimTimer: func(ctx context.Context, t projections.Timer, now time.Time) error {
			lapse := humanagents.Lapse{TenantID: t.Tenant, AgentID: humanagents.AgentOfDesk(t.Tenant, t.Stream), At: now}
			_, err := eventstore.Execute(ctx, n.store, humanagents.Desks, t.Stream, eventstore.Command{Tenant: t.Tenant, Actor: "timer:claim"},
				lapse.Decide)
			return err
		}},
	}
}
