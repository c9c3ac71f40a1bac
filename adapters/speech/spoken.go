package speech

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/domain/wav"
)

// Shelf is a blob storage, in which what has a name may be written anew.
type Shelf interface {
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
	Replace(ctx context.Context, name, contentType string, content []byte) error
	Delete(ctx context.Context, name string) error
}

// How much is kept of what was spoken (docs/decisions/2026-11-25-speech.md).
const (
	places      = 1_024            // on the shelf; two texts of one place take turns
	mostKept    = 48 << 20         // bytes in memory
	keptFor     = 10 * time.Minute // in memory, since it was asked for last
	longestKept = 30 * sampleRate  // samples of a text that is kept
	shelfWithin = 2 * time.Second  // that is waited for: to speak anew is as good
)

// Spoken is a speaker that knows what was spoken before. A text that is asked for again is kept in
// memory, and on the shelf from the second time on: so what one person is told once, which may say
// who they are, is forgotten with the process or minutes later. Those who ask for one text at a time
// have it spoken once.
type Spoken struct {
	by       Speaker
	shelf    Shelf // nil: nothing is kept beyond the process
	erasures func() uint64
	log      *slog.Logger
	now      func() time.Time

	mu      sync.Mutex
	since   uint64 // the erasures behind which all of known was asked for
	known   map[[32]byte]*sound
	storing *sync.WaitGroup // what of known is on its way to the shelf
	bytes   int
	hits    int64
}

// sound is a text that is spoken, or being spoken.
type sound struct {
	done    chan struct{} // closed when it is
	samples []int16
	err     error
	last    time.Time // when it was asked for
	asked   int
}

// NewSpoken keeps what a speaker says, until erasures counts more of them: somebody was erased, perhaps by another node. now may be nil.
func NewSpoken(by Speaker, shelf Shelf, erasures func() uint64, log *slog.Logger, now func() time.Time) *Spoken {
	if now == nil {
		now = time.Now
	}
	return &Spoken{by: by, shelf: shelf, erasures: erasures, log: log, now: now, known: map[[32]byte]*sound{}, storing: &sync.WaitGroup{}}
}

// Voice is that of the speaker.
func (s *Spoken) Voice(language string) string { return s.by.Voice(language) }

// Hits is how often a text was known.
func (s *Spoken) Hits() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits
}

// Prepare has a text spoken that is about to be said, and waits for nothing.
func (s *Spoken) Prepare(ctx context.Context, text, language string) {
	go func() { _, _ = s.Speak(ctx, text, language) }() // who says it is told what went wrong
}

// Speak implements the port. What it gives is shared: nobody may write to it.
func (s *Spoken) Speak(ctx context.Context, text, language string) ([]int16, error) {
	key := sha256.Sum256([]byte(strconv.Quote(s.by.Voice(language)) + strconv.Quote(language) + text))
	for {
		of, mine := s.enter(key)
		if mine {
			s.make(ctx, key, of, text, language)
			return of.samples, of.err
		}
		select {
		case <-of.done:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for a text to be spoken: %w", ctx.Err())
		}
		if of.err == nil {
			return of.samples, nil
		}
		if !errors.Is(of.err, context.Canceled) && !errors.Is(of.err, context.DeadlineExceeded) {
			return nil, of.err
		} // who was to speak it gave up, and we have not
	}
}

// enter finds a sound, or makes its place; mine: the caller has to have it spoken.
func (s *Spoken) enter(key [32]byte) (of *sound, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.hear()
	s.forget(now)
	if of = s.known[key]; of != nil {
		s.hits++
		if of.asked++; of.asked == 2 {
			go s.store(key, of)
		}
		of.last = now
		return of, false
	}
	of = &sound{done: make(chan struct{}), last: now, asked: 1}
	s.known[key] = of
	return of, true
}

// make has it spoken, unless it is on the shelf.
func (s *Spoken) make(ctx context.Context, key [32]byte, of *sound, text, language string) {
	defer close(of.done)
	of.err = errors.New("the synthesizer met a defect") // unless it returns
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.known[key] != of { // all was forgotten meanwhile
			return
		}
		if of.err != nil || len(of.samples) > longestKept {
			delete(s.known, key)
			return
		}
		s.bytes += len(of.samples) * sampleBytes
	}()
	if samples := s.found(ctx, key); samples != nil {
		of.samples, of.err = samples, nil
		s.mu.Lock()
		of.asked = max(of.asked, 2) // it is there
		s.mu.Unlock()
		return
	}
	of.samples, of.err = s.by.Speak(ctx, text, language)
}

