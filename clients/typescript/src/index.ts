/**
 * The client of Parley. `createParley` makes one; its methods are the operations of the API.
 *
 * `schema.ts` and `routes.ts` are generated from the API's document (`make clients`); the rest is
 * written by hand and knows no single operation.
 */
export { createParley } from "./parley.js";
export type { Parley, ParleyOptions, Credential } from "./parley.js";
export type { Answer, Arguments, Operations, Sending } from "./operations.js";
export { ParleyError } from "./refusal.js";
export type { Problem } from "./refusal.js";
export { each } from "./pages.js";
export { InvalidSignature, readNotification } from "./notifications.js";
export type { Notification } from "./notifications.js";
export type { Followed, Following } from "./events.js";
export { version } from "./routes.js";
export type { components, operations, paths, webhooks } from "./schema.js";
