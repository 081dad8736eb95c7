import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { notify } from "#server/db/notify.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { Change } from "#server/domain/change.ts";
import { defined } from "#server/kernel/assert.ts";
import type { Actor } from "#server/services/core/context.ts";
import { ChangeFeed } from "./feed.ts";

let database: TestDatabase;
const closed = new AbortController();
const clock = { nowMs: () => now };
let now = 1_000_000;
let feed: ChangeFeed;

beforeAll(async () => {
	database = await createTestDatabase();
	feed = new ChangeFeed(database.sql, closed.signal, clock);
	await feed.open();
});
afterAll(async () => {
	closed.abort();
	await database.drop();
});

const SEED: Actor = { kind: "system", part: "seed" };
const RESEARCHER: Actor = { kind: "person", accountId: "acc_1", name: "Ada", role: "data_scientist", teams: ["research"], via: "session" };
const ofJob = (id: string): Change => ({ topic: "job", id, team: null });
const publish = (...changes: Change[]) => notify(database.db, { changes });
/** The first batch received by a listener that starts now. */
async function firstHeard(sinceMs: number | undefined, meanwhile: () => Promise<void>, actor: Actor = SEED): Promise<Change[]> {
	const left = new AbortController();
	const batches = feed.subscribe(actor, left.signal, sinceMs);
	const first = batches.next();
	await meanwhile();
	const { value } = await first;
	left.abort();
	return defined(value ?? undefined, "a batch");
}

it("sends a late listener the changes since its page was rendered, and only new changes to one that does not request them", async () => {
	await firstHeard(undefined, () => publish(ofJob("early")));
	const drawnAtMs = ++now;
	await firstHeard(undefined, () => publish(ofJob("ended"), ofJob("begun")));
	await firstHeard(undefined, () => publish(ofJob("ended")));
	now += 400;
	expect(await firstHeard(drawnAtMs, async () => {})).toEqual([{ topic: "job", id: null, team: null }]);
	expect(await firstHeard(undefined, () => publish(ofJob("later")))).toEqual([ofJob("later")]);
	expect(await firstHeard(now + 1, () => publish({ ...ofJob("alert"), topic: "alert" }))).toEqual([{ ...ofJob("alert"), topic: "alert" }]);
});

it("sends no one another team's changes, late or not", async () => {
	const drawnAtMs = ++now;
	await firstHeard(undefined, () => publish({ ...ofJob("theirs"), team: "vision" }));
	const own = { ...ofJob("own"), team: "research" };
	expect(await firstHeard(drawnAtMs, () => publish(own), RESEARCHER)).toEqual([own]);
});

it("refuses the 101st live connection of a person before it is read, until one ends", async () => {
	const stop = new AbortController();
	const person: Actor = { ...RESEARCHER, accountId: "acc_many" };
	const connect = (actor: Actor) => feed.subscribe(actor, stop.signal);
	const connections = Array.from({ length: 100 }, () => connect(person));
	expect(() => connect(person)).toThrow(expect.objectContaining({ code: "too_many_requests" }));
	connections.push(connect({ ...RESEARCHER, accountId: "acc_2" }));
	await connections[0]?.return();
	const left = new AbortController();
	feed.subscribe(person, left.signal);
	left.abort();
	await vi.waitFor(() => connections.push(connect(person)), { timeout: 600_000 });
	stop.abort();
	for (const connection of connections) expect((await connection.next()).done).toBe(true);
	await connect(person).return();
});
