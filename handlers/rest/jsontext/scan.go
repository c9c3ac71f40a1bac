package jsontext

import (
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/fault"
)

// deepest is where a body no longer counts as JSON, in levels: encoding/json gives
// up there too. What the scanner remembers of them is one bit each.
const deepest = 10_000

// Scanner judges whether bytes are one JSON value, piece by piece as they come. What it
// holds does not grow with them: it makes no values and keeps no texts, so that a body
// of anybody can be judged. It takes what encoding/json takes, in valid UTF-8.
type Scanner struct {
	want    int // what may come next
	Top     byte
	bits    [deepest/64 + 1]uint64 // of each level that is open: 1 for an object
	depth   int
	offset  int64
	literal string // what remains of true, false or null
	hex     int    // digits that remain of \u
	char    [utf8.UTFMax]byte
	chars   int

	Values int    // values so far, members and items alike
	Levels int    // most levels that were open at once, the body's own not counted
	Member string // the member of the body in which that was, as it was written
	name   []byte // of the member of the body that is being read
}

// longestMember bounds the names that problems are told of, in bytes.
const longestMember = 64

// What may come next.
const (
	wantValue      = iota
	wantItemOrEnd  // after [
	wantNameOrEnd  // after {
	wantName       // after a comma in an object
	wantColon      // after a name
	wantCommaOrEnd // after a value
	wantNothing    // after the whole value
	inName
	inNameEscape
	inNameHex
	inText
	inTextEscape
	inTextHex
	inLiteral
	inMinus    // - was read
	inZero     // 0
	inDigits   // 1 to 9 and on
	inPoint    // .
	inFraction // a digit after it
	inExp      // e
	inExpSign  // its sign
	inExpDigits
)

// errAt is the refusal of a body that does not parse.
func (s *Scanner) errAt() error {
	return fault.New(fault.BadRequest, "the body is not valid JSON: a fault near byte %d", s.offset)
}

// Write judges the next bytes; its error is the refusal.
func (s *Scanner) Write(data []byte) (int, error) {
	for i := 0; i < len(data); i++ {
		if s.want == inText && s.chars == 0 {
			plain := i
			for i < len(data) && isPlain(data[i]) {
				i++
			}
			if s.offset += int64(i - plain); i == len(data) {
				break
			}
		}
		s.offset++
		if err := s.next(data[i]); err != nil {
			return i, err
		}
	}
	return len(data), nil
}

// isPlain is a byte that changes nothing in a text; most bytes of most bodies are.
func isPlain(c byte) bool { return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' }

// End judges that nothing more comes.
func (s *Scanner) End() error {
	if s.depth == 0 && (s.want == inZero || s.want == inDigits || s.want == inFraction || s.want == inExpDigits) {
		s.want = wantNothing
	}
	if s.want != wantNothing {
		return s.errAt()
	}
	return nil
}

// Empty reports that there was nothing but white space.
func (s *Scanner) Empty() bool { return s.Top == 0 && s.want == wantValue }

func (s *Scanner) next(c byte) error {
	switch {
	case s.want >= inName && s.want <= inTextHex:
		return s.text(c)
	case s.want == inLiteral:
		return s.spell(c)
	case s.want >= inMinus:
		if ended, err := s.number(c); !ended || err != nil {
			return err
		}
	}
	if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
		return nil
	}
	return s.structure(c)
}

// structure takes what stands between texts, numbers and literals.
func (s *Scanner) structure(c byte) error {
	switch s.want {
	case wantValue:
		return s.begin(c)
	case wantItemOrEnd:
		if c == ']' {
			return s.close()
		}
		return s.begin(c)
	case wantNameOrEnd, wantName:
		if c == '}' && s.want == wantNameOrEnd {
			return s.close()
		}
		if c == '"' {
			if s.want = inName; s.depth == 1 {
				s.name = s.name[:0]
			}
			return nil
		}
	case wantColon:
		if c == ':' {
			s.want = wantValue
			return nil
		}
	case wantCommaOrEnd:
		return s.commaOrEnd(c)
	case wantNothing:
		return fault.New(fault.BadRequest, "the body has something after its JSON value")
	}
	return s.errAt()
}

func (s *Scanner) commaOrEnd(c byte) error {
	object := s.inObject()
	switch {
	case c == ',' && object:
		s.want = wantName
	case c == ',':
		s.want = wantValue
	case c == '}' && object, c == ']' && !object:
		return s.close()
	default:
		return s.errAt()
	}
	return nil
}

