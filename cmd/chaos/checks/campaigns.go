package checks

import (
	"github.com/parley-platform/parley/cmd/chaos/load"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
)

// contact is one contact of one run.
type contact struct {
	runID string
	index int
}

// effect is the call or message of a contact.
type effect struct {
	id, to  string
	outcome pacing.Outcome // empty: it has not ended
}

// ran is what the log says of all runs.
type ran struct {
	out      *Findings
	lines    int
	numbers  map[contact]string // whom a run reaches
	contacts map[string]int     // how many that are, by run
	effects  map[contact][]effect
	taken    map[contact]bool
	outcomes map[contact]pacing.ContactFinished
	finished map[string]pacing.RunFinished
}

// Ran checks that each contact of a run has exactly one call or message and one outcome,
// which is that of its call or message; that the lines were never more than there are,
// and took nobody for a run that was held or stopped; and that the totals of each run are
// those of the log, also as the API shows them at the end.
func Ran(f *Fold, ops []load.Op, lines int, out *Findings) {
	r := &ran{out: out, lines: lines, numbers: map[contact]string{}, contacts: map[string]int{}, effects: map[contact][]effect{},
		taken:    map[contact]bool{},
		outcomes: map[contact]pacing.ContactFinished{}, finished: map[string]pacing.RunFinished{}}
	r.list(f)
	r.reached(f)
	r.paced(f)
	r.ended(f)
	r.shown(ops)
}

// list reads whom each run reaches.
func (r *ran) list(f *Fold) {
	folded(f, runs.Runs, func(stream string, _ runs.State, _ *eventstore.Record, p event.Payload) {
		e, ok := p.(runs.ContactsListed)
		if !ok {
			return
		}
		runID := runs.IDOf(runs.Runs.StreamID(stream))
		for i, person := range e.Contacts {
			who := contact{runID, e.From + i}
			if r.numbers[who] != "" {
				r.out.Add("campaign", "contact %d of run %s was listed twice", who.index, runID)
			}
			r.numbers[who] = person.PhoneNumber
			r.contacts[runID]++
		}
	})
}

// reached reads which calls and messages there are, and how each ended.
func (r *ran) reached(f *Fold) {
	for stream, s := range folded(f, calls.Calls, nil) {
		if of := s.Request.Campaign; of != nil {
			outcome := map[calls.Phase]pacing.Outcome{calls.PhaseCompleted: pacing.CallCompleted, calls.PhaseFailed: pacing.Failed}[s.Phase]
			r.reach(contact{of.RunID, of.Contact}, effect{calls.Calls.StreamID(stream), s.Request.Target, outcome}, "tel:")
		}
	}
	for stream, s := range folded(f, texts.Texts, nil) {
		if of := s.Request.Campaign; of != nil {
			var outcome pacing.Outcome
			switch {
			case s.Sent:
				outcome = pacing.MessageSent
			case s.Attempt.Ended:
				outcome = pacing.Failed
			}
			r.reach(contact{of.RunID, of.Index}, effect{texts.Texts.StreamID(stream), s.Request.To, outcome}, "")
		}
	}
}

func (r *ran) reach(who contact, e effect, prefix string) {
	if e.to != prefix+r.numbers[who] {
		r.out.Add("campaign", "contact %d of run %s is %q, and %s went to %s", who.index, who.runID, r.numbers[who], e.id, e.to)
	}
	if r.effects[who] = append(r.effects[who], e); len(r.effects[who]) > 1 {
		r.out.Doubled++
		r.out.Add("campaign", "contact %d of run %s was reached by %s and by %s", who.index, who.runID, r.effects[who][0].id, e.id)
	}
}

// paced folds the lines, event by event.
func (r *ran) paced(f *Fold) {
	for stream, s := range folded(f, pacing.Pacing, r.step) {
		for _, run := range s.Runs {
			r.out.Add("campaign", "run %s has not finished at the end of %s", run.RunID, stream)
		}
	}
}

