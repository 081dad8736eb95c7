import { afterAll, beforeAll, expect, it } from "vitest";
import { notify } from "#server/db/notify.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { Change } from "#server/domain/change.ts";
import { defined } from "#server/kernel/assert.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { systemContext } from "../context.ts";
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

const ofJob = (id: string): Change => ({ topic: "job", id, team: null });
const tell = (...changes: Change[]) => notify(database.db, { changes });
/** The first batch that somebody hears who listens from now on. */
async function firstHeard(sinceMs: number | undefined, meanwhile: () => Promise<void>): Promise<Change[]> {
	const left = new AbortController();
	const { actor } = systemContext(database.db, clock, "seed");
	const batches = feed.subscribe(actor, left.signal, sinceMs);
	const first = batches.next();
	await meanwhile();
	const { value } = await first;
	left.abort();
	return defined(value ?? undefined, "a batch");
}

it("tells a page that listens late what changed since it was drawn, and one that asks for nothing of it only what comes", async () => {
	await firstHeard(undefined, () => tell(ofJob("early")));
	const drawnAtMs = ++now;
	await firstHeard(undefined, () => tell(ofJob("ended"), ofJob("begun")));
	await firstHeard(undefined, () => tell(ofJob("ended")));
	now += 400;
	expect(await firstHeard(drawnAtMs, async () => {})).toEqual([ofJob("begun"), ofJob("ended")]);
	expect(await firstHeard(undefined, () => tell(ofJob("later")))).toEqual([ofJob("later")]);
});

it("forgets what is older than a minute when the next comes", async () => {
	now += MINUTE_MS + 1;
	expect(await firstHeard(0, () => tell(ofJob("now")))).toEqual(expect.arrayContaining([ofJob("later")]));
	expect(await firstHeard(0, async () => {})).toEqual([ofJob("now")]);
});
