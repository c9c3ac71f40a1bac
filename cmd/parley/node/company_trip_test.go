//go:build !apache

package node_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/examples"
)

// answers posts what the payment service says of a charge, signed with a secret.
func (w *companyWorld) answers(t *testing.T, callback, body, secret string) *answer {
	t.Helper()
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return w.do(t, "POST", "/api/v1/callbacks/"+callback, body, "x-callback-signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
}

// paySign is the secret that the company and its payment service share.
func paySign(t *testing.T) string {
	for _, s := range examples.ToolSecrets {
		if s.Key == "PAY_SIGN" {
			return s.Value
		}
	}
	t.Fatal("the workspace has no such secret")
	return ""
}

// said waits until the transcript of a session ends with a text.
func (w *companyWorld) said(t *testing.T, session, text string) {
	t.Helper()
	until(t, "the text "+text, func() bool {
		var page struct{ Messages []spokenMessage }
		w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts?limit=100", nil).must(t, http.StatusOK).into(t, &page)
		return len(page.Messages) > 0 && page.Messages[len(page.Messages)-1].Content == text
	})
}

func (w *companyWorld) trip(t *testing.T) {
	const (
		confirm = "May I do this: Ask the payment service for the money; it answers later (eur 360)?"
		offer   = "Rome, 2 nights, 360 euro. Book it?"
	)
	hello := exchange{says: "Hello", answer: "Where to?", step: "ask"}
	asked := func(city, nights, budget, answer string) []exchange {
		return []exchange{hello, {says: city, answer: "From which day?"}, {says: "2020-01-01", answer: "That day is past. Which day?"},
			{says: "2099-05-01", answer: "How many nights?"}, {says: "29", answer: "How many nights?"},
			{says: nights, answer: "What may it cost in euro?"}, {says: budget, answer: answer}}
	}
	rome := asked("Rome", "2", "900", offer)
	paying := append(rome, exchange{chooses: "book", answer: confirm, step: "charge"},
		exchange{says: "yes", action: "suspended", step: "charge"})

	w.heard("")
	last, traces := w.talk(t, "Trip_Planner", nil, paying...)
	require.Equal(t, 2, strings.Count(strings.Join(traces, " "), "delegate"))
	charges := w.heard("pay.example.com")
	require.Len(t, charges, 1)
	require.Contains(t, charges[0], `"amount":360`)
	require.Contains(t, charges[0], "/api/v1/callbacks/"+last.Action.CallbackID)
	w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": w.Project, "sessionId": last.SessionID, "message": "And?"}).
		refused(t, http.StatusConflict, fault.TurnSuspended)
	w.answers(t, last.Action.CallbackID, `{"state":"paid"}`, "another secret").must(t, http.StatusUnauthorized)
	require.Contains(t, w.answers(t, last.Action.CallbackID, `{"state":"paid"}`, paySign(t)).must(t, 200).Text, `"processed"`)
	w.said(t, last.SessionID, "Payment: paid.")
	require.Contains(t, w.answers(t, last.Action.CallbackID, `{"state":"paid"}`, paySign(t)).must(t, 200).Text, `"already_processed"`)

	last, _ = w.talk(t, "Trip_Planner", nil, paying...)
	w.answers(t, last.Action.CallbackID, `{"state":"declined"}`, paySign(t)).must(t, 200)
	w.said(t, last.SessionID, "Payment: declined.")

	for name, turns := range map[string][]exchange{
		"no": append(rome, exchange{says: "Book", answer: "...(eur 360)?..."}, exchange{says: "no", step: "charge"}),
		"over budget, talked about with a model, and cheaper": append(asked("Rome", "3", "400", "...That is 450 euro, over budget...."),
			exchange{says: `weather {"city":"Rome"}`, answer: "...sunny...", step: "talk"},
			exchange{says: `remember {"nights":2,"session":{"agreed":true}}`, answer: "..." + offer + "...", step: "confirm"}),
		"something else":                   append(rome, exchange{chooses: "change", answer: "...Agree on a cheaper plan...", step: "talk"}),
		"what is no choice is asked again": append(rome, exchange{says: "perhaps", answer: offer, step: "confirm"}),
		"a city that a model finds":        {{says: "I want to go to Rome", answer: "From which day?"}},
		"no flight":                        asked("Nowhere", "2", "900", ""),
	} {
		t.Run(name, func(t *testing.T) { w.talk(t, "Trip_Planner", nil, turns...) })
	}
	// Who comes from elsewhere is asked about a visa, too.
	abroad := fields{"callerContext": fields{"customAttributes": fields{"country": "US"}}}
	last, traces = w.talk(t, "Trip_Planner", abroad, rome...)
	require.Equal(t, 3, strings.Count(strings.Join(traces, " "), "delegate"))
	require.Equal(t, false, last.State.Variables["visa"])
}

// tooLate is what follows where the payment service says nothing for as long as it may take.
func (w *companyWorld) tooLate(t *testing.T) {
	var trip struct {
		Agent struct{ DSLContent string }
	}
	path := "/api/projects/" + w.Project + "/agents/Trip_Planner"
	w.ask(t, "GET", path, nil).must(t, http.StatusOK).into(t, &trip)
	hasty := strings.Replace(trip.Agent.DSLContent, "EXPIRES: 30m", "EXPIRES: 1s", 1)
	require.NotEqual(t, hasty, trip.Agent.DSLContent)
	w.ask(t, "PUT", path+"/dsl", fields{"dslContent": hasty}).must(t, http.StatusOK)
	var out struct{ Session struct{ ID string } }
	w.ask(t, "POST", "/api/projects/"+w.Project+"/sessions", fields{"agentId": "Trip_Planner"}).must(t, http.StatusCreated).into(t, &out)
	for _, said := range []string{"Hello", "Rome", "2099-05-01", "2", "900", "Book", "yes"} {
		w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": w.Project, "sessionId": out.Session.ID, "message": said}).
			must(t, http.StatusOK)
	}
	w.said(t, out.Session.ID, "The payment service is slow. A colleague takes over.")
	until(t, "the transfer", func() bool {
		var page struct{ Transfers []shownTransfer }
		w.ask(t, "GET", "/api/v1/projects/"+w.Project+"/transfers?sessionId="+out.Session.ID, nil).must(t, http.StatusOK).into(t, &page)
		return len(page.Transfers) == 1
	})
}

// tests runs the suites of the workspace, and those in the sources; then what is deployed is promoted.
func (w *companyWorld) tests(t *testing.T) {
	path := "/api/public/stream/" + w.Project + "/conversation/testsuite/"
	for _, suite := range []string{examples.TestSuite, "Trip_Planner", "acme-meter", "agent:" + examples.Agent, "agent:" + examples.EntryAgent,
		"agent:acme-meter"} {
		var r testRun
		w.ask(t, "POST", path+suite+"/run", fields{"deploymentId": w.Deployment}).must(t, http.StatusAccepted).into(t, &r)
		until(t, "the end of "+suite, func() bool {
			w.ask(t, "GET", path+suite+"/"+r.ID+"/status", nil).must(t, http.StatusOK).into(t, &r)
			return r.Status != "inprogress"
		})
		require.Equal(t, "passed", r.Status, "%s: %s %v", suite, r.Reason, r.Failures)
	}
	deployment := "/api/projects/" + w.Project + "/deployments/" + w.Deployment
	promoted := w.ask(t, "POST", deployment+"/promote", nil).must(t, http.StatusCreated).Text
	require.Contains(t, promoted, `"environment":"staging"`)
}

// seen is what the analytics show of all that: each category, and nothing of sessions with a testContext.
func (w *companyWorld) seen(t *testing.T) {
	last, _ := w.talk(t, "Meter_Reading", nil, exchange{says: "Hello", answer: "......"})
	w.ask(t, "POST", "/api/v1/feedback", fields{"sessionId": last.SessionID, "messageId": last.MessageID, "rating": "up"}).
		must(t, http.StatusOK)
	counts := func() map[string]float64 {
		var out struct {
			Data struct {
				Buckets []struct {
					Category string
					Count    float64
				}
			}
		}
		w.ask(t, "GET", "/api/projects/"+w.Project+"/analytics/metrics?groupBy=category", nil).must(t, http.StatusOK).into(t, &out)
		of := map[string]float64{}
		for _, b := range out.Data.Buckets {
			of[b.Category] = b.Count
		}
		return of
	}
	until(t, "the categories", func() bool {
		of := counts()
		for _, category := range []string{"session", "message", "llm", "tool", "agent", "gather", "flow", "deployment", "evaluation",
			"feedback"} {
			if of[category] == 0 {
				return false
			}
		}
		return true
	})
	before := counts()["feedback"]
	mocked := fields{"skipOnStart": true, "startAtStep": "reading", "gatherValues": fields{"kind": "gas", "meter": "12345678"},
		"toolMocks": []fields{{"tool": "submit", "result": fields{"ok": true}}}}
	test, _ := w.talk(t, "Meter_Reading", mocked, exchange{says: "17", answer: "Saved: 17. Thank you.", action: "end"})
	w.ask(t, "POST", "/api/v1/feedback", fields{"sessionId": last.SessionID, "messageId": last.MessageID, "rating": "down"}).
		must(t, http.StatusOK)
	until(t, "what came behind the test", func() bool { return counts()["feedback"] > before })
	of := func(session string) []fields {
		var out struct{ Data struct{ Events []fields } }
		w.ask(t, "GET", "/api/projects/"+w.Project+"/analytics/events?sessionId="+session, nil).must(t, http.StatusOK).into(t, &out)
		return out.Data.Events
	}
	require.Empty(t, of(test.SessionID), "a test is in no report")
	require.NotEmpty(t, of(last.SessionID))
}
