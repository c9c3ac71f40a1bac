package main

import (
	"context"
	"os"
	"strconv"
	"time"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/handlers/reactors"
)

// TopicsCmd prepares Kafka.
type TopicsCmd struct {
	connect.KafkaFlags
	Data     string     `help:"Folder of the node whose embedded broker is meant, and which runs, when --kafka-brokers is empty." default:".data" placeholder:"DIR"`
	Show     show.Flags `embed:""`
	Replicas int        `help:"Replicas of topics that are created; three, or as many as there are brokers, when 0." placeholder:"N"`
}

// Run creates and checks.
func (c *TopicsCmd) Run() error {
	if c.Replicas < 0 {
		return exit.Wrongf("--replicas %d: must be at least 1, or 0 for three or as many as there are brokers", c.Replicas)
	}
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
	if _, err := node.BeginKeys(ctx, log); err != nil {
		return err
	}
	ends, err := log.Ends(ctx)
	if err != nil {
		return err
	}
	return c.report(show.To(os.Stdout, c.Show), log.LogID(), ends)
}

// topic is one of them, for programs.
type topic struct {
	Topic      string `json:"topic"`
	Partitions int    `json:"partitions"`
	Records    int64  `json:"records"`
	Log        string `json:"logId"`
}

// report says what is there; it is reached only when all settings are as they must be.
func (c *TopicsCmd) report(out *show.Out, log string, ends map[string]map[int]int64) error {
	var rows [][]show.Cell
	for _, cat := range catalog.Categories() {
		t := topic{Topic: cat.Topic(), Partitions: len(ends[cat.Topic()]), Log: log}
		for _, end := range ends[cat.Topic()] {
			t.Records += end - 1 // without the genesis
		}
		if out.JSON() {
			if err := out.Object(t); err != nil {
				return err
			}
		}
		rows = append(rows, show.Of(t.Topic, strconv.Itoa(t.Partitions), strconv.FormatInt(t.Records, 10)))
	}
	if out.JSON() {
		return nil
	}
	if err := out.Table([]string{"TOPIC", "PARTITIONS", "RECORDS"}, rows); err != nil {
		return err
	}
	return out.Say("log %s; settings: as they must be", log)
}
