package node_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

const contactsPath = "/api/contacts"

// contactsWorld is a tenant whose token may do everything, asked at the node that it was not
// made on.
type contactsWorld struct {
	*cluster
	*tenant
	auth string
}

func newContactsWorld(t *testing.T) *contactsWorld {
	c := shared(t)
	w := &contactsWorld{cluster: c, tenant: c.tenant(t, "")}
	w.auth = w.token(t)
	return w
}

func (w *contactsWorld) ask(t *testing.T, method, path string, body any, headers ...string) *answer {
	t.Helper()
	return w.b.do(t, method, path, body, append([]string{"Authorization", "Bearer " + w.auth}, headers...)...)
}

// contact is the data of an answer.
func (a *answer) contact(t *testing.T) map[string]any {
	t.Helper()
	var out struct {
		Success bool
		Data    map[string]any
	}
	a.into(t, &out)
	require.True(t, out.Success)
	return out.Data
}

func (w *contactsWorld) create(t *testing.T, body fields, headers ...string) map[string]any {
	t.Helper()
	return w.ask(t, "POST", contactsPath, body, headers...).must(t, http.StatusCreated).contact(t)
}

func byMail(address string) fields { return fields{"identity": address, "identityType": "email"} }

func TestAContactIsMadeAndFound(t *testing.T) {
	t.Parallel()
	w := newContactsWorld(t)
	nobody := w.create(t, fields{})
	require.Equal(t, "anonymous", nobody["type"])
	require.ElementsMatch(t, []string{"id", "tenantId", "type", "metadata", "tags", "firstSeenAt", "lastSeenAt"}, keysOf(nobody))
	bare := w.ask(t, "POST", contactsPath, nil).must(t, http.StatusCreated).contact(t)
	require.Equal(t, "anonymous", bare["type"], "without a body, too")
	whole := byMail(" Ann@Example.com").and(fields{"type": "employee", "displayName": "Ann", "department": "Sales", "employeeId": "E-1",
		"company": "Acme", "accountRef": "A-7", "channel": "slack", "metadata": fields{"vip": true}, "tags": []string{"vip", "north"}})
	made := w.create(t, whole, "Idempotency-Key", "once")
	require.Regexp(t, "^ct-"+uuidForm+"$", made["id"])
	require.Equal(t, w.id, made["tenantId"])
	require.Equal(t, "ann@example.com", made["identity"])
	require.Regexp(t, isoForm, made["firstSeenAt"])
	require.Equal(t, made["firstSeenAt"], made["lastSeenAt"])
	for member, value := range map[string]any{"type": "employee", "displayName": "Ann", "department": "Sales", "employeeId": "E-1",
		"company": "Acme", "accountRef": "A-7", "channel": "slack", "metadata": map[string]any{"vip": true}, "tags": []any{"vip", "north"}} {
		require.Equal(t, value, made[member], member)
	}
	require.Equal(t, made, w.create(t, whole, "Idempotency-Key", "once"), "the same request again")
	path := contactsPath + "/" + made["id"].(string)
	require.Equal(t, made, w.ask(t, "GET", path, nil).must(t, 200).contact(t))
	for _, query := range []string{"identity=ANN@example.com", "identity=mailto:ann@example.com&identityType=email"} {
		require.Equal(t, made, w.ask(t, "GET", contactsPath+"/lookup?"+query, nil).must(t, 200).contact(t))
	}
	phone := w.create(t, fields{"identity": "0049 30 12345", "identityType": "phone"})
	require.Equal(t, "+493012345", phone["identity"])
	require.Equal(t, phone, w.ask(t, "GET", contactsPath+"/lookup?identity=%2B493012345", nil).must(t, 200).contact(t))
	own := w.create(t, fields{"identity": "C-17", "identityType": "external"})
	require.Equal(t, own, w.ask(t, "GET", contactsPath+"/lookup?identity=C-17", nil).must(t, 200).contact(t))
	w.ask(t, "GET", contactsPath+"/lookup?identity=C-18", nil).refused(t, 404, fault.NotFound)
	w.ask(t, "GET", contactsPath+"/lookup", nil).refused(t, 400, fault.Validation, "identity")

	var list struct {
		Success bool
		Data    []map[string]any
		Total   int
	}
	w.ask(t, "GET", contactsPath+"?limit=2", nil).must(t, 200).into(t, &list)
	require.Equal(t, []any{5, own["id"], phone["id"]}, []any{list.Total, list.Data[0]["id"], list.Data[1]["id"]})
	w.ask(t, "GET", contactsPath+"?type=employee&channel=slack", nil).must(t, 200).into(t, &list)
	require.Equal(t, []any{1, made["id"]}, []any{list.Total, list.Data[0]["id"]})

	stranger := w.cluster.tenant(t, "")
	w.b.do(t, "GET", path, nil, "auth", stranger.token(t)).refused(t, 404, fault.NotFound)
	w.b.do(t, "GET", contactsPath+"/lookup?identity=ann@example.com", nil, "auth", stranger.token(t)).refused(t, 404, fault.NotFound)
}

