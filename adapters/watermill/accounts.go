package watermillkafka

// accounts takes turns among the accounts of a partition: one whose handlers all wait, as for a receiver of its own that is dead, leaves
// room for the others. Records without an account are together one.
type accounts struct {
	inFlight int // of one account; all of them together may have twice as many
	ready    map[string][]*lane
	busy     map[string]int
	all      int // busy ones
	became   uint64
}

// add takes a lane with a record to hand out.
func (a *accounts) add(l *lane) {
	a.became++
	l.became = a.became
	a.ready[l.account()] = append(a.ready[l.account()], l)
}

// next is the lane whose turn it is: that of the account with the fewest records under way, of these the one that was ready first;
// nil: there is none, or no room.
func (a *accounts) next() *lane {
	if a.all >= 2*a.inFlight {
		return nil
	}
	var found *lane
	for account, lanes := range a.ready {
		first, busy := lanes[0], a.busy[account]
		if busy >= a.inFlight {
			continue
		}
		if found == nil || busy < a.busy[found.account()] || busy == a.busy[found.account()] && first.became < found.became {
			found = first
		}
	}
	if found != nil {
		a.begin(found.account())
	}
	return found
}

func (a *accounts) begin(account string) {
	rest := a.ready[account]
	rest[0] = nil
	if a.ready[account] = rest[1:]; len(rest) == 1 {
		delete(a.ready, account)
	}
	a.busy[account]++
	a.all++
}

// end gives back the room of a record.
func (a *accounts) end(account string) {
	a.all--
	if a.busy[account]--; a.busy[account] == 0 {
		delete(a.busy, account)
	}
}
