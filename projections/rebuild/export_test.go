package rebuild

import "time"

// WhenFilled is called before a rebuild switches or compares.
func WhenFilled(do func()) func(*RebuildConfig) { return func(c *RebuildConfig) { c.filled = do } }

// Patience is how long a rebuild tries to switch.
func Patience(d time.Duration) func(*RebuildConfig) {
	return func(c *RebuildConfig) { c.patience = d }
}
