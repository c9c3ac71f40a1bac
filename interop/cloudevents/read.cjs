// Reads all records of all topics of Parley with the CloudEvents SDK of JavaScript, and
// prints each as a line of JSON. Data is held against the schema that the event names, by
// ajv. A record that one of them refuses is a line with the error.
"use strict";

const fs = require("fs");
const path = require("path");
const Ajv = require("ajv");
const formats = require("ajv-formats");
const { Kafka: Binding } = require("cloudevents");
const { Kafka, logLevel } = require("kafkajs");

const [schemas] = process.argv.slice(2);
const ajv = new Ajv({ strict: true, allErrors: true });
formats(ajv);
ajv.addVocabulary(["x-personal", "x-unit"]); // what Parley says of members beside their form
for (const file of fs.readdirSync(schemas)) {
  ajv.addSchema(JSON.parse(fs.readFileSync(path.join(schemas, file), "utf8")));
}

// event is the record as the SDK reads it. kafkajs gives bytes where the SDK wants text.
function event(message) {
  const headers = Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, value.toString()]));
  const read = Binding.toEvent({ headers, key: message.key?.toString(), value: JSON.parse(message.value.toString()) });
  read.validate();
  const { data, ...attributes } = read.toJSON();
  if (attributes.dataschema !== undefined) {
    const fits = ajv.getSchema(attributes.dataschema);
    if (!fits) throw new Error(`no schema in ${schemas} is ${attributes.dataschema}`);
    if (!fits(data)) throw new Error(`${attributes.dataschema}: ${ajv.errorsText(fits.errors)}`);
  }
  return { attributes, data };
}

async function main() {
  const kafka = new Kafka({
    brokers: process.env.KAFKA_BROKERS.split(","), logLevel: logLevel.ERROR, ssl: false,
    sasl: { mechanism: process.env.KAFKA_SASL.toLowerCase(), username: process.env.KAFKA_USER, password: process.env.KAFKA_PASSWORD },
  });
  const admin = kafka.admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((name) => name.startsWith("parley."));
  const ends = new Map();
  for (const name of topics) {
    for (const { partition, low, high } of await admin.fetchTopicOffsets(name)) {
      if (BigInt(high) > BigInt(low)) ends.set(`${name}/${partition}`, BigInt(high));
    }
  }
  await admin.disconnect();
  const group = kafka.consumer({ groupId: `interop-${process.pid}-${Date.now()}` });
  await group.connect();
  await group.subscribe({ topics, fromBeginning: true });
  await new Promise((resolve, reject) => {
    group.on(group.events.CRASH, ({ payload }) => reject(payload.error));
    group.run({
      autoCommit: false,
      eachMessage: async ({ topic, partition, message }) => {
        const at = `${topic}/${partition}`;
        const line = { topic, partition, offset: Number(message.offset) };
        try {
          Object.assign(line, event(message));
        } catch (refused) {
          line.error = `${refused.name}: ${refused.message} ${JSON.stringify(refused.errors ?? "")}`;
        }
        console.log(JSON.stringify(line));
        if (ends.has(at) && BigInt(message.offset) + 1n >= ends.get(at)) ends.delete(at);
        if (ends.size === 0) resolve();
      },
    });
  });
  await group.disconnect();
}

main().catch((failed) => {
  console.error(failed);
  process.exit(1);
});
