package rebuild

import "time"

// WhenFilled is called before a rebuild switches or compares.
func WhenFilled(do func()) func(*Config) { return func(c *Config) { c.filled = do } }

// Patience is how long a rebuild tries to switch.
func Patience(d time.Duration) func(*Config) {
	return func(c *Config) { c.patience = d }
}
