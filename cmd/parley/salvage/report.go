package salvage

import (
	"fmt"

	"github.com/parley-platform/parley/adapters/embedded/logfolder"
)

// report is what there is and what is missing, for programs.
type report struct {
	To          string         `json:"to"`
	OldLog      string         `json:"oldLogId"`
	NewLog      string         `json:"newLogId"`
	Batches     int            `json:"batches"`
	Bytes       int64          `json:"bytes"`
	Damage      []string       `json:"damage"`
	Foreign     []string       `json:"foreign"` // partitions of another log, which were left
	Missing     []missing      `json:"missing"`
	CommitsLost map[string]int `json:"commitsLost"` // by topic: whole commits that count no more
}

// missing are offsets that are lost.
type missing struct {
	Topic     string `json:"topic"`
	Partition int    `json:"partition"`
	From      int64  `json:"from"`
	To        int64  `json:"to"` // not included
	Bytes     int64  `json:"bytes"`
}

func reportOf(to string, s *logfolder.Salvaged, lost map[string]int) report {
	r := report{To: to, OldLog: s.OldLog, NewLog: s.NewLog, Batches: s.Batches, Bytes: s.Bytes, Damage: []string{},
		Foreign: append([]string{}, s.Foreign...), Missing: []missing{}, CommitsLost: lost}
	for _, d := range s.Damage {
		r.Damage = append(r.Damage, fmt.Sprint(d))
	}
	for _, m := range s.Missing {
		r.Missing = append(r.Missing, missing(m))
	}
	return r
}