func (r *ran) step(stream string, s pacing.State, record *eventstore.Record, p event.Payload) {
	switch e := p.(type) {
	case pacing.ContactsTaken:
		if run, _ := s.Find(e.RunID); run.Held || run.Stopped {
			r.out.Add("paused", "%s v%d takes contacts %v of run %s, which was held or stopped", stream, record.Version, e.Contacts, e.RunID)
		}
		for _, i := range e.Contacts {
			who := contact{e.RunID, i}
			if _, over := r.outcomes[who]; over || r.taken[who] {
				r.out.Add("campaign", "%s v%d takes contact %d of run %s once more", stream, record.Version, i, e.RunID)
			}
			r.taken[who] = true
		}
		busy := 0
		for _, run := range s.Runs {
			if run.Channel == pacing.Voice {
				busy += len(run.InFlight)
			}
		}
		if busy > r.lines {
			r.out.Add("campaign", "%s v%d: %d calls at once, on %d lines", stream, record.Version, busy, r.lines)
		}
	case pacing.ContactsReturned:
		for _, i := range e.Contacts {
			delete(r.taken, contact{e.RunID, i})
		}
	case pacing.ContactFinished:
		r.finish(stream, record, e)
	case pacing.RunFinished:
		if _, twice := r.finished[e.RunID]; twice {
			r.out.Add("campaign", "run %s finished twice", e.RunID)
		}
		r.finished[e.RunID] = e
	}
}

// finish holds an outcome against the call or message that it is of.
func (r *ran) finish(stream string, record *eventstore.Record, e pacing.ContactFinished) {
	who := contact{e.RunID, e.Contact}
	if _, twice := r.outcomes[who]; twice {
		r.out.Doubled++
		r.out.Add("campaign", "%s v%d: contact %d of run %s has a second outcome", stream, record.Version, e.Contact, e.RunID)
	}
	r.outcomes[who] = e
	of := r.effects[who]
	switch {
	case e.EffectID == "" && (len(of) > 0 || e.Outcome != pacing.Failed):
		r.out.Add("campaign", "contact %d of run %s is %s without a call or message, and has %v", e.Contact, e.RunID, e.Outcome, of)
	case e.EffectID != "" && (len(of) == 0 || of[0].id != e.EffectID || of[0].outcome != e.Outcome):
		r.out.Add("campaign", "contact %d of run %s is %s by %s; what the log has is %v", e.Contact, e.RunID, e.Outcome, e.EffectID, of)
	}
}

// ended checks that every run that was started has come to its end, with all its contacts.
func (r *ran) ended(f *Fold) {
	for who, of := range r.effects {
		if _, over := r.outcomes[who]; !over {
			r.out.Add("campaign", "contact %d of run %s was reached by %s and has no outcome", who.index, who.runID, of[0].id)
		}
	}
	final := folded(f, campaigns.Campaigns, func(_ string, _ campaigns.State, _ *eventstore.Record, p event.Payload) {
		if e, ok := p.(campaigns.Started); ok {
			r.total(e.RunID)
		}
	})
	for stream, s := range final {
		if s.Running() {
			r.out.Add("campaign", "%s is %s at the end, with run %s", stream, s.Status, s.RunID)
		}
	}
}

// total holds the end of a run against the outcomes of its contacts.
func (r *ran) total(runID string) {
	end, over := r.finished[runID]
	if !over {
		r.out.Add("campaign", "run %s was started and never finished", runID)
		return
	}
	var tally pacing.Tally
	for i := range r.contacts[runID] {
		switch r.outcomes[contact{runID, i}].Outcome {
		case pacing.CallCompleted:
			tally.CallsCompleted++
		case pacing.MessageSent:
			tally.MessagesSent++
		case pacing.Failed:
			tally.Failed++
		default:
			if !end.Stopped {
				r.out.Lost++
				r.out.Add("campaign", "contact %d of run %s has no outcome, and the run has finished", i, runID)
			}
		}
	}
	if end.Tally != tally || end.Contacts != r.contacts[runID] {
		r.out.Add("campaign", "run %s finished with %d contacts and %+v; its events make %d and %+v", runID, end.Contacts, end.Tally,
			r.contacts[runID], tally)
	}
}

// shown compares the last that each node showed of each run.
func (r *ran) shown(ops []load.Op) {
	type place struct{ node, runID string }
	last := map[place]load.Run{}
	for _, op := range ops {
		if op.Kind == load.ReadRun && op.Outcome == load.OK {
			last[place{op.Tries[len(op.Tries)-1].Node, op.Campaign.RunID}] = op.Campaign.Run
		}
	}
	for at, got := range last {
		end, over := r.finished[at.runID]
		want := load.Run{Status: load.RunFinished, Contacts: end.Contacts, Completed: end.Tally.CallsCompleted, Sent: end.Tally.MessagesSent,
			Failed: end.Tally.Failed}
		if over && !end.Stopped && got != want {
			r.out.Add("totals", "node %s shows run %s as %+v at the end; its events make %+v", at.node, at.runID, got, want)
		}
	}
}
