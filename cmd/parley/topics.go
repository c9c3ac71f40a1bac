package main

import (
	"context"
	"fmt"
	"time"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/handlers/reactors"
)

// TopicsCmd prepares Kafka.
type TopicsCmd struct {
	connect.KafkaFlags
	Data     string `help:"Folder of the node whose embedded broker is meant, when --kafka-brokers is empty." default:".data" placeholder:"DIR"`
	Replicas int    `help:"Replicas of topics that are created; three, or as many as there are brokers, when 0."`
}

// Run creates and checks.
func (c *TopicsCmd) Run() error {
	brokers, tlsConfig, mechanism, err := c.At(c.Data)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	log := kafka.New(kafka.Config{Brokers: brokers, ClientID: "parley-topics", TLS: tlsConfig, SASL: mechanism, Replicas: c.Replicas})
	defer log.Close()
	if err := log.Open(ctx, catalog.Categories()); err != nil {
		return err
	}
	if err := log.Plain(ctx, 1, reactors.PoisonTopic, node.KeysetTopic); err != nil {
		return err
	}
	fmt.Printf("log %s\n", log.LogID())
	ends, err := log.Ends(ctx)
	if err != nil {
		return err
	}
	for _, cat := range catalog.Categories() {
		var records int64
		for _, end := range ends[cat.Topic()] {
			records += end - 1 // without the genesis
		}
		fmt.Printf("%-22s %d partitions, %d records\n", cat.Topic(), len(ends[cat.Topic()]), records)
	}
	fmt.Println("settings: as they must be")
	return nil
}
