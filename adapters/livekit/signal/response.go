package signal

import "fmt"

// Read reads a message of the server.
func Read(data []byte) (r Response, err error) {
	err = each(data, func(m member) (err error) {
		switch m.number {
		case 1:
			r.Join, err = join(m.bytes)
		case 2:
			r.Answer, err = description(m.bytes)
		case 3:
			r.Offer, err = description(m.bytes)
		case 4:
			r.Trickle, err = trickle(m.bytes)
		case 5:
			r.Update, err = update(m.bytes)
		case 6:
			r.Published, err = published(m.bytes)
		case 8:
			r.Leave, err = leave(m.bytes)
		case 22:
			r.Refused, err = refused(m.bytes)
		}
		return err
	})
	if err != nil {
		return Response{}, fmt.Errorf("reading a message of LiveKit: %w", err)
	}
	return r, nil
}

func description(b []byte) (*Description, error) {
	var d Description
	return &d, each(b, func(m member) error {
		switch m.number {
		case 1:
			d.Type = m.text()
		case 2:
			d.SDP = m.text()
		case 3:
			d.ID = uint32(m.value)
		}
		return nil
	})
}

func trickle(b []byte) (*Trickle, error) {
	var t Trickle
	return &t, each(b, func(m member) error {
		switch m.number {
		case 1:
			t.Init = m.text()
		case 2:
			t.Target = Target(m.value)
		case 3:
			t.Final = m.is()
		}
		return nil
	})
}

func leave(b []byte) (*Leave, error) {
	var l Leave
	return &l, each(b, func(m member) error {
		switch m.number {
		case 1:
			l.CanReconnect = m.is()
		case 2:
			l.Reason = Reason(m.value)
		case 3:
			l.Action = Action(m.value)
		}
		return nil
	})
}

func join(b []byte) (*Join, error) {
	var j Join
	return &j, each(b, func(m member) (err error) {
		switch m.number {
		case 1:
			j.Room, err = roomName(m.bytes)
		case 2:
			j.Self, err = participant(m.bytes)
		case 3:
			var p Participant
			p, err = participant(m.bytes)
			j.Others = append(j.Others, p)
		case 10:
			j.PingTimeout = int(int32(m.value))
		case 11:
			j.PingInterval = int(int32(m.value))
		}
		return err
	})
}

func roomName(b []byte) (name string, err error) {
	err = each(b, func(m member) error {
		if m.number == 2 {
			name = m.text()
		}
		return nil
	})
	return name, err
}

func update(b []byte) (all []Participant, err error) {
	err = each(b, func(m member) error {
		if m.number != 1 {
			return nil
		}
		p, err := participant(m.bytes)
		all = append(all, p)
		return err
	})
	return all, err
}

const disconnected = 3 // the state of a participant who is gone

func participant(b []byte) (p Participant, err error) {
	err = each(b, func(m member) error {
		switch m.number {
		case 1:
			p.SID = m.text()
		case 2:
			p.Identity = m.text()
		case 3:
			p.Gone = m.value == disconnected
		case 4:
			t, err := track(m.bytes)
			p.Tracks = append(p.Tracks, t)
			return err
		case 14:
			p.Kind = Kind(m.value)
		}
		return nil
	})
	return p, err
}

func track(b []byte) (t Track, err error) {
	t.Audio = true // type 0, which is not sent
	err = each(b, func(m member) error {
		switch m.number {
		case 1:
			t.SID = m.text()
		case 2:
			t.Audio = m.value == 0
		case 4:
			t.Muted = m.is()
		case 9:
			t.Source = Source(m.value)
		case 11:
			t.MIME = m.text()
		case 16:
			t.Encrypted = m.is()
		}
		return nil
	})
	return t, err
}

func published(b []byte) (*Published, error) {
	var p Published
	return &p, each(b, func(m member) (err error) {
		switch m.number {
		case 1:
			p.CID = m.text()
		case 2:
			p.Track, err = track(m.bytes)
		}
		return err
	})
}

// refused is nothing where the request was done after all.
func refused(b []byte) (*Refused, error) {
	var r Refused
	err := each(b, func(m member) error {
		switch m.number {
		case 2:
			r.Code = int(m.value)
		case 3:
			r.Message = m.text()
		}
		return nil
	})
	if err != nil || r.Code == 0 {
		return nil, err
	}
	return &r, nil
}
