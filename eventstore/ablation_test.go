package eventstore_test

import "testing"

// ablation is a safety mechanism switched off, to see that the checker notices.
type ablation string

const (
	nothing                     ablation = ""
	parentUnchecked             ablation = "judged by version only"
	tornAccepted                ablation = "judged record by record"
	sameCommitID                ablation = "commit id made of the request id"
	requestIDsUnread            ablation = "request ids never looked up"
	requestIDsReadBefore        ablation = "request ids looked up before the state"
	verdictByPosition           ablation = "verdict by acknowledged offset"
	refusalsFromCache           ablation = "refusals answered on cached state"
	noGate                      ablation = "reads open after Postgres lost its tail"
	headsKept                   ablation = "heads kept after a failed compare-and-set"
	transactionEndsInsideCommit ablation = "transactions may end inside a commit"
)

func TestAblation_ParentUnchecked_IsCaught(t *testing.T) { caught(t, parentUnchecked, ghostDecision) }

func TestAblation_TornCommitsAccepted_IsCaught(t *testing.T) { caught(t, tornAccepted, tornCommit) }

func TestAblation_SameCommitID_IsCaught(t *testing.T) { caught(t, sameCommitID, wrongReply) }

func TestAblation_RequestIDsUnread_IsCaught(t *testing.T) {
	caught(t, requestIDsUnread, executedTwice)
}

func TestAblation_RequestIDsReadBeforeTheState_IsCaught(t *testing.T) {
	caught(t, requestIDsReadBefore, executedTwice)
}

func TestAblation_VerdictByPosition_IsCaught(t *testing.T) {
	caught(t, verdictByPosition, executedTwice)
}

func TestAblation_RefusalsAnsweredFromCache_IsCaught(t *testing.T) {
	caught(t, refusalsFromCache, staleAnswer)
}

func TestAblation_NoGateAfterPostgresLostItsTail_IsCaught(t *testing.T) {
	caught(t, noGate, staleAnswer)
}

func TestAblation_HeadsKeptAfterFailedCompareAndSet_IsCaught(t *testing.T) {
	caught(t, headsKept, diverged)
}

func TestAblation_TransactionEndsInsideCommit_IsCaught(t *testing.T) {
	caught(t, transactionEndsInsideCommit, partialVisible)
}