func TestAContactIsChanged(t *testing.T) {
	t.Parallel()
	w := newContactsWorld(t)
	made := w.create(t, byMail("ann@example.com").and(fields{"displayName": "Ann", "company": "Acme", "tags": []string{"vip"}}))
	bob := w.create(t, byMail("bob@example.com"))
	path := contactsPath + "/" + made["id"].(string)
	patch := func(body any) *answer { return w.ask(t, "PATCH", path, body) }
	got := patch(fields{"displayName": "Annabelle", "company": nil}).must(t, 200).contact(t)
	require.Equal(t, "Annabelle", got["displayName"])
	require.NotContains(t, got, "company")
	require.Equal(t, []any{"vip"}, got["tags"], "what is not given stays")
	require.Equal(t, got, patch(fields{}).must(t, 200).contact(t))
	patch(byMail("BOB@example.com")).refused(t, 409, fault.Conflict)
	moved := patch(fields{"identity": "Ann@example.org"}).must(t, 200).contact(t)
	require.Equal(t, "ann@example.org", moved["identity"])
	w.ask(t, "GET", contactsPath+"/lookup?identity=ann@example.com", nil).refused(t, 404, fault.NotFound)
	again := w.create(t, byMail("ann@example.com")) // that identity is free
	require.NotEqual(t, made["id"], again["id"])
	patch(fields{"identity": "ann@example.com"}).refused(t, 409, fault.Conflict)
	nameless := patch(fields{"identity": nil}).must(t, 200).contact(t)
	require.NotContains(t, nameless, "identity")
	require.NotContains(t, nameless, "identityType")

	for field, body := range map[string]fields{"type": {"type": "robot"}, "identityType": {"identity": "x"}, "tags": {"tags": []string{""}},
		"displayName": {"displayName": strings.Repeat("x", 201)}, "metadata": {"metadata": []int{1}}} {
		patch(body).refused(t, 400, fault.Validation, field)
	}
	gone := w.ask(t, "DELETE", contactsPath+"/"+bob["id"].(string), nil).must(t, 200).contact(t)
	require.Regexp(t, isoForm, gone["deletedAt"])
	w.ask(t, "DELETE", contactsPath+"/"+bob["id"].(string), nil).refused(t, 404, fault.NotFound)
	w.ask(t, "PATCH", contactsPath+"/"+bob["id"].(string), fields{}).refused(t, 404, fault.NotFound)
	patch(byMail("bob@example.com")).must(t, 200)
}

// Given many who want one identity at the same moment, on two nodes, then one gets it, and
// the others are told.
func TestAnIdentityIsOfOneContact(t *testing.T) {
	t.Parallel()
	w := newContactsWorld(t)
	const many = 20
	status := make([]int, many)
	together(many, func(i int) {
		on := []*server{w.a, w.b}[i%2]
		status[i] = on.surely(t, "POST", contactsPath, byMail("ann@example.com"), "auth", w.auth, "Idempotency-Key", uuid.NewString()).Status
	})
	count := map[int]int{}
	for _, s := range status {
		count[s]++
	}
	require.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusConflict: many - 1}, count)
	found := w.ask(t, "GET", contactsPath+"/lookup?identity=ann@example.com", nil).must(t, 200).contact(t)
	w.ask(t, "DELETE", contactsPath+"/"+found["id"].(string), nil).must(t, 200)
	w.create(t, byMail("ann@example.com"))
}

