package signal

// Marshal is the message as it is sent.
func (r Request) Marshal() []byte {
	var m message
	switch {
	case r.Offer != nil:
		m.in(1, r.Offer.message())
	case r.Answer != nil:
		m.in(2, r.Answer.message())
	case r.AddTrack != nil:
		m.in(4, r.AddTrack.message())
	case r.Subscription != nil:
		m.in(6, r.Subscription.message())
	case r.Leave != nil:
		m.in(8, r.Leave.message())
	case r.Ping != nil:
		m.in(16, r.Ping.message())
	}
	return m
}

func (d Description) message() (m message) {
	m.text(1, d.Type)
	m.text(2, d.SDP)
	m.number(3, int64(d.ID))
	return m
}

func (a AddTrack) message() (m message) { // of audio, which is type 0
	m.text(1, a.CID)
	m.text(2, a.Name)
	m.is(7, a.DisableDTX)
	m.number(8, int64(a.Source))
	m.is(13, a.DisableRED)
	return m
}

func (s Subscription) message() (m message) {
	for _, sid := range s.Tracks {
		m.text(1, sid)
	}
	m.is(2, s.Subscribe)
	return m
}

func (l Leave) message() (m message) {
	m.is(1, l.CanReconnect)
	m.number(2, int64(l.Reason))
	m.number(3, int64(l.Action))
	return m
}

func (p Ping) message() (m message) {
	m.number(1, p.Timestamp)
	m.number(2, p.RoundTrip)
	return m
}