// begin takes the first byte of a value.
func (s *Scanner) begin(c byte) error {
	if s.Top == 0 {
		s.Top = c
	}
	s.Values++
	switch {
	case c == '{':
		return s.open(true)
	case c == '[':
		return s.open(false)
	case c == '"':
		s.want = inText
	case c == '-':
		s.want = inMinus
	case c == '0':
		s.want = inZero
	case c >= '1' && c <= '9':
		s.want = inDigits
	case c == 't':
		s.want, s.literal = inLiteral, "rue"
	case c == 'f':
		s.want, s.literal = inLiteral, "alse"
	case c == 'n':
		s.want, s.literal = inLiteral, "ull"
	default:
		return s.errAt()
	}
	return nil
}

func (s *Scanner) open(object bool) error {
	if s.depth == deepest {
		return fault.New(fault.BadRequest, "the body is not valid JSON: it is nested deeper than %d levels", deepest)
	}
	word, bit := s.depth/64, uint64(1)<<(s.depth%64)
	s.bits[word] &^= bit
	s.want = wantItemOrEnd
	if object {
		s.bits[word] |= bit
		s.want = wantNameOrEnd
	}
	if s.depth > s.Levels {
		s.Levels = s.depth
		if s.Member != string(s.name) {
			s.Member = string(s.name)
		}
	}
	s.depth++
	return nil
}

func (s *Scanner) close() error {
	s.depth--
	s.done()
	return nil
}

// done ends a value.
func (s *Scanner) done() {
	s.want = wantCommaOrEnd
	if s.depth == 0 {
		s.want = wantNothing
	}
}

func (s *Scanner) inObject() bool {
	at := s.depth - 1
	return s.bits[at/64]&(1<<(at%64)) != 0
}

func (s *Scanner) spell(c byte) error {
	if c != s.literal[0] {
		return s.errAt()
	}
	if s.literal = s.literal[1:]; s.literal == "" {
		s.done()
	}
	return nil
}

// text takes a byte of a name or a text: the states of both differ by a constant.
func (s *Scanner) text(c byte) error {
	base := inName
	if s.want >= inText {
		base = inText
	}
	if base == inName && s.depth == 1 && len(s.name) < longestMember && c != '"' {
		s.name = append(s.name, c)
	}
	switch s.want - base {
	case inNameEscape - inName:
		return s.escape(c, base)
	case inNameHex - inName:
		if !isHex(c) {
			return s.errAt()
		}
		if s.hex--; s.hex == 0 {
			s.want = base
		}
		return nil
	}
	return s.plain(c, base)
}

func (s *Scanner) escape(c byte, base int) error {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.want = base
	case 'u':
		s.want, s.hex = base+inNameHex-inName, 4
	default:
		return s.errAt()
	}
	return nil
}

func (s *Scanner) plain(c byte, base int) error {
	switch {
	case s.chars > 0 || c >= utf8.RuneSelf:
		return s.rune(c)
	case c == '"' && base == inName:
		s.want = wantColon
	case c == '"':
		s.done()
	case c == '\\':
		s.want = base + inNameEscape - inName
	case c < ' ':
		return s.errAt()
	}
	return nil
}

// rune takes a byte of a character of several.
func (s *Scanner) rune(c byte) error {
	s.char[s.chars] = c
	s.chars++
	if !utf8.FullRune(s.char[:s.chars]) {
		return nil
	}
	if r, size := utf8.DecodeRune(s.char[:s.chars]); r == utf8.RuneError && size == 1 || size != s.chars {
		return fault.New(fault.BadRequest, "the body is not valid UTF-8")
	}
	s.chars = 0
	return nil
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// number takes a byte of a number, or tells that the number ended before it.
func (s *Scanner) number(c byte) (ended bool, err error) {
	digit := c >= '0' && c <= '9'
	switch s.want {
	case inMinus:
		switch {
		case c == '0':
			s.want = inZero
		case digit:
			s.want = inDigits
		default:
			return false, s.errAt()
		}
		return false, nil
	case inPoint:
		return false, s.must(digit, inFraction)
	case inExp:
		if c == '+' || c == '-' {
			s.want = inExpSign
			return false, nil
		}
		return false, s.must(digit, inExpDigits)
	case inExpSign:
		return false, s.must(digit, inExpDigits)
	}
	switch {
	case digit && s.want != inZero:
	case c == '.' && (s.want == inZero || s.want == inDigits):
		s.want = inPoint
	case (c == 'e' || c == 'E') && s.want != inExpDigits:
		s.want = inExp
	default:
		s.done()
		return true, nil
	}
	return false, nil
}

func (s *Scanner) must(ok bool, then int) error {
	if !ok {
		return s.errAt()
	}
	s.want = then
	return nil
}
