package platforms

import "slices"

// Trouble is what is wrong with a provider.
type Trouble string

// The troubles.
const (
	Busy    Trouble = "busy"     // too many requests, with a pause if one is named
	Down    Trouble = "down"     // a fault of the provider's: nothing was taken, but who asks cannot know
	Refuses Trouble = "refuses"  // the message, for good
	Revoked Trouble = "revoked"  // the credential is not accepted, whatever is asked
	Inside  Trouble = "inside"   // a status that says well, with an error in the body
	Cuts    Trouble = "cuts"     // the message is taken, and the connection ends without an answer
	HangsUp Trouble = "hangs-up" // the connection ends, and nothing was taken
)

var troubles = []Trouble{Busy, Down, Refuses, Revoked, Inside, Cuts, HangsUp}

// Fault has a provider be in trouble.
type Fault struct {
	Kind  string  `json:"channelType,omitempty"` // empty: all
	To    string  `json:"to,omitempty"`          // empty: whoever it goes to
	Does  Trouble `json:"does"`
	Times int     `json:"times,omitempty"` // for so many messages; 0: until the faults are deleted
	Pause int     `json:"pauseSeconds,omitempty"`
}

// Fault adds one. Of several that fit, the first has its time first.
func (x *Recorder) Fault(f Fault) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.troubles = append(x.troubles, &f)
}

// Mend ends all faults.
func (x *Recorder) Mend() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.troubles = nil
}

// trouble is what a request meets. What is no message meets only that a credential is revoked, and
// is not counted.
func (x *Recorder) trouble(m Message, other bool) (does Trouble, seconds int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, f := range x.troubles {
		switch {
		case f.Kind != "" && f.Kind != m.Kind, f.To != "" && f.To != m.To && !other:
		case other && f.Does != Revoked:
		default:
			if f.Times > 0 && !other {
				if f.Times--; f.Times == 0 {
					x.troubles = slices.Delete(x.troubles, i, i+1)
				}
			}
			return f.Does, f.Pause
		}
	}
	return "", 0
}
