/** The members of a list's answer; the longest of its lists where it has several. */
type Item<A> = { [K in keyof A]-?: NonNullable<A[K]> extends (infer I)[] ? I : never }[keyof A];

type Listing = { query?: Record<string, unknown> };

/**
 * Walks all pages of a list, one item at a time:
 *
 *     for await (const call of each(parley.listInteractions, { path: { projectId }, query: { status } })) ...
 *
 * It goes on at `nextCursor` where the list has cursors, else by `offset`, or by `page` for the list
 * that has those. What is added or removed meanwhile can move what is behind an offset; cursors do not mind.
 */
export async function* each<Args extends object, Answer extends object>(
  list: (args: Args) => Promise<Answer>,
  args: Args,
): AsyncGenerator<Item<Answer>, void, undefined> {
  const query = { ...(args as Listing).query };
  for (let seen = 0; ;) {
    const answer = await list({ ...args, query });
    const items = itemsOf(answer) as Item<Answer>[];
    yield* items;
    seen += items.length;
    if (!goOn(query, answer as Page, items.length, seen)) return;
  }
}

type Page = { nextCursor?: string; pagination?: { total: number }; total?: number; availableMore?: boolean; results?: unknown[] };

/** Sets the query of the next page; false when there is none. */
function goOn(query: Record<string, unknown>, page: Page, here: number, seen: number): boolean {
  if ("events" in page) { // pages of cursors may be empty, and still not the last one
    query.cursor = page.nextCursor;
    return page.nextCursor !== undefined && page.nextCursor !== "";
  }
  if (here === 0) return false;
  if (page.results !== undefined) { // human agents: pages of 50
    query.page = Number(query.page ?? 1) + 1;
    return here >= 50;
  }
  query.offset = Number(query.offset ?? 0) + here;
  const total = page.pagination?.total ?? page.total;
  return page.availableMore ?? (total !== undefined && seen < total);
}

function itemsOf(answer: object): unknown[] {
  const lists = Object.values(answer).filter(Array.isArray);
  if (lists.length !== 1) throw new TypeError("this operation has no pages of one list");
  return lists[0] as unknown[];
}
