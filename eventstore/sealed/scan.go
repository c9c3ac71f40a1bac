package sealed

import (
	"bytes"
	"fmt"
)

// scanner walks JSON that is known to be valid.
type scanner struct {
	in []byte
	at int
}

// next is the byte that comes behind white space, 0 at the end.
func (s *scanner) next() byte {
	for s.at < len(s.in) {
		switch c := s.in[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// skip goes behind the next value.
func (s *scanner) skip() error {
	switch s.next() {
	case '{':
		return s.object(func([]byte) error { return s.skip() })
	case '[':
		return s.list(s.skip)
	case '"':
		_, err := s.text()
		return err
	case 0:
		return s.broken()
	}
	end := bytes.IndexAny(s.in[s.at:], " \t\n\r,]}") // of a number or a word
	if end < 0 {
		end = len(s.in) - s.at
	}
	s.at += end
	return nil
}

// text goes behind a string and returns what stands between its quotes, as it is written.
func (s *scanner) text() ([]byte, error) {
	start := s.at + 1
	for i := start; i < len(s.in); i++ {
		switch s.in[i] {
		case '\\':
			i++
		case '"':
			s.at = i + 1
			return s.in[start:i], nil
		}
	}
	return nil, s.broken()
}

// object goes behind an object; member is called where the value of a name begins, and goes
// behind it.
func (s *scanner) object(member func(name []byte) error) error {
	return s.inside('}', func() error {
		if s.next() != '"' {
			return s.broken()
		}
		name, err := s.text()
		if err != nil {
			return err
		}
		if s.next() != ':' {
			return s.broken()
		}
		s.at++
		return member(name)
	})
}

// list goes behind a list; element goes behind one of it.
func (s *scanner) list(element func() error) error { return s.inside(']', element) }

func (s *scanner) inside(end byte, one func() error) error {
	s.at++ // the bracket
	if s.next() == end {
		s.at++
		return nil
	}
	for {
		if err := one(); err != nil {
			return err
		}
		switch s.next() {
		case ',':
			s.at++
		case end:
			s.at++
			return nil
		default:
			return s.broken()
		}
	}
}

func (s *scanner) broken() error { return fmt.Errorf("JSON breaks off at byte %d", s.at) }
