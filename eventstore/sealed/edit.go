package sealed

// editor copies an event's JSON and puts others in the place of its personal members.
type editor struct {
	scanner
	// edit gives what stands in the place of a value, which is in[from:to]; nil to leave it.
	// key is that of the person whose it is.
	edit func(from, to int, key keyOf) ([]byte, error)
	own  func() keyOf             // for somebody who is met first
	side func(whose string) keyOf // for members that stand side by side, by whose they are
	out  []byte
	from int // what of in is in out already
}

// keyOf gives the key of whoever stands at a place; it is asked only when something is sealed.
type keyOf func() (Key, error)

// run is what the JSON becomes; nil when it stays as it is.
func (e *editor) run(m *marks, key keyOf) ([]byte, error) {
	if err := e.value(m, key); err != nil || e.from == 0 {
		return nil, err
	}
	return append(e.out, e.in[e.from:]...), nil
}

func (e *editor) value(m *marks, key keyOf) error {
	if m == nil {
		return e.skip()
	}
	if m.whose != "" {
		if m.own {
			key = e.side(m.whose)
		}
		return e.replace(key)
	}
	if m.own {
		key = e.own()
	}
	switch e.next() {
	case '{':
		return e.object(func(name []byte) error {
			if m.each != nil {
				return e.value(m.each, key)
			}
			return e.value(m.members[string(name)], key)
		})
	case '[':
		return e.list(func() error { return e.value(m.each, key) })
	}
	return e.skip()
}

func (e *editor) replace(key keyOf) error {
	e.next()
	start := e.at
	if err := e.skip(); err != nil {
		return err
	}
	instead, err := e.edit(start, e.at, key)
	if err != nil || instead == nil {
		return err
	}
	e.out = append(append(e.out, e.in[e.from:start]...), instead...)
	e.from = e.at
	return nil
}