// forget drops what nobody has asked for lately, and what is too much. It holds mu.
func (s *Spoken) forget(now time.Time) {
	for len(s.known) > 0 {
		var oldest [32]byte
		var of *sound
		for key, other := range s.known {
			if of == nil || other.last.Before(of.last) {
				oldest, of = key, other
			}
		}
		if s.bytes <= mostKept && now.Sub(of.last) < keptFor {
			return
		}
		select {
		case <-of.done:
		default:
			return // it is on its way
		}
		delete(s.known, oldest)
		s.bytes -= len(of.samples) * sampleBytes
	}
}

// placeOf is where on the shelf a text may be.
func placeOf(n int) string { return fmt.Sprintf("spoken/%04d", n) }

func placeFor(key [32]byte) string { return placeOf((int(key[0])<<8 | int(key[1])) % places) }

func (s *Spoken) found(ctx context.Context, key [32]byte) []int16 {
	if s.shelf == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, shelfWithin)
	defer cancel()
	r, err := s.shelf.Open(ctx, placeFor(key))
	if err != nil {
		return nil // it is not there, or the shelf is away: both are no reason not to speak
	}
	defer func() { _ = r.Close() }()
	raw, err := io.ReadAll(io.LimitReader(r, 2*longestKept*sampleBytes))
	if err != nil {
		return nil
	}
	w, ok := parseWAV(raw)
	if !ok || w.rate != sampleRate || w.comment != hex.EncodeToString(key[:]) || len(w.sound) == 0 {
		return nil
	}
	return wav.Samples(w.sound)
}

// store puts what was asked for twice on the shelf, unless all was forgotten meanwhile.
func (s *Spoken) store(key [32]byte, of *sound) {
	<-of.done
	if s.shelf == nil || of.err != nil || len(of.samples) > longestKept {
		return
	}
	s.mu.Lock()
	known, storing := s.known[key] == of, s.storing
	if known {
		storing.Add(1)
	}
	s.mu.Unlock()
	if !known {
		return
	}
	defer storing.Done()
	ctx, cancel := context.WithTimeout(context.Background(), shelfWithin)
	defer cancel()
	if err := s.shelf.Replace(ctx, placeFor(key), "audio/wav", wavOf(of.samples, hex.EncodeToString(key[:]))); err != nil {
		s.log.Warn("a text that was spoken could not be kept", "error", err)
	}
}

// Forget clears the shelf and the memory: some of what was spoken may have been about a person who
// is erased, and all of it can be spoken anew.
func (s *Spoken) Forget(ctx context.Context) error {
	s.mu.Lock()
	storing := s.empty()
	s.mu.Unlock()
	if s.shelf == nil {
		return nil
	}
	storing.Wait()
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(16) // a bucket takes its time for each
	for n := range places {
		work.Go(func() error { return s.shelf.Delete(ctx, placeOf(n)) })
	}
	if err := work.Wait(); err != nil {
		return fmt.Errorf("clearing what was spoken: %w", err)
	}
	return nil
}

// empty forgets what is in memory, and gives what of it is on its way to the shelf. It holds mu.
func (s *Spoken) empty() (storing *sync.WaitGroup) {
	storing = s.storing
	s.known, s.bytes, s.storing = map[[32]byte]*sound{}, 0, &sync.WaitGroup{}
	return storing
}

// hear forgets what is in memory when somebody was erased. Who erased them has cleared the shelf before it is heard of here: what this
// process knew may have come there since. It holds mu.
func (s *Spoken) hear() {
	heard := s.erasures()
	if heard == s.since {
		return
	}
	s.since = heard
	var shelved []string
	for key, of := range s.known {
		if of.asked > 1 {
			shelved = append(shelved, placeFor(key))
		}
	}
	storing := s.empty()
	if s.shelf != nil && len(shelved) > 0 {
		go s.unshelve(shelved, storing)
	}
}

func (s *Spoken) unshelve(places []string, storing *sync.WaitGroup) {
	storing.Wait()
	for _, name := range places {
		ctx, cancel := context.WithTimeout(context.Background(), shelfWithin)
		if err := s.shelf.Delete(ctx, name); err != nil {
			s.log.Warn("a text that was spoken could not be removed", "error", err)
		}
		cancel()
	}
}
