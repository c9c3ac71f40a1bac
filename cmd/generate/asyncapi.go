package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// kafkaBinding is the version of AsyncAPI's Kafka bindings that is spoken here.
const kafkaBinding = "0.5.0"

// asyncAPI is docs/asyncapi.json: a channel per topic, a message per event. It holds the
// schemas of the events too, so that one document is enough for a machine without files.
func asyncAPI(src *eventSources, categories []*event.Category, events map[string][]byte) ([]byte, error) {
	channels, operations, messages := object{}, object{}, object{"genesis": genesisMessage()}
	schemas := object{"envelope": envelopeSchema(), "genesisHeaders": genesisHeaders()}
	for _, c := range categories {
		for _, k := range c.Kinds() {
			schemas[modelName(k.Type())] = json.RawMessage(events[eventSchemaFolder+k.Type()+".json"])
		}
	}
	for _, c := range categories {
		refs := object{}
		for _, k := range c.Kinds() {
			m, err := eventMessage(src, k)
			if err != nil {
				return nil, err
			}
			messages[k.Type()] = m
			refs[k.Type()] = ref("#/components/messages/" + k.Type())
		}
		copies := refs
		refs = object{"genesis": ref("#/components/messages/genesis")}
		for name, r := range copies {
			refs[name] = r
		}
		channels[c.Name] = channel(c, c.Topic(), refs, "The log of "+c.Name+": streams "+c.Prefix+
			"-<id>. It also holds commits that do not count; apply the accept rule (package consumer) or read "+kafka.CopyTopic(c.Topic())+".")
		channels[acceptedChannel(c)] = channel(c, kafka.CopyTopic(c.Topic()), copies, "The accepted events of "+c.Topic()+
			", filled by parley serve --accepted-topics: at least once, in the order of each stream, with the ce_id of the original.")
		operations["publish"+modelName(c.Name)] = send(c.Name, "Each command that changes something appends its events as one commit.")
		operations["publish"+modelName(acceptedChannel(c))] = send(acceptedChannel(c), "The reactor "+reactors.AcceptedTopicsName+
			" copies each event that counts.")
	}
	doc := object{
		"asyncapi": "3.0.0",
		"info": object{"title": "Parley's events", "version": "1", "description": "Every change in Parley is a CloudEvent on a Kafka topic, in " +
			"binary mode: attributes in headers ce_*, JSON in the value, the stream's name as the key. " +
			"A commit counts only if the accept rule takes it; docs/how-to/consume-events.md says how to read. Schemas of one type and version " +
			"only ever gain optional members."},
		"defaultContentType": "application/json",
		"servers": object{
			"embedded": object{"host": "127.0.0.1:9092", "protocol": "kafka", "description": "" +
				"The broker of parley serve without --kafka-brokers; its address is KAFKA_BROKERS in <data>/dev.env, " +
				"its login KAFKA_SASL, KAFKA_USER and KAFKA_PASSWORD."},
			"kafka": object{"host": "{broker}", "protocol": "kafka-secure", "description": "Apache Kafka; TLS and SASL as it is set up.",
				"variables": object{"broker": object{"default": "localhost:9093", "description": "host:port of a broker"}}},
		},
		"channels":   channels,
		"operations": operations,
		"components": object{"messages": messages, "schemas": schemas},
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return nil, fmt.Errorf("writing the AsyncAPI document: %w", err)
	}
	return out.Bytes(), nil
}

// acceptedChannel is the id of a category's copy. Generators of code make type names of
// ids, and write a dot as "Dot".
func acceptedChannel(c *event.Category) string { return "accepted" + modelName(c.Name) }

func ref(to string) object { return object{"$ref": to} }

func channel(c *event.Category, topic string, messages object, about string) object {
	return object{"address": topic, "description": about, "messages": messages, "bindings": object{"kafka": object{
		"topic": topic, "partitions": c.Partitions, "bindingVersion": kafkaBinding,
		"topicConfiguration": object{"cleanup.policy": []string{"delete"}, "retention.ms": -1, "retention.bytes": -1,
			"max.message.bytes": 8 << 20}}}}
}

func send(channel, about string) object {
	return object{"action": "send", "channel": ref("#/channels/" + channel), "description": about}
}

