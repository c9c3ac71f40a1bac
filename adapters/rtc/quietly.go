package rtc

import "github.com/pion/logging"

// quietly has the library say nothing: what it would say names addresses of people, and what of it
// matters ends a call, whose end is told.
type quietly struct{}

// NewLogger implements logging.LoggerFactory.
func (quietly) NewLogger(string) logging.LeveledLogger { return silence{} }

type silence struct{}

func (silence) Trace(string)          {}
func (silence) Tracef(string, ...any) {}
func (silence) Debug(string)          {}
func (silence) Debugf(string, ...any) {}
func (silence) Info(string)           {}
func (silence) Infof(string, ...any)  {}
func (silence) Warn(string)           {}
func (silence) Warnf(string, ...any)  {}
func (silence) Error(string)          {}
func (silence) Errorf(string, ...any) {}
