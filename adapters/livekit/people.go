package livekit

import (
	"maps"
	"slices"
	"sync"

	"github.com/parley-platform/parley/adapters/livekit/signal"
)

// presence is who is in the room beside us, as the server has told.
type presence struct {
	mu     sync.Mutex
	people map[string]string // identities, by sid
	agents map[string]string // of others
	speech map[string]string // tracks of people, and whose they are
	heard  map[string]bool   // of these, those that we have asked for
}

// mostHeard is how many microphones of a room are heard at a time: each takes a hundredth of a core.
const mostHeard = 16

// note takes what the server says of participants, and gives the tracks of people that are to be heard from now on: those that
// are not heard yet, as far as there is room, which others may have left.
func (p *presence) note(told []signal.Participant) (tracks []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.people == nil {
		p.people, p.agents, p.speech, p.heard = map[string]string{}, map[string]string{}, map[string]string{}, map[string]bool{}
	}
	for _, who := range told {
		p.place(who)
	}
	maps.DeleteFunc(p.heard, func(sid string, _ bool) bool { return p.speech[sid] == "" })
	for _, sid := range slices.Sorted(maps.Keys(p.speech)) {
		if !p.heard[sid] && len(p.heard) < mostHeard {
			p.heard[sid] = true
			tracks = append(tracks, sid)
		}
	}
	return tracks
}

// place notes one participant, with the tracks that there are of them now.
func (p *presence) place(who signal.Participant) {
	of := p.people
	if !who.Kind.Person() {
		of = p.agents
	}
	maps.DeleteFunc(p.speech, func(sid, whose string) bool {
		return whose == who.SID && (who.Gone || !slices.ContainsFunc(who.Tracks, func(t signal.Track) bool { return t.SID == sid }))
	})
	if who.Gone {
		delete(of, who.SID)
		return
	}
	if who.Kind != signal.Egress {
		of[who.SID] = who.Identity
	}
	if !who.Kind.Person() {
		return
	}
	for _, t := range who.Tracks {
		if t.Speech() {
			p.speech[t.SID] = who.SID
		}
	}
}

// count is how many people and agents are there beside us.
func (p *presence) count() (people, agents int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.people), len(p.agents)
}

// writes reports whether it is a person who has sent data. Whoever has come a moment ago may not be known yet.
func (p *presence) writes(d signal.Data) (person, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	in := func(all map[string]string) bool {
		for sid, identity := range all {
			if d.SID != "" && d.SID == sid || d.SID == "" && d.Identity == identity {
				return true
			}
		}
		return false
	}
	person = in(p.people)
	return person, person || in(p.agents)
}

// people takes what the server says of participants, and asks to hear those whom we do not hear yet. What
// agents say, what is recorded and what people show is not heard.
func (s *session) people(told []signal.Participant) {
	told = slices.DeleteFunc(slices.Clone(told), func(p signal.Participant) bool { return p.SID == s.self })
	s.mail.Lock()
	tracks, early := s.present.note(told), s.early
	s.early = nil
	for _, d := range early {
		s.write(d)
	}
	s.mail.Unlock()
	if len(tracks) > 0 {
		_ = s.send(signal.Request{Subscription: &signal.Subscription{Tracks: tracks, Subscribe: true}})
	}
	select {
	case s.news <- struct{}{}:
	default:
	}
}