func eventMessage(src *eventSources, k *event.Kind) (object, error) {
	about, err := src.about(k)
	if err != nil {
		return nil, err
	}
	example, err := src.golden(k)
	if err != nil {
		return nil, err
	}
	return object{"name": k.Type(), "title": modelName(k.Type()), "summary": about, "contentType": "application/json",
		"headers": ref("#/components/schemas/envelope"), "payload": ref("#/components/schemas/" + modelName(k.Type())),
		"correlationId": object{"location": "$message.header#/ce_correlationid", "description": "The request that started it all."},
		"bindings": object{"kafka": object{"bindingVersion": kafkaBinding,
			"key": object{"type": "string", "description": "The stream's name, as in ce_subject.", "pattern": "^" + k.Category.Prefix + "-"}}},
		"examples": []object{{"name": k.Name, "payload": example}}}, nil
}

func genesisMessage() object {
	return object{"name": eventstore.GenesisType, "title": "LogGenesisV1", "summary": "The first record of every partition: which log it is " +
		"and how many partitions the topic has. It has no key and is no event; skip it by its ce_type.",
		"contentType": "application/json", "headers": ref("#/components/schemas/genesisHeaders"),
		"payload": object{"title": "LogGenesisV1", "type": "object",
			"required": []string{"logId", "topic", "partition", "partitions", "rule"}, "properties": object{
				"logId": object{"type": "string", "format": "uuid"}, "topic": object{"type": "string"}, "partition": object{"type": "integer"},
				"partitions": object{"type": "integer"}, "rule": object{"type": "integer", "description": "Number of the accept rule."}}}}
}

func genesisHeaders() object {
	return object{"title": "LogGenesisHeaders", "type": "object", "required": []string{"ce_specversion", "ce_type"}, "properties": object{
		"ce_specversion": object{"const": "1.0"}, "ce_type": object{"const": eventstore.GenesisType},
		"ce_id":     object{"type": "string", "description": "LOGID/TOPIC/PARTITION. Logs that began before it was written lack it."},
		"ce_source": object{"const": eventstore.NoteSource, "description": "As ce_id."}, "content-type": object{"const": "application/json"}}}
}

// envelope is what each header of an event says, in the order in which it is written.
var envelope = []struct {
	name, about, format string
	optional            bool
}{
	{"ce_specversion", "CloudEvents version, 1.0.", "", false},
	{"ce_id", "The event's UUID; the same in copies.", "uuid", false},
	{"ce_source", "/parley/NODE: who wrote it.", "", false},
	{"ce_type", "parley.CONTEXT.EVENT.vN.", "", false},
	{"ce_subject", "The stream's name, equal to the key.", "", false},
	{"ce_time", "When it was decided, RFC 3339 in UTC.", "date-time", false},
	{"content-type", "application/json.", "", false},
	{"ce_dataschema", "$id of the value's JSON schema, urn:parley:CONTEXT.EVENT.vN. Older events lack it.", "", true},
	{"ce_tenant", "The account.", "", false},
	{"ce_actor", "Who caused it: user:.., key:.., reactor:.., timer:..", "", true},
	{"ce_version", "Position in the stream, a decimal number from 1.", "", false},
	{"ce_commit", "UUID of the decision; its events have consecutive offsets.", "uuid", false},
	{"ce_commitindex", "Place in the commit, a decimal number from 0.", "", false},
	{"ce_commitsize", "How many events the commit has.", "", false},
	{"ce_parent", "On the first event of a commit: the commit that the decision saw last. Absent at version 1.", "uuid", true},
	{"ce_requestid", "On the first event: HMAC of the Idempotency-Key, if there was one.", "", true},
	{"ce_requesthash", "On the first event: hash of the request's body.", "", true},
	{"ce_correlationid", "The request that started it all, tr-...", "", true},
	{"ce_causationid", "What caused this event.", "", true},
	{"traceparent", "W3C trace context.", "", true},
	{"ce_keyid", "The data key of the stream, in whose events personal members are sealed; own: only those of others who stand in it. " +
		"Absent where nothing is sealed.", "", true},
	{kafka.HeaderOriginTopic, "In copies only: topic of the original.", "", true},
	{kafka.HeaderOriginPartition, "In copies only: partition of the original.", "", true},
	{kafka.HeaderOriginOffset, "In copies only: offset of the original.", "", true},
}

// envelopeSchema is the headers of every event; each is text.
func envelopeSchema() object {
	members, must := object{}, []string{}
	for _, h := range envelope {
		m := object{"type": "string", "description": h.about}
		if h.format != "" {
			m["format"] = h.format
		}
		if strings.Contains(h.about, "ecimal number") {
			m["pattern"] = "^[0-9]+$"
		}
		members[h.name] = m
		if !h.optional {
			must = append(must, h.name)
		}
	}
	return object{"title": "EventHeaders", "type": "object", "required": must, "properties": members}
}
