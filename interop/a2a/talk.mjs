// The protocol's own SDK for Node, both ways: as a client of an agent of Parley, in 1.0 and in 0.3, and as the server of an
// agent that one of Parley hands a conversation to: node talk.mjs NODE_MODULES
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { deploy, installed, parley, project } from '../world/world.mjs';

const take = installed(process.argv[2]);
const { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } = take('@a2a-js/sdk/client');
const { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } = take('@a2a-js/sdk/server');
const { UserBuilder, jsonRpcHandler } = take('@a2a-js/sdk/server/express');
const express = take('express');

const name = `js_${randomUUID().slice(0, 8)}`;
const [INPUT_REQUIRED, COMPLETED, WORKING] = [6, 3, 2];

const message = (text, more = {}) => ({
  message: { messageId: randomUUID(), role: 1, contextId: '', taskId: '', extensions: [], referenceTaskIds: [], metadata: undefined,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }], ...more },
  configuration: undefined, metadata: undefined, tenant: '',
});
const textsOf = (artifacts) => artifacts.flatMap((a) => a.parts.map((p) => p.content.value));

// As a client.
const asks = `DSL: 1
AGENT: ${name}_asks
GATHER: {kind: {TYPE: enum, OPTIONS: [electricity, gas], PROMPT: "Which meter?"}}
ON_START: {SAY: Good day.}
FLOW: {START: a, STEPS: {a: {GATHER: [kind], NEXT: b}, b: {SAY: "Thank you for the {{ gather.kind }}.", END: true}}}
`;
const { connection } = await parley(`/api/projects/${project}/channel-connections`, {
  channelType: 'a2a', externalIdentifier: name, deploymentId: (await deploy({ [`${name}_asks`]: asks }, `${name}_asks`)).id,
});
const fetchImpl = (to, init = {}) => fetch(to, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), Authorization: `Bearer ${process.env.PARLEY_TOKEN}` } });
const rpc = new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } });
const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports: [rpc] }));
const client = await factory.createFromUrl(`${connection.webhookUrl}/`);
const card = await (await fetch(`${connection.webhookUrl}/.well-known/agent-card.json`)).json();
const older = await rpc.create(card.url, { ...card, supportedInterfaces: [{ url: card.url, protocolBinding: 'JSONRPC', protocolVersion: '0.3', tenant: '' }] });
for (const speaks of [client, older]) {
  const first = await speaks.sendMessage(message('Hello'));
  assert.equal(first.status.state, INPUT_REQUIRED);
  assert.deepEqual(textsOf(first.artifacts), ['Good day.', 'Which meter?']);
  const told = [];
  let last;
  for await (const event of speaks.sendMessageStream(message('gas', { taskId: first.id, contextId: first.contextId }))) {
    last = event.payload;
    told.push(last.$case);
  }
  assert.equal(told[0], 'task');
  assert.equal(last.$case, 'statusUpdate');
  assert.equal(last.value.status.state, COMPLETED);
  const whole = await speaks.getTask({ id: first.id, historyLength: undefined, tenant: '' });
  assert.equal(textsOf(whole.artifacts).at(-1), 'Thank you for the gas.');
  await assert.rejects(speaks.sendMessage(message('more', { taskId: first.id, contextId: first.contextId })));
  await assert.rejects(speaks.getTask({ id: 'nothing', historyLength: undefined, tenant: '' }));
}

// As a server.
const heard = [];
const part = (text) => ({ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' });
const executor = {
  async execute(context, bus) {
    const { taskId, contextId, userMessage } = context;
    heard.push(userMessage);
    const says = (text) => ({ messageId: randomUUID(), role: 2, taskId, contextId, parts: [part(text)], extensions: [], referenceTaskIds: [], metadata: undefined });
    const status = (state, text) => ({ state, message: text && says(text), timestamp: new Date().toISOString() });
    bus.publish(AgentEvent.task(context.task ?? { id: taskId, contextId, status: status(WORKING), artifacts: [], history: [userMessage], metadata: undefined }));
    const text = userMessage.parts[0].content.value;
    if (text === 'a seat') {
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(INPUT_REQUIRED, 'Window or aisle?'), metadata: undefined }));
    } else {
      const artifact = { artifactId: 'booking', name: 'booking', description: '', parts: [part(`Booked: ${text}`)], extensions: [], metadata: undefined };
      bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined }));
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(COMPLETED), metadata: undefined }));
    }
    bus.finished();
  },
  async cancelTask() {},
};
const app = express();
const listening = await new Promise((done) => { const l = app.listen(0, '127.0.0.1', () => done(l)); });
const desk = `http://127.0.0.1:${listening.address().port}/a2a`;
const deskCard = {
  name: 'Desk', description: 'Books seats', version: '1', provider: undefined, capabilities: { streaming: true, pushNotifications: false, extensions: [] },
  supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({ url: desk, protocolBinding: 'JSONRPC', protocolVersion, tenant: '' })),
  securitySchemes: {}, securityRequirements: [], defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [], signatures: [],
};
app.use('/a2a', jsonRpcHandler({ requestHandler: new DefaultRequestHandler(deskCard, new InMemoryTaskStore(), executor),
  userBuilder: UserBuilder.noAuthentication, legacyCompat: { enabled: true } }));
for (const version of ['1.0', '0.3']) {
  const agent = `${name}_desk${version[0]}`;
  const { id: deploymentId } = await deploy({ [agent]: `DSL: 1\nAGENT: ${agent}\nREMOTE: {URL: "${desk}", VERSION: "${version}"}\n` }, agent);
  const first = await parley('/api/v1/chat/agent', { projectId: project, deploymentId, message: 'a seat' });
  assert.equal(first.response, 'Window or aisle?');
  const second = await parley('/api/v1/chat/agent', { projectId: project, sessionId: first.sessionId, message: 'aisle' });
  assert.equal(second.response, 'Booked: aisle');
  assert.equal(second.action.type, 'end');
  assert.ok(heard.at(-1).taskId && heard.at(-1).contextId);
}
listening.close();
console.log('both ways');
process.exit(0);
