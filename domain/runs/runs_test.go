package runs_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/runs"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func started() campaigns.Started {
	return campaigns.Started{TenantID: "acme", ProjectID: "bot", CampaignID: "cd-1", RunID: "cid-1", Name: "Spring", Kind: campaigns.SMS,
		Priority: 4, OurNumber: "+15550100",
		Hours: campaigns.Hours{Frequency: campaigns.Weekly, Timezone: "Europe/London", Days: []campaigns.Window{
			{Day: "MO", Start: "9:00 AM", End: "5:00 PM"}}},
		ContactLists: []string{"First", "Second"}, FlowID: "cf-1", MachineDetect: true, Recurring: true, MessageText: "Hello!", At: noon}
}

var opened = runs.Opened{TenantID: "acme", ProjectID: "bot", CampaignID: "cd-1", RunID: "cid-1", Name: "Spring", Kind: campaigns.SMS,
	Priority: 4, OurNumber: "+15550100",
	Hours: started().Hours, ContactLists: []string{"First", "Second"}, FlowID: "cf-1", MachineDetect: true, Recurring: true,
	MessageText: "Hello!", At: noon}

func people(from, n int) []contactlists.Contact {
	out := make([]contactlists.Contact, n)
	for i := range out {
		out[i] = contactlists.Contact{PhoneNumber: fmt.Sprintf("+1555000%04d", from+i)}
	}
	return out
}

var (
	first  = runs.PassOpened{Pass: 1, Lists: 7, At: noon}
	chunk  = runs.ContactsListed{Pass: 1, Contacts: people(0, 2)}
	listed = runs.PassListed{Pass: 1, Contacts: 2, At: noon}
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	ada := contactlists.Contact{PhoneNumber: "+15550001", FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", Language: "en",
		CustomFields: map[string]any{"plan": "gold"}}
	eventtest.Golden(t, runs.Runs.Category, "testdata/events", runs.Erased{Erasure: eventtest.Erasure},
		opened, runs.PassOpened{Pass: 2, From: 2, Lists: 7, At: noon}, runs.ContactsListed{Pass: 2, From: 2, Contacts: []contactlists.Contact{
			ada}}, runs.PassListed{Pass: 2, From: 2, Contacts: 3, At: noon})
}

type command interface {
	Decide(runs.State) ([]event.Payload, error)
}

func TestARunIsListedOnceHoweverOftenItIsTried(t *testing.T) {
	list := func(from, n int) command {
		return runs.ListContacts{Pass: 1, From: from, Contacts: people(from, n)}
	}
	for name, c := range map[string]struct {
		given []event.Payload
		when  command
		then  []event.Payload
	}{
		"open":                   {nil, runs.Open{Started: started()}, []event.Payload{opened}},
		"open twice":             {[]event.Payload{opened}, runs.Open{Started: started()}, nil},
		"begin":                  {[]event.Payload{opened}, runs.BeginPass{Pass: 1, Lists: 7, At: noon}, []event.Payload{first}},
		"begin with newer lists": {[]event.Payload{opened, first}, runs.BeginPass{Pass: 1, Lists: 8, At: noon}, nil},
		"begin before the end":   {[]event.Payload{opened, first}, runs.BeginPass{Pass: 2, Lists: 8, At: noon}, nil},
		"begin the one after":    {[]event.Payload{opened, first, chunk, listed}, runs.BeginPass{Pass: 3, Lists: 8, At: noon}, nil},
		"a further pass": {[]event.Payload{opened, first, chunk, listed}, runs.BeginPass{Pass: 2, Lists: 9, At: noon},
			[]event.Payload{runs.PassOpened{Pass: 2, From: 2, Lists: 9, At: noon}}},
		"a chunk":                 {[]event.Payload{opened, first}, list(0, 2), []event.Payload{chunk}},
		"a chunk twice":           {[]event.Payload{opened, first, chunk}, list(0, 2), nil},
		"a chunk beyond a gap":    {[]event.Payload{opened, first}, list(2, 2), nil},
		"a chunk after the end":   {[]event.Payload{opened, first, chunk, listed}, list(2, 2), nil},
		"the end":                 {[]event.Payload{opened, first, chunk}, runs.EndPass{Pass: 1, Contacts: 2, At: noon}, []event.Payload{listed}},
		"the end with less":       {[]event.Payload{opened, first, chunk}, runs.EndPass{Pass: 1, Contacts: 3, At: noon}, nil},
		"the end twice":           {[]event.Payload{opened, first, chunk, listed}, runs.EndPass{Pass: 1, Contacts: 2, At: noon}, nil},
		"the end of another pass": {[]event.Payload{opened, first, chunk}, runs.EndPass{Pass: 2, Contacts: 2, At: noon}, nil},
	} {
		got, err := c.when.Decide(runs.Runs.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
	_, err := runs.BeginPass{Pass: 1}.Decide(runs.State{})
	require.True(t, fault.Is(err, fault.NotFound))
	for _, n := range []int{0, runs.MaxChunk + 1} {
		_, err = list(0, n).Decide(runs.Runs.State(opened, first))
		require.True(t, fault.Is(err, fault.Validation))
	}
}

func TestANumberOfSeveralListsIsReachedOnce(t *testing.T) {
	lists := map[string][]contactlists.Contact{"First": people(0, 3), "Second": people(2, 3), "Other": people(50, 3)}
	require.Equal(t, people(0, 5), runs.Members([]string{"First", "gone", "Second"}, lists))
	require.Equal(t, append(people(2, 3), people(0, 2)...), runs.Members([]string{"Second", "First"}, lists), "in the order of the campaign")
}

func TestChunksAreBoundedInNumberAndInBytes(t *testing.T) {
	require.Len(t, runs.Chunk(people(0, runs.MaxChunk)), runs.MaxChunk)
	require.Len(t, runs.Chunk(people(0, runs.MaxChunk+1)), runs.MaxChunk)
	large := people(0, 300)
	for i := range large {
		large[i].CustomFields = map[string]any{"note": strings.Repeat("x", 4000)}
	}
	n := len(runs.Chunk(large))
	require.True(t, n > 0 && n < 66, n)
	data, err := json.Marshal(large[:n])
	require.NoError(t, err)
	require.LessOrEqual(t, len(data), 256<<10)
	one := people(0, 2)
	one[0].CustomFields = map[string]any{"note": strings.Repeat("x", 300<<10)}
	require.Len(t, runs.Chunk(one), 1, "one contact is never cut")
	require.Empty(t, runs.Chunk(nil))
}

func TestTheStateSurvivesItsSnapshot(t *testing.T) {
	state := runs.Runs.State(opened, first, chunk)
	data, err := json.Marshal(state)
	require.NoError(t, err)
	var back runs.State
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, state, back)
}

func TestTwoTenantsNeverShareARun(t *testing.T) {
	require.NotEqual(t, runs.Stream("a", "b-c"), runs.Stream("a-b", "c"))
	require.Equal(t, "cid-1", runs.IDOf(runs.Runs.StreamID(runs.Stream("acme", "cid-1"))))
}
