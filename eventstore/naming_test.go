package eventstore

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
)

// murmur is an independent murmur2 as Java clients compute it.
func murmur(key []byte) uint32 {
	const m = 0x5bd1e995
	h := uint32(0x9747b28c) ^ uint32(len(key))
	for ; len(key) >= 4; key = key[4:] {
		k := binary.LittleEndian.Uint32(key) * m
		k = (k ^ k>>24) * m
		h = h*m ^ k
	}
	for i := len(key) - 1; i >= 0; i-- {
		h ^= uint32(key[i]) << (8 * i)
		if i == 0 {
			h *= m
		}
	}
	h = (h ^ h>>13) * m
	return h ^ h>>15
}

func TestPartitionOfIsWhatAJavaClientComputes(t *testing.T) {
	for key, hash := range map[string]uint32{ // known vectors
		"kafka": 0xd067cf64, "giberish123456789": 0x8f552b0c, "1234": 0x9fc97b14, "234": 0xe7c009ca, "34": 0x873930da, "4": 0x5a4b5ca1,
		"PreAmbleWillBeRemoved,ThePrePartThatIs": 0x78424f1c,
	} {
		require.Equal(t, hash, murmur([]byte(key)), key)
		for _, count := range []int{1, 2, 3, 6, 12, 1000, MaxPartitions} {
			require.Equal(t, int(hash&0x7fffffff)%count, PartitionOf(key, count), "%s of %d", key, count)
		}
	}
	used := map[int]int{}
	for i := range 6000 {
		stream := fmt.Sprintf("call-%d", i)
		p := PartitionOf(stream, 6)
		require.Equal(t, int(murmur([]byte(stream))&0x7fffffff)%6, p)
		used[p]++
	}
	require.Len(t, used, 6)
}

func TestGenesisSurvivesTheLog(t *testing.T) {
	g := Genesis{LogID: "l1", Topic: "parley.calls", Partition: 2, Partitions: 6, Rule: Rule}
	headers, value, err := g.Message()
	require.NoError(t, err)
	require.True(t, IsGenesis(headers))
	require.Equal(t, map[string]string{"ce_specversion": "1.0", "ce_id": "l1/parley.calls/2", "ce_source": "/parley/log",
		"ce_type": "parley.genesis.v1", "content-type": "application/json"}, byName(headers), "a CloudEvent with all it must have")
	got, err := ParseGenesis(value, "parley.calls", 2)
	require.NoError(t, err)
	require.Equal(t, g, got)
	require.False(t, IsGenesis(fullRecord().Headers()))
	require.False(t, IsGenesis([]kafka.Header{{Key: "content-type", Value: []byte(GenesisType)}}))
}

func TestThePlaceOfALostRecordIsACloudEvent(t *testing.T) {
	headers := LostHeaders("parley.calls", 2, 17)
	require.True(t, IsLost(headers))
	require.Equal(t, map[string]string{"ce_specversion": "1.0", "ce_id": "parley.calls/2@17", "ce_source": "/parley/log",
		"ce_type": "parley.lost.v1", "content-type": "application/json"}, byName(headers))
}

func byName(headers []kafka.Header) map[string]string {
	out := map[string]string{}
	for _, h := range headers {
		out[h.Key] = string(h.Value)
	}
	return out
}

func TestParseGenesisRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Genesis)
		says   string
	}{
		"another topic":        {func(g *Genesis) { g.Topic = "parley.old" }, "copied or renamed"},
		"another partition":    {func(g *Genesis) { g.Partition = 1 }, "copied or renamed"},
		"another rule":         {func(g *Genesis) { g.Rule = 2 }, "accept rule 2"},
		"no log id":            {func(g *Genesis) { g.LogID = "" }, "incomplete"},
		"no partitions":        {func(g *Genesis) { g.Partitions = 0 }, "incomplete"},
		"too many partitions":  {func(g *Genesis) { g.Partitions = MaxPartitions + 1 }, "incomplete"},
		"fewer than there are": {func(g *Genesis) { g.Partitions = 2 }, "incomplete"},
	} {
		g := Genesis{LogID: "l1", Topic: "parley.calls", Partition: 2, Partitions: 6, Rule: Rule}
		c.change(&g)
		value, err := json.Marshal(g)
		require.NoError(t, err)
		_, err = ParseGenesis(value, "parley.calls", 2)
		require.ErrorContains(t, err, c.says, name)
		require.ErrorContains(t, err, "parley.calls/2", name)
	}
	_, err := ParseGenesis([]byte("{"), "parley.calls", 2)
	require.ErrorContains(t, err, "genesis of parley.calls/2")
}