// Given a request that is sent again before its first try is answered, on another node too, then
// each try has the one answer, also where it claims what one alone may have.
func TestTriesAtOnceAreOneRequest(t *testing.T) {
	t.Parallel()
	w := newContactsWorld(t)
	for path, body := range map[string]fields{contactsPath: byMail("eve@example.com"), connectionsPath: connection(external())} {
		tries := make([]*answer, 8)
		together(len(tries), func(i int) {
			on := []*server{w.a, w.b}[i%2]
			tries[i] = on.surely(t, "POST", path, body, "auth", w.auth, "Idempotency-Key", "at-once")
		})
		here := strings.NewReplacer(w.a.URL(), "", w.b.URL(), "")
		for _, got := range tries {
			require.JSONEq(t, here.Replace(tries[0].must(t, 201).Text), here.Replace(got.must(t, 201).Text))
		}
	}
}

func TestASessionIsLinkedToAContact(t *testing.T) {
	t.Parallel()
	w := newContactsWorld(t)
	session := uuid.NewString()
	open := sessions.Open{ID: session, TenantID: w.id, ProjectID: mainApp, Channel: "api", At: time.Now()}
	w.session(t, w.a, session, func(s sessions.State) ([]event.Payload, error) { return open.Decide(s) })
	ann, bob := w.create(t, byMail("ann@example.com")), w.create(t, fields{})
	link := func(c map[string]any, session string) *answer {
		return w.ask(t, "POST", contactsPath+"/"+c["id"].(string)+"/link-session", fields{"sessionId": session})
	}
	linked := link(ann, session).must(t, 200).contact(t)
	require.Equal(t, []any{ann["id"], session}, []any{linked["contactId"], linked["sessionId"]})
	require.Regexp(t, isoForm, linked["linkedAt"])
	require.Equal(t, linked, link(ann, session).must(t, 200).contact(t), "the same again")
	link(bob, session).refused(t, 409, fault.Conflict)
	link(ann, uuid.NewString()).refused(t, 404, fault.NotFound)
	link(ann, "no/session").refused(t, 404, fault.NotFound)
	link(ann, "").refused(t, 400, fault.Validation, "sessionId")
	seen := w.ask(t, "GET", contactsPath+"/"+ann["id"].(string), nil).must(t, 200).contact(t)
	require.Equal(t, linked["linkedAt"], seen["lastSeenAt"])
	stranger := w.cluster.tenant(t, "")
	theirs := w.b.do(t, "POST", contactsPath, fields{}, "auth", stranger.token(t)).must(t, 201).contact(t)
	w.b.do(t, "POST", contactsPath+"/"+theirs["id"].(string)+"/link-session", fields{"sessionId": session}, "auth",
		stranger.token(t)).refused(t, 404, fault.NotFound)
}

// Given a contact, then a session may begin with who talks, by whom who may say that afterwards: the contact is that of the
// session, and was seen then.
func TestASessionBeginsWithItsContact(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	made := func(auth string) string {
		return w.b.do(t, "POST", contactsPath, fields{}, "auth", auth).must(t, 201).contact(t)["id"].(string)
	}
	ann, body := made(w.auth), func(contact string) fields { return fields{"agentId": "meter", "contactId": contact} }
	var begun, shown struct {
		Session struct{ ID, ContactID, Channel string }
	}
	w.ask(t, "POST", sessionsPath, body(ann), "Idempotency-Key", "k").must(t, 201).into(t, &begun)
	w.ask(t, "GET", sessionsPath+"/"+begun.Session.ID, nil).must(t, 200).into(t, &shown)
	require.Equal(t, []string{ann, "web_debug"}, []string{shown.Session.ContactID, shown.Session.Channel})
	var listed struct{ Sessions []struct{ ID string } }
	w.ask(t, "GET", sessionsPath+"?contactId="+ann, nil).must(t, 200).into(t, &listed)
	require.Len(t, listed.Sessions, 1)
	seen := w.ask(t, "GET", contactsPath+"/"+ann, nil).must(t, 200).contact(t)
	require.Greater(t, seen["lastSeenAt"], seen["firstSeenAt"])
	bob := made(w.auth)
	w.ask(t, "POST", contactsPath+"/"+bob+"/link-session", fields{"sessionId": begun.Session.ID}).refused(t, 409, fault.Conflict)

	stranger := w.cluster.tenant(t, "")
	for _, no := range []string{"ct-nobody", "no/contact", made(stranger.token(t))} {
		w.ask(t, "POST", sessionsPath, body(no)).refused(t, 400, fault.Validation, "contactId")
	}
	executes := w.grant(t, testClient, access.PermSessionExecute)
	w.b.do(t, "POST", sessionsPath, body(ann), "auth", executes).refused(t, 403, fault.Forbidden)
	w.b.do(t, "POST", sessionsPath, fields{"agentId": "meter"}, "auth", executes).must(t, 201)
	w.scope(t, "as-agents", "agents", mainApp, access.AgentsFull, access.SessionCreation)
	w.b.do(t, "POST", sessionsPath, body(bob), "X-API-Key", w.key(t, "as-agents")).must(t, 201)
}

func TestContactsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newContactsWorld(t)
	for field, body := range map[string]fields{
		"identityType": {"identity": "ann@example.com"}, "identity": {"identityType": "email"}, "type": {"type": "robot"},
		"displayName": {"displayName": strings.Repeat("x", 201)}, "employeeId": {"employeeId": strings.Repeat("x", 101)},
		"company": {"company": strings.Repeat("x", 201)}, "tags": {"tags": strings.Split(strings.Repeat("t,", 50)+"t", ",")},
		"metadata": {"metadata": fields{"a": fields{"b": fields{"c": fields{"d": fields{"e": fields{}}}}}}},
	} {
		w.ask(t, "POST", contactsPath, body).refused(t, 400, fault.Validation, field)
	}
	w.ask(t, "POST", contactsPath, fields{"tags": []string{strings.Repeat("x", 51)}}).refused(t, 400, fault.Validation, "tags")
	w.ask(t, "POST", contactsPath, byMail("ann")).refused(t, 400, fault.Validation, "identity")
	writer := w.grant(t, testClient, access.PermContactWrite)
	w.b.do(t, "POST", contactsPath, fields{}, "auth", writer).must(t, 201)
	reader := w.grant(t, testClient, access.PermSessionRead)
	w.b.do(t, "GET", contactsPath, nil, "auth", reader).must(t, 200)
	w.b.do(t, "POST", contactsPath, fields{}, "auth", reader).refused(t, 403, fault.Forbidden)
	w.scope(t, "as-agents", "agents", mainApp, access.AgentsFull)
	w.b.do(t, "POST", contactsPath, fields{}, "X-API-Key", w.key(t, "as-agents")).must(t, 201)
}

// Given a contact who talked in a session, also one that was deleted, when the person is
// erased by the identity, then the contact is gone with all that was said of it.
func TestAContactIsErased(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, erasesSoon)
	mail := func(display string) fields {
		return byMail("annabelle@example.com").and(fields{"displayName": display})
	}
	deleted := w.ask(t, "POST", contactsPath, mail("Annabelle Once")).must(t, 201).contact(t)
	w.ask(t, "DELETE", contactsPath+"/"+deleted["id"].(string), nil).must(t, 200)
	made := w.ask(t, "POST", contactsPath, mail("Annabelle Again")).must(t, 201).contact(t)
	other := w.ask(t, "POST", contactsPath, byMail("bertrand@example.com")).must(t, 201).contact(t)
	call := w.dialOut(t, aCall())
	session := w.ended(t, call.CallID).SessionID
	w.ask(t, "POST", contactsPath+"/"+made["id"].(string)+"/link-session", fields{"sessionId": session}).must(t, 200)

	done := w.erased(t, w.server, w.erase(t, fields{"kind": "email", "value": "Annabelle@example.com"}).Erasure.ErasureID)
	require.Equal(t, map[string]int{"contacts": 2, "calls": 1}, done.Erasure.Forgotten, "the session says nothing of her")
	w.ask(t, "GET", contactsPath+"/"+made["id"].(string), nil).refused(t, 404, fault.NotFound)
	require.Equal(t, "[erased]", w.call(t, call.CallID).Request.Target, "who was called is who talked")
	w.ask(t, "GET", contactsPath+"/"+other["id"].(string), nil).must(t, 200)
	require.NotContains(t, strings.ToLower(wholeDatabase(t, w.cluster.database)), "annabelle")
	require.Empty(t, w.cluster.check(t, w.server), "rebuilt it is the same")
	w.ask(t, "POST", contactsPath, mail("Annabelle")).must(t, 201)
}
