package campaigns

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
)

const placerName = "campaign-placer"

// placements bounds the calls that are asked for at once because of one event.
const placements = 16

// placer asks for the calls and texts of taken contacts. The id of each is derived
// from run and contact, so that one is made however often it is asked for. If the calling
// hours are over, because no placer ran for a while, the contacts are handed back. All
// contacts of an event are judged by one moment. Judged one by one, some could be asked
// for after the hours had ended meanwhile, and some handed back after they had begun
// again, when the lines take nothing back.
//
// Events are placed in any order: each names its contacts, and one whose calls are slow to
// be asked for is not to leave the lines of the others idle.
func (c Engine) placer() reactors.Reactor {
	return reactors.Reactor{Name: placerName, Categories: []*event.Category{pacing.Pacing.Category},
		Events: []event.Payload{pacing.ContactsTaken{}}, Side: reactors.AtLeastOnce, AnyOrder: true, Handle: c.place}
}

func (c Engine) place(ctx context.Context, e reactors.Event) error {
	taken := e.Payload.(pacing.ContactsTaken)
	terms, err := c.Runs.Terms(ctx, e.Tenant, taken.RunID, taken.Contacts)
	if err != nil {
		return err
	}
	now := c.Now()
	if !terms.Hours.Open(now) {
		return c.handBack(ctx, e, now, taken.RunID, terms.Contacts)
	}
	if len(terms.Contacts) == 0 { // all are handed back, or have their outcome
		return nil
	}
	if waits := c.waits(ctx, e, taken.RunID, terms); waits != nil {
		return errors.Join(waits, c.recall(ctx, e, now, taken.RunID, terms.Contacts))
	}
	var all sync.WaitGroup
	slots, failed := make(chan struct{}, placements), make([]error, len(terms.Contacts))
	for i, contact := range terms.Contacts {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			failed[i] = c.reach(ctx, placement{Event: e, terms: terms, runID: taken.RunID, RunContact: contact, at: now,
				asked: inTurn(taken.At, now, i, len(terms.Contacts))})
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

// waits is why the calls of contacts cannot be asked for now; nil: they can.
func (c Engine) waits(ctx context.Context, e reactors.Event, runID string, terms campaignmodels.RunTerms) error {
	if terms.Kind == campaigns.SMS {
		return nil
	}
	if terms.Unreached != "" { // each call would fail at once, and with it the contact's only try
		return fault.New(fault.Unavailable, "calls of the run %s wait: the trunk %s is not reached, nor any that takes its place",
			runID, terms.Unreached).After(time.Second)
	}
	if c.Room == nil {
		return nil
	}
	wanted := make([]string, len(terms.Contacts))
	for i, contact := range terms.Contacts {
		wanted[i] = c.callID(placement{Event: e, runID: runID, RunContact: contact})
	}
	if err := c.Room(ctx, terms.Call.Provider, wanted...); err != nil {
		return fmt.Errorf("calls of the run %s wait: %w", runID, err)
	}
	return nil
}

// recall hands contacts back that wait to be called while their campaign is held or stopped: nobody who did that expects calls when
// the trunk is back, hours later. The event comes again all the same: the campaign may just go on.
func (c Engine) recall(ctx context.Context, e reactors.Event, now time.Time, runID string, contacts []campaignmodels.RunContact) error {
	lines, err := eventstore.Read(ctx, c.Store, pacing.Pacing, pacing.Stream(e.Tenant))
	if err != nil {
		return fmt.Errorf("looking whether the run %s is held: %w", runID, err)
	}
	if r, live := lines.State.Find(runID); !live || !r.Rests() {
		return nil
	}
	return c.handBack(ctx, e, now, runID, contacts)
}

// placement is one contact that is to be reached.
type placement struct {
	reactors.Event
	campaignmodels.RunContact
	terms campaignmodels.RunTerms
	runID string
	at    time.Time // by which the hours are judged
	asked time.Time // that the call or text bears
}

// inTurn is when the i-th of n contacts that are asked for together was asked for: a millisecond behind the one before it, so that
// lists of calls and texts have contacts in their order. None comes before it was taken.
func inTurn(taken, now time.Time, i, n int) time.Time {
	first := now.Add(-time.Duration(n-1) * time.Millisecond)
	if first.Before(taken) {
		first = taken
	}
	return first.Add(time.Duration(i) * time.Millisecond)
}

// requestID is the same whoever places the contact.
func (p placement) requestID() string {
	return eventstore.CauseID(placerName, p.Tenant+"."+p.runID, strconv.Itoa(p.Index))
}

func (c Engine) messageID(p placement) string {
	return eventstore.DerivedID(c.MAC, p.requestID(), "message").String()
}

func (c Engine) callID(p placement) string {
	return c.DialOut.CallID(acts.Caller{Command: eventstore.Command{RequestID: p.requestID()}})
}

// reach asks for the call or text. What cannot be asked for is the contact's outcome.
func (c Engine) reach(ctx context.Context, p placement) error {
	cmd := after(placerName, p.Event)
	cmd.RequestID, cmd.New, cmd.Stateless = p.requestID(), true, true
	err := c.ask(ctx, p, cmd)
	reason, refused := refusal(err)
	if !refused {
		return err
	}
	return c.finish(ctx, after(placerName, p.Event), pacing.Finish{RunID: p.runID, Contact: p.Index, Outcome: pacing.Failed,
		Reason: reason})
}

func (c Engine) ask(ctx context.Context, p placement, cmd eventstore.Command) error {
	if p.terms.Kind == campaigns.SMS {
		request := c.text(p)
		return eventstore.Do(ctx, c.Store, texts.Texts, texts.Texts.Stream(request.MessageID), cmd, request.Decide)
	}
	call, err := p.call()
	if err != nil {
		return err
	}
	_, err = c.DialOut.Place(ctx, acts.Caller{Command: cmd, Project: p.terms.ProjectID}, call, p.setup())
	return err
}

// refusal is why a contact cannot be reached at all, by its fields and without its data.
func refusal(err error) (reason string, refused bool) {
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.Validation {
		return "", false
	}
	if len(f.Details) == 0 {
		return f.Message, true
	}
	parts := make([]string, 0, len(f.Details))
	for _, d := range f.Details {
		parts = append(parts, d.Field+" "+d.Problem)
	}
	return strings.Join(parts, "; "), true
}

// until is when the contact must be under way: with the end of the calling hours at the latest.
func (p placement) until(window time.Duration) time.Time {
	last := p.at.Add(window)
	if closing, ok := p.terms.Hours.Close(p.at); ok && closing.Before(last) {
		return closing
	}
	return last
}

func (c Engine) text(p placement) texts.Request {
	return texts.Request{MessageID: c.messageID(p), TenantID: p.Tenant, ProjectID: p.terms.ProjectID, From: p.terms.OurNumber,
		To: p.PhoneNumber, Text: p.terms.MessageText,
		Campaign: &texts.Campaign{CampaignID: p.terms.CampaignID, RunID: p.runID, Index: p.Index}, At: p.asked,
		SendBy: p.until(texts.DefaultSendWindow)}
}

// call is the dial-out of a contact. The flow is the campaign's; without it nobody would
// take the call.
func (p placement) call() (calls.DialOut, error) {
	if p.terms.Call.Flow.ID == "" {
		return calls.DialOut{}, fault.Field("experienceFlow", "%s is not there any more", p.terms.FlowID)
	}
	metadata, err := json.Marshal(callMetadata{CampaignID: p.terms.CampaignID, RunID: p.runID, Contact: p.Contact})
	if err != nil {
		return calls.DialOut{}, reactors.Poison(fmt.Errorf("encoding a contact: %w", err))
	}
	detection := calls.DetectionDisabled
	if p.terms.MachineDetect {
		detection = calls.DetectionDisconnect
	}
	return calls.DialOut{BotID: p.terms.ProjectID, At: p.asked, DialBy: p.until(calls.DefaultDialWindow), Target: "tel:" + p.PhoneNumber,
		OurNumber: p.terms.OurNumber, Metadata: metadata, MachineDetection: string(detection),
		Campaign: &calls.CampaignContact{CampaignID: p.terms.CampaignID, RunID: p.runID, Contact: p.Index}}, nil
}

// setup is the campaign's, with the agent that its flow has now, in the language of the
// contact.
func (p placement) setup() projections.CallSetup {
	setup := p.terms.Call
	setup.Flow.Language = cmp.Or(p.Language, setup.Flow.Language)
	return setup
}

// callMetadata is what the agent of a campaign's call knows of it.
type callMetadata struct {
	CampaignID string               `json:"campaignId"`
	RunID      string               `json:"campaignInstanceId"`
	Contact    contactlists.Contact `json:"contact"`
}

// handBack gives the contacts back that nobody has asked a call or text for.
func (c Engine) handBack(ctx context.Context, e reactors.Event, now time.Time, runID string,
	contacts []campaignmodels.RunContact) error {
	var back []int
	for _, contact := range contacts {
		asked, err := c.asked(ctx, placement{Event: e, RunContact: contact, runID: runID})
		if err != nil {
			return err
		}
		if !asked {
			back = append(back, contact.Index)
		}
	}
	return c.pace(ctx, after(placerName, e), pacing.HandBack{Clock: c.clockAt(now), RunID: runID, Contacts: back}.Decide)
}

func (c Engine) asked(ctx context.Context, p placement) (bool, error) {
	by := acts.Caller{Command: eventstore.Command{RequestID: p.requestID()}}
	call, err := eventstore.Read(ctx, c.Store, calls.Calls, calls.Calls.Stream(c.DialOut.CallID(by)))
	if err != nil {
		return false, fmt.Errorf("looking for the call of a contact: %w", err)
	}
	text, err := eventstore.Read(ctx, c.Store, texts.Texts, texts.Texts.Stream(c.messageID(p)))
	if err != nil {
		return false, fmt.Errorf("looking for the message of a contact: %w", err)
	}
	return call.Version > 0 || text.Version > 0, nil
}
