package node_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
)

// Every operation that is declared, whatever it does, refuses in the order of
// docs/api-rules.md "Order of refusals". A new operation is in this test by being
// declared.
func TestEveryOperationRefusesInTheSameOrder(t *testing.T) {
	t.Parallel()
	c := shared(t)
	acme := c.tenant(t, "")
	token, secret := acme.token(t), acme.key(t, mainScope)
	ops := slices.Declare(rest.New(rest.Config{}), slices.Declared()).Operations()
	require.NotEmpty(t, ops)
	for _, op := range ops {
		t.Run(op.ID, func(t *testing.T) {
			require.True(t, op.Requirement.Stated(), "say who may call it")
			path := acme.fill(op.Path)
			hasBody := op.Method == "POST" || op.Method == "PUT" || op.Method == "PATCH"
			if hasBody {
				refused(t, op, c.a.do(t, op.Method, path, strings.Repeat(" ", int(max(op.MaxBody, rest.MaxBody))+1)+"{}"), 413, "PAYLOAD_TOO_LARGE")
				for _, broken := range []string{`{`, `{"a":1} {"b":2}`, `[]`, `nonsense`} {
					if !takesNoJSON[op.ID] {
						refused(t, op, c.a.do(t, op.Method, path, broken), 400, "BAD_REQUEST")
					}
				}
			}
			if op.Requirement.IsPublic() {
				return
			}
			refused(t, op, c.a.do(t, op.Method, path, bodyIf(hasBody, `{}`)), 401, "UNAUTHORIZED")
			refused(t, op, c.a.do(t, op.Method, path, bodyIf(hasBody, `{}`), "auth", "not-a-token", "x-api-key", "sk_no"), 401, "UNAUTHORIZED")
			if !hasBody {
				return
			}
			credential := []string{"auth", token}
			if !op.Requirement.Takes(access.TokenCredential) {
				credential = []string{"x-api-key", secret}
			}
			got := c.a.do(t, op.Method, path, `{"a member that nobody knows":1}`, append(credential, "accountId", acme.id, "iid", mainApp)...)
			require.NotEqual(t, 422, got.Status)
			require.NotContains(t, got.Text, "a member that nobody knows", "unknown members are ignored")
			require.Less(t, got.Status, 500, got.Text)
		})
	}
}

// takesNoJSON are the operations whose body is bytes or any JSON, and those that read none: there
// is nothing that could not be parsed, or hardly.
var takesNoJSON = map[string]bool{"add-voicemail": true, "add-attachment": true, "summarize-conversation-again": true,
	"transcribe-voicemail-again": true, "answer-callback": true, "receive-webhook": true, "receive-connection-webhook": true,
	"retry-channel-delivery": true, "voice-connect": true, "voice-status": true, "rtc-connect": true, "call-agent": true,
	"restore-agent-version": true, "save-agent-version": true, "reset-session": true, "cancel-turn": true, "hand-back-session": true,
	"retire-deployment": true, "create-sdk-channel-token": true,
	"rollback-deployment": true}

// refused knows the three forms of a refusal.
func refused(t *testing.T, op rest.Operation, got *answer, status int, code fault.Code) {
	t.Helper()
	if op.Errors == rest.StandardErrors {
		got.refused(t, status, code)
		return
	}
	if op.Errors == rest.OpenAIErrors {
		got.refusedAsOpenAI(t, status, code)
		return
	}
	var body struct {
		Code    int
		Message string
	}
	got.must(t, status).into(t, &body)
	require.Equal(t, status, body.Code)
	require.NotEmpty(t, body.Message)
}

func bodyIf(has bool, body string) any {
	if !has {
		return nil
	}
	return body
}

// fill puts ids of the tenant into a path template.
func (w *tenant) fill(template string) string {
	return strings.NewReplacer("{appId}", mainApp, "{botId}", mainApp, "{projectId}", mainApp, "{scopeId}", mainScope, "{accountId}", w.id,
		"{keyId}", "ak-none", "{streamId}", mainApp, "{IID}", mainApp, "{IId}", mainApp, "{orgId}", w.id+"-org",
		"{agentId}", "a-none", "{voicemailId}", "v-none",
		"{campaignId}", "cd-none", "{conversationId}", "c-none", "{sessionId}", "none",
		"{deploymentId}", "d-none", "{jobId}", "fj-none").Replace(template)
}
