import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createParley, type Parley } from "../src/index.js";

/** A setting of the server's dev.env: the tests talk to a running `parley serve --dev`. */
export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start parley serve --dev and source its dev.env`);
  return value;
}

export const bot = setting("BOT_ID");
export const account = { accountId: setting("ACCOUNT_ID"), iid: bot };

export const withToken = (): Parley => createParley({ url: setting("PARLEY_URL"), token: setting("PARLEY_TOKEN") });
export const withKey = (): Parley => createParley({ url: setting("PARLEY_URL"), apiKey: setting("PARLEY_API_KEY") });

let counted = 0;
/** A name that no other test and no other run has. */
export const unique = (name: string) => `${name} ts ${Date.now().toString(36)} ${++counted}`;

/** Asks until the answer is the one that is waited for. */
export async function until<T>(ask: () => Promise<T>, is: (answer: T) => boolean): Promise<T> {
  for (let left = 600; ; left--) {
    const answer = await ask();
    if (is(answer)) return answer;
    if (left === 0) throw new Error(`it never came; the last answer was ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A dial-out to the number of the simulated carrier that answers. */
export const callTo = (target = "tel:+15550000001") => ({ botId: bot, target, caller: setting("CALLER") });

export const ended = (parley: Parley, callId: string) =>
  until(() => parley.getDialOut({ path: { botId: bot, callId } }), (call) => call.status === "completed" || call.status === "failed");

/** A program that listens on this machine until `close`. */
export async function listening(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<{ url: string; close: () => void }> {
  const server: Server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => { server.close(); server.closeAllConnections(); },
  };
}
