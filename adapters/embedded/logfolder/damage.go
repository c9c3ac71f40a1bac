package logfolder

import (
	"fmt"
	"strings"
)

// Damage is one place where the log is not what was written.
type Damage struct {
	File  string // below the folder that was scanned
	At    int64  // the byte in it
	Topic string // empty for a file that belongs to no partition
	Part  int    // its number
	From  int64  // the offsets that are in doubt: From up to, not including, To;
	To    int64  // both -1 when that cannot be told
	What  string
}

// String says where, and what is wrong there.
func (d Damage) String() string {
	where := fmt.Sprintf("%s: byte %d: ", d.File, d.At)
	if d.Topic != "" {
		where += place{d.Topic, d.Part}.String() + ": "
	}
	return where + d.What
}

// DamagedError refuses a folder. Nothing in it was changed.
type DamagedError struct {
	Dir    string
	Damage []Damage // in the order found, never empty
}

// Error names the first place, and what to do.
func (e *DamagedError) Error() string {
	var more string
	if n := len(e.Damage) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more, see parley doctor)", n)
	}
	return fmt.Sprintf("the log in %s is damaged, it was not opened and nothing in it was changed: %s%s. %s",
		e.Dir, e.Damage[0], more, WaysOut(e.Dir))
}

// WaysOut is what an operator can do about a damaged log.
func WaysOut(dir string) string {
	data := strings.TrimSuffix(dir, "/kafka")
	return fmt.Sprintf("Look at the disk first. Then copy %s back from a backup; if there is none, "+
		"parley log salvage --data %s --to NEWDIR copies what is whole into a new folder and lists what is missing", dir, data)
}
