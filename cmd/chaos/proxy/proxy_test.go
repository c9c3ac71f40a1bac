package proxy

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
)

// echo answers each line with itself.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	return l.Addr().String()
}

func open(t *testing.T, target string, kafka *Kafka) *Link {
	t.Helper()
	l, err := Open("test", target, kafka)
	require.NoError(t, err)
	t.Cleanup(l.Close)
	return l
}

func dial(t *testing.T, l *Link) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", l.Address())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(20*time.Second)))
	return c, bufio.NewReader(c)
}

func say(t *testing.T, c net.Conn, r *bufio.Reader, line string) {
	t.Helper()
	_, err := c.Write([]byte(line + "\n"))
	require.NoError(t, err)
	got, err := r.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, line+"\n", got)
}

func TestCutLinkResetsAndRefusesUntilItHeals(t *testing.T) {
	l := open(t, echo(t), nil)
	c, r := dial(t, l)
	say(t, c, r, "before")

	l.Cut()
	_, err := r.ReadString('\n')
	require.ErrorIs(t, err, syscall.ECONNRESET)
	if during, err := net.Dial("tcp", l.Address()); err == nil { // the reset may come before the connection stands
		require.NoError(t, during.SetDeadline(time.Now().Add(20*time.Second)))
		_, _ = during.Write([]byte("during\n"))
		_, err = bufio.NewReader(during).ReadString('\n')
		require.Error(t, err)
		_ = during.Close()
	}

	l.Heal()
	c, r = dial(t, l)
	say(t, c, r, "after")
}

func TestHeldLinkKeepsBytesUntilItHeals(t *testing.T) {
	l := open(t, echo(t), nil)
	c, r := dial(t, l)
	say(t, c, r, "before")

	l.Hold()
	_, err := c.Write([]byte("held\n"))
	require.NoError(t, err)
	require.NoError(t, c.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err = r.ReadByte()
	require.True(t, isTimeout(err), "%v", err)

	l.Heal()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(20*time.Second)))
	got, err := r.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held\n", got)
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

func TestHalfOpenConnectionNeitherAnswersNorEnds(t *testing.T) {
	l := open(t, echo(t), nil)
	c, r := dial(t, l)
	say(t, c, r, "before")

	l.HalfOpen()
	_, err := c.Write([]byte("into the void\n"))
	require.NoError(t, err)
	require.NoError(t, c.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err = r.ReadByte()
	require.True(t, isTimeout(err), "%v", err)

	again, r := dial(t, l)
	say(t, again, r, "a new one is welcome")
}

// broker is the embedded broker behind a link that answers with its own address.
func broker(t *testing.T) (*Kafka, *kafkago.Client) {
	t.Helper()
	k := NewKafka()
	l := open(t, embeddedtest.Broker(t)[0], k)
	transport := &kafkago.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client := &kafkago.Client{Addr: kafkago.TCP(l.Address()), Timeout: 20 * time.Second, Transport: transport}
	meta, err := client.Metadata(t.Context(), &kafkago.MetadataRequest{})
	require.NoError(t, err)
	require.Len(t, meta.Brokers, 1)
	require.Equal(t, l.Address(), net.JoinHostPort(meta.Brokers[0].Host, strconv.Itoa(meta.Brokers[0].Port)))
	res, err := client.CreateTopics(t.Context(), &kafkago.CreateTopicsRequest{Topics: []kafkago.TopicConfig{
		{Topic: "t", NumPartitions: 1, ReplicationFactor: 1}}})
	require.NoError(t, err)
	require.NoError(t, res.Errors["t"])
	return k, client
}

func produce(ctx context.Context, client *kafkago.Client, value string) error {
	res, err := client.Produce(ctx, &kafkago.ProduceRequest{Topic: "t", RequiredAcks: kafkago.RequireAll,
		Records: kafkago.NewRecordReader(kafkago.Record{Value: kafkago.NewBytes([]byte(value))})})
	if err != nil {
		return err
	}
	return res.Error
}

func values(t *testing.T, client *kafkago.Client) (got []string) {
	t.Helper()
	res, err := client.Fetch(t.Context(), &kafkago.FetchRequest{Topic: "t", MinBytes: 1, MaxBytes: 1 << 20, MaxWait: 100 * time.Millisecond})
	require.NoError(t, err)
	for {
		r, err := res.Records.ReadRecord()
		if errors.Is(err, io.EOF) {
			return got
		}
		require.NoError(t, err)
		v, err := kafkago.ReadAll(r.Value)
		require.NoError(t, err)
		got = append(got, string(v))
	}
}

// What was held reaches the log after the retry, from a caller who is long gone.
func TestHeldProduceLandsLate(t *testing.T) {
	k, client := broker(t)
	held := k.HoldNext(false, 400*time.Millisecond)

	impatient, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.Error(t, produce(impatient, client, "held"))
	require.NoError(t, produce(t.Context(), client, "retried"))
	require.Equal(t, []string{"retried"}, values(t, client))

	require.Eventually(t, func() bool { return len(values(t, client)) == 2 }, 20*time.Second, 20*time.Millisecond)
	require.Equal(t, []string{"retried", "held"}, values(t, client))
	taken, freed := held.Taken()
	require.True(t, taken && freed)
}

// The log has what was acknowledged to nobody.
func TestHeldAcknowledgementLeavesTheRecordOnTheLog(t *testing.T) {
	k, client := broker(t)
	k.HoldNext(true, 10*time.Second)
	impatient, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	require.Error(t, produce(impatient, client, "held"))
	require.Equal(t, []string{"held"}, values(t, client))
}

func TestReleaseForgetsHoldsThatNothingCameFor(t *testing.T) {
	k, client := broker(t)
	k.HoldNext(false, time.Hour)
	k.Release()
	require.NoError(t, produce(t.Context(), client, "free"))
}
