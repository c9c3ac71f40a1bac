// OpenAI's client for Node and its agents, pointed at Parley: a model and a deployed agent, whole and as streams, a tool
// that their agent runs itself, and refusals as the client's own errors: node talk.mjs NODE_MODULES
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { deploy, installed, project, url } from '../world/world.mjs';

const take = installed(process.argv[2]);
const { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool } = take('@openai/agents');
const OpenAI = take('openai').default;
const { z } = take('zod');

const ai = new OpenAI({ apiKey: process.env.PARLEY_TOKEN, baseURL: `${url}/v1`, project, maxRetries: 0 });
const hello = [{ role: 'user', content: 'Hello there' }];

const models = [];
for await (const m of ai.models.list()) models.push(m.id);
assert(models.includes('local'), models.join());

const whole = await ai.chat.completions.create({ model: 'local', messages: hello });
assert.equal(whole.choices[0].message.content, 'You said: Hello there');
let told = '';
for await (const chunk of await ai.chat.completions.create({ model: 'local', messages: hello, stream: true })) {
  told += chunk.choices[0]?.delta.content ?? '';
}
assert.equal(told, whole.choices[0].message.content);

const name = `node-${randomUUID().slice(0, 8)}`;
const deployment = await deploy({ [name]: `DSL: 1\nAGENT: ${name}\nON_START: {SAY: Good day.}\nFLOW: {START: a, STEPS: {a: {SAY: "It is open.", END: true}}}\n` }, name);
const begun = await ai.chat.completions.create({ model: deployment.endpointSlug, messages: hello });
assert.equal(begun.choices[0].message.content, 'Good day.\nIt is open.');

await assert.rejects(ai.chat.completions.create({ model: 'gpt-4o', messages: hello }), OpenAI.NotFoundError);
await assert.rejects(ai.chat.completions.create({ model: 'local', messages: [] }), OpenAI.BadRequestError);

// Their agent asks our model, runs its own tool when the model calls it, and tells the model what came of it.
setDefaultOpenAIClient(ai);
setOpenAIAPI('chat_completions');
setTracingDisabled(true);
const asked = [];
const findOrder = tool({
  name: 'find_order',
  description: 'Finds an order by its number',
  parameters: z.object({ id: z.number() }),
  execute: async ({ id }) => {
    asked.push(id);
    return 'on its way';
  },
});
const clerk = new Agent({ name: 'Clerk', instructions: 'Help with orders.', model: 'local', tools: [findOrder] });
const result = await run(clerk, 'find_order {"id": 17}');
assert.deepEqual(asked, [17]);
assert.match(result.finalOutput, /on its way/);

const streamed = await run(clerk, 'find_order {"id": 18}', { stream: true });
let text = '';
for await (const piece of streamed.toTextStream()) text += piece;
await streamed.completed;
assert.deepEqual(asked, [17, 18]);
assert.equal(text, streamed.finalOutput);
console.log('all answers were right');
