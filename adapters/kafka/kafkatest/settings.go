package kafkatest

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
)

// clusterID is 16 bytes in base64, as Kafka wants its ids.
const clusterID = "cGFybGV5LXRlc3RzLTAwMQ"

// member is one process of a cluster: a broker, its controller, or both in one.
type member struct {
	id         int
	dir        string
	broker     int // port of clients; 0: a controller alone
	controller int // port of the controller; 0: a broker alone
}

// plan says which processes make a cluster of the given brokers. Three have a
// controller of their own, so that a broker's loss never is the quorum's as well.
func plan(o Options, ports []int) (brokers []member, controller member) {
	if o.Brokers == 1 {
		m := member{id: NodeID(0), dir: filepath.Join(o.Dir, "broker-0"), broker: ports[0], controller: ports[1]}
		return []member{m}, m
	}
	for i := range o.Brokers {
		brokers = append(brokers, member{id: NodeID(i), dir: filepath.Join(o.Dir, fmt.Sprint("broker-", i)), broker: ports[i]})
	}
	return brokers, member{id: 100, dir: filepath.Join(o.Dir, "controller"), controller: ports[o.Brokers]}
}

// properties are the member's server.properties. What is set here beyond names and
// ports makes a small cluster start and notice a loss fast; what protects records is
// left as Kafka ships it, because that is what the tests are about.
func (m member) properties(o Options, controller member) []byte {
	p := map[string]string{
		"node.id":                                          strconv.Itoa(m.id),
		"log.dirs":                                         filepath.Join(m.dir, "log"),
		"controller.listener.names":                        "CONTROLLER",
		"controller.quorum.voters":                         fmt.Sprintf("%d@127.0.0.1:%d", controller.id, controller.controller),
		"listener.security.protocol.map":                   "CONTROLLER:PLAINTEXT,CLIENTS:PLAINTEXT",
		"auto.create.topics.enable":                        "false",
		"group.initial.rebalance.delay.ms":                 "0",
		"group.min.session.timeout.ms":                     "1000",
		"offsets.topic.num.partitions":                     "8",
		"offsets.topic.replication.factor":                 strconv.Itoa(o.Brokers),
		"transaction.state.log.num.partitions":             "2",
		"transaction.state.log.replication.factor":         strconv.Itoa(o.Brokers),
		"transaction.state.log.min.isr":                    "1",
		"share.coordinator.state.topic.replication.factor": strconv.Itoa(o.Brokers),
		"share.coordinator.state.topic.min.isr":            "1",
		"share.coordinator.state.topic.num.partitions":     "1",
		"broker.heartbeat.interval.ms":                     "500",
		"broker.session.timeout.ms":                        "5000",
		"replica.lag.time.max.ms":                          "5000",
		"replica.fetch.wait.max.ms":                        "100",
		"log.segment.delete.delay.ms":                      "1000",
		"log.index.size.max.bytes":                         "65536",
		"num.network.threads":                              "2",
		"num.io.threads":                                   "4",
		"log.cleaner.dedupe.buffer.size":                   "4194304",
	}
	switch {
	case m.broker == 0:
		p["process.roles"], p["listeners"] = "controller", fmt.Sprintf("CONTROLLER://127.0.0.1:%d", m.controller)
	case m.controller == 0:
		p["process.roles"], p["listeners"] = "broker", fmt.Sprintf("CLIENTS://127.0.0.1:%d", m.broker)
	default:
		p["process.roles"] = "broker,controller"
		p["listeners"] = fmt.Sprintf("CLIENTS://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d", m.broker, m.controller)
	}
	if m.broker != 0 {
		p["inter.broker.listener.name"] = "CLIENTS"
	}
	if o.Secure != nil {
		maps.Copy(p, o.Secure.properties(o.Dir))
	}
	maps.Copy(p, o.Settings)
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&b, "%s=%s\n", name, p[name])
	}
	return b.Bytes()
}
