package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	kafkago "github.com/segmentio/kafka-go"
)

// WaitReady returns when the cluster knows so many brokers at least.
func (c *Cluster) WaitReady(ctx context.Context, brokers int) error {
	return c.until(ctx, never, atLeast(brokers))
}

func atLeast(brokers int) func(*kafkago.MetadataResponse) error {
	return func(m *kafkago.MetadataResponse) error {
		if len(m.Brokers) < brokers {
			return fmt.Errorf("%d of %d brokers have joined", len(m.Brokers), brokers)
		}
		return nil
	}
}

// waitFor returns when the cluster knows the broker and its address answers.
func (c *Cluster) waitFor(ctx context.Context, broker int) error {
	return c.until(ctx, never, func(m *kafkago.MetadataResponse) error {
		if !slices.ContainsFunc(m.Brokers, func(b kafkago.Broker) bool { return b.ID == NodeID(broker) }) {
			return fmt.Errorf("broker %d has not joined", broker)
		}
		client, done := c.client(c.addresses[broker])
		defer done()
		_, err := client.ApiVersions(ctx, &kafkago.ApiVersionsRequest{})
		return err
	})
}

func never() error { return nil }

// until asks for metadata, of any broker, until they are as wanted or waiting has
// become hopeless.
func (c *Cluster) until(ctx context.Context, hopeless func() error, wanted func(*kafkago.MetadataResponse) error) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	for {
		m, err := c.metadata(ctx)
		if err == nil {
			err = wanted(m)
		}
		if err == nil {
			return nil
		}
		if err := hopeless(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for Apache Kafka at %v: %w", c.addresses, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (c *Cluster) metadata(ctx context.Context) (*kafkago.MetadataResponse, error) {
	var errs error
	for _, a := range c.addresses {
		client, done := c.client(a)
		m, err := client.Metadata(ctx, &kafkago.MetadataRequest{})
		done()
		if err == nil {
			return m, nil
		}
		errs = errors.Join(errs, err)
	}
	return nil, errs
}

// client talks to one broker, and forgets its connections with done.
func (c *Cluster) client(address string) (client *kafkago.Client, done func()) {
	t := &kafkago.Transport{DialTimeout: 2 * time.Second, MetadataTTL: 50 * time.Millisecond}
	if c.secure != nil {
		t.TLS, t.SASL = c.secure.TLS(), c.secure.Mechanism(c.secure.User)
	}
	return &kafkago.Client{Addr: kafkago.TCP(address), Timeout: 2 * time.Second, Transport: t}, t.CloseIdleConnections
}

// Leader is the number of the broker that leads a partition, or an error while it
// has none. It asks the brokers that are up.
func (c *Cluster) Leader(ctx context.Context, topic string, partition int) (int, error) {
	m, err := c.metadata(ctx)
	if err != nil {
		return 0, err
	}
	for _, t := range m.Topics {
		for _, p := range t.Partitions {
			if t.Name == topic && p.ID == partition && p.Error == nil && p.Leader.Host != "" {
				return p.Leader.ID - NodeID(0), nil
			}
		}
	}
	return 0, fmt.Errorf("%s/%d has no leader", topic, partition)
}
