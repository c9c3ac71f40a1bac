package calls_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
)

func TestWordsThatAreOnlyCounted(t *testing.T) {
	for name, tc := range map[string]struct {
		facts []at
		want  []string
	}{
		"few and a silence are a human": {
			[]at{{500, counted(1)}, {900, counted(2)}, {1_900, silence}},
			[]string{"1900 human_detected short greeting", "1900 stopped"}},
		"so many as the threshold are a machine": {
			[]at{{500, counted(4)}, {1_500, counted(4)}, {1_900, counted(1)}, {2_900, silence}},
			[]string{"1900 machine_detected long greeting", "4900 machine_stopped_speaking", "20000 stopped"}},
		"an estimate may become less": {
			[]at{{500, counted(5)}, {600, counted(-4)}, {700, counted(7)}, {2_000, silence}},
			[]string{"2000 human_detected short greeting", "2000 stopped"}},
		"and nothing": {
			[]at{{500, counted(5)}, {600, counted(-9)}, {2_000, silence}},
			[]string{"15000 decision_timeout", "15000 stopped"}},
		"a silence ends the count": {
			[]at{{500, counted(8)}, {600, counted(0)}, {2_000, silence}},
			[]string{"2000 human_detected short greeting", "2000 stopped"}},
		"no words are no speech": {
			[]at{{500, counted(0)}, {2_000, silence}},
			[]string{"5000 no_speech_detected", "5000 stopped"}},
		"a text wins": {
			[]at{{500, counted(5)}, {700, words(2)}, {900, counted(20)}, {2_000, silence}},
			[]string{"2000 human_detected short greeting", "2000 stopped"}},
		"of its own utterance": {
			[]at{{500, words(8)}, {700, counted(9)}},
			[]string{"15000 decision_timeout", "15000 stopped"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.want, play(plan(t), tc.facts)) })
	}
	d := calls.NewDetector(plan(t))
	require.Equal(t, calls.Detection{Result: calls.AmdMachineDetected, Reason: calls.ReasonLongGreeting}, d.Hear(counted(9), 0)[0].Detection,
		"what was not read is no greeting")
}

func TestAMachineIsHungUpOnWhenItIsSurelyOne(t *testing.T) {
	for name, tc := range map[string]struct {
		facts []calls.Fact
		want  bool
	}{
		"nothing yet":                 {nil, false},
		"a long greeting":             {[]calls.Fact{began, counted(9)}, true},
		"a beep":                      {[]calls.Fact{beep}, true},
		"a beep behind speech":        {[]calls.Fact{began, counted(3), ended, beep}, true},
		"a tone in speech":            {[]calls.Fact{began, counted(3), beep}, false},
		"a tone in speech of a human": {[]calls.Fact{began, counted(3), beep, ended, silence}, false},
		"and in that of a machine":    {[]calls.Fact{began, counted(3), beep, counted(6)}, true},
		"a hint, and a carrier that tells nothing of speech": {[]calls.Fact{text("this is the voicemail of"), silence}, true},
		"no speech": {[]calls.Fact{silence}, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := calls.NewDetector(plan(t))
			for i, f := range tc.facts {
				d.Hear(f, time.Duration(i)*time.Second/2)
			}
			require.Equal(t, tc.want, d.MachineAnswered())
		})
	}
}