// testMAC is a MAC as the vault makes it: keyed, per purpose, parts with their lengths.
func testMAC(purpose string, parts ...string) []byte {
	h := hmac.New(sha256.New, []byte("key for "+purpose))
	for _, p := range parts {
		_ = binary.Write(h, binary.BigEndian, uint64(len(p)))
		h.Write([]byte(p))
	}
	return h.Sum(nil)
}

func TestARequestIDBelongsToOneTenantOperationPathAndKey(t *testing.T) {
	base := RequestID(testMAC, "acme", "create-key", "/scopes/7", "k")
	require.Equal(t, base, RequestID(testMAC, "acme", "create-key", "/scopes/7", "k"))
	_, err := hex.DecodeString(base)
	require.NoError(t, err)
	require.Len(t, base, 32)
	seen := map[string]bool{base: true}
	for _, other := range []string{
		RequestID(testMAC, "emca", "create-key", "/scopes/7", "k"),
		RequestID(testMAC, "acme", "delete-key", "/scopes/7", "k"),
		RequestID(testMAC, "acme", "create-key", "/scopes/8", "k"),
		RequestID(testMAC, "acme", "create-key", "/scopes/7", "l"),
		RequestID(testMAC, "acmec", "reate-key", "/scopes/7", "k"),
		RequestID(testMAC, "acme", "create-key/scopes/7", "", "k"),
	} {
		require.False(t, seen[other])
		seen[other] = true
	}
}

func TestACauseIDBelongsToOneReactorEventAndStep(t *testing.T) {
	base := CauseID("dialer", "e1", "dial")
	require.Equal(t, base, CauseID("dialer", "e1", "dial"))
	require.Len(t, base, 32)
	for _, other := range []string{CauseID("notifier", "e1", "dial"), CauseID("dialer", "e2", "dial"), CauseID("dialer", "e1", "hangup"),
		CauseID("dialere1", "", "dial")} {
		require.NotEqual(t, base, other)
	}
}

func TestADerivedIDIsTheSameForBothTriesOfARequest(t *testing.T) {
	a := DerivedID(testMAC, "r1", "call")
	require.Equal(t, a, DerivedID(testMAC, "r1", "call"))
	require.EqualValues(t, 8, a.Version())
	require.Equal(t, "RFC4122", a.Variant().String())
	require.NotEqual(t, a, DerivedID(testMAC, "r2", "call"))
	require.NotEqual(t, a, DerivedID(testMAC, "r1", "session"))
	fresh := DerivedID(testMAC, "", "call")
	require.EqualValues(t, 7, fresh.Version())
	require.NotEqual(t, fresh, DerivedID(testMAC, "", "call"))
}

func TestTheCacheKeepsWhatWasUsedLast(t *testing.T) {
	c := newCache(4)
	first := entryOf[int](c, "s0", 1)
	for i := range 100 {
		require.Same(t, first, entryOf[int](c, "s0", 1), "used in every round")
		entryOf[int](c, fmt.Sprintf("s%d", i), 1)
		require.LessOrEqual(t, len(c.young)+len(c.old), 4)
	}
	require.NotContains(t, c.young, "s50")
	require.NotContains(t, c.old, "s50")
}

func TestACacheOfOneStreamWorks(t *testing.T) {
	c := newCache(1)
	a := entryOf[int](c, "a", 1)
	require.Same(t, a, entryOf[int](c, "a", 1))
	entryOf[int](c, "b", 1)
	entryOf[int](c, "c", 1)
	require.NotSame(t, a, entryOf[int](c, "a", 1))
}

func TestAnotherEpochVoidsTheCache(t *testing.T) {
	c := newCache(10)
	a := entryOf[int](c, "a", 1)
	require.NotSame(t, a, entryOf[int](c, "a", 2))
}

func TestADroppedEntryIsForgottenButNotItsSuccessor(t *testing.T) {
	c := newCache(10)
	a := entryOf[int](c, "a", 1)
	c.drop("a", a)
	b := entryOf[int](c, "a", 1)
	require.NotSame(t, a, b)
	c.drop("a", a) // a latecomer of the broken chain
	require.Same(t, b, entryOf[int](c, "a", 1))
}
