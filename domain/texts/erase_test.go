package texts_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/texts"
)

// Given a text, when its recipient is to be erased, then no attempt follows.
func TestATextWhoseRecipientIsErasedEnds(t *testing.T) {
	forget := texts.Forget{At: after(time.Minute)}
	waits := &story{t: t}
	require.Empty(t, waits.when(forget), "there is none")
	waits.when(request())
	got := waits.when(forget)
	require.Equal(t, texts.CodeErased, got[0].(texts.Failed).Code)
	require.Empty(t, waits.when(texts.StartAttempt{AttemptID: "a", Node: "n", Provider: "local", At: after(time.Minute)}))
	require.Empty(t, waits.when(forget), "once")

	asked := &story{t: t}
	asked.when(request())
	asked.when(texts.StartAttempt{AttemptID: "a", Node: "n", Provider: "local", At: noon, LeaseUntil: after(time.Minute)})
	got = asked.when(forget)
	require.Equal(t, texts.CodeOutcomeUnknown, got[0].(texts.Failed).Code, "a provider may have it")
}
