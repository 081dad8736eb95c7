import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { attempt } from "#server/db/schema/attempt.ts";
import { dataCopy } from "#server/db/schema/data-copy.ts";
import { job } from "#server/db/schema/job.ts";
import { defined } from "#server/kernel/assert.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { listDataSets } from "#server/services/capacity/data-set/list.ts";
import { markCopiesUsed, withNearestCopies } from "#server/services/capacity/data-set/nearest-copies.ts";
import { setDataSets } from "#server/services/capacity/data-set/set.ts";
import { systemContext } from "#server/services/core/context.ts";
import { CopiesAhead, type DataCopier } from "./copies-ahead.ts";
import { World } from "./testing/world.ts";

const SET = "gs://acme-eu/labels";
const PLACE = "aws:us-east-1";
const GIB = 1024 ** 3;
/** Too little to be worth waiting for a copy, so each machine reads it across clouds. */
const SIZE_GIB = 4;
/** At Google's price, though the company has no site there. */
const READ_MICRO_USD = SIZE_GIB * 120_000;

let world: World;
let copies: CopiesAhead;
/** Copies that were made or removed. */
let done: string[];

beforeEach(async () => {
	world = await World.open({ slots: 0, runMs: 1_000 });
	done = [];
	const copier: Pick<DataCopier, "copy" | "size" | "remove"> = {
		copy: async (from) => {
			done.push(from);
			return { bytes: SIZE_GIB * GIB };
		},
		size: async () => SIZE_GIB * GIB,
		remove: async () => void done.push("removed"),
	};
	copies = new CopiesAhead(world.ctx, copier, new AbortController().signal);
	await list();
});
afterEach(() => world.database.drop());

function list(store: { share?: boolean; usdPerGiBMonth?: number } = { share: true, usdPerGiBMonth: 0.023 }, freshDays: number | null = 30) {
	const copy = { at: "gcp:europe-west4", uri: SET, readUri: "rclone://lake/labels" };
	return setDataSets(systemContext(world.database.db, world.clock, "seed"), {
		items: [{ uri: SET, copies: [copy], ...(freshDays !== null && { freshDays }) }],
		stores: [{ at: PLACE, uri: "s3://acme-stage/spillway", ...store }],
	});
}

const view = () => listDataSets(systemContext(world.database.db, world.clock));

async function runJob(name: string) {
	await world.submit({ name, data: { uri: SET, sizeGiB: SIZE_GIB } });
	const find = async () => (await world.database.db.select().from(job).where(eq(job.name, name)))[0];
	await world.until(async () => (await find())?.state === "succeeded");
	const row = defined(await find(), "job");
	const [ran] = await world.database.db.select().from(attempt).where(eq(attempt.jobId, row.id));
	return { row, reads: ran?.placement.reads ?? [] };
}

async function share(): Promise<void> {
	await copies.share();
	await copies.tend();
	await copies.done();
}

it("is made when two jobs read the data across clouds, and later jobs read it without egress", async () => {
	const first = await runJob("a");
	expect(first.reads).toEqual([{ uri: SET, from: "gcp:europe-west4", microUsd: READ_MICRO_USD }]);
	await share();
	expect(done).toEqual([]);
	const { row: second } = await runJob("b");
	const sharing = { uri: SET, at: PLACE, jobs: 2, egressMicroUsd: 2 * READ_MICRO_USD, savedMicroUsd: 2 * READ_MICRO_USD };
	// Copied once, and kept at $0.023 per GiB for a month.
	const costMicroUsd = READ_MICRO_USD + SIZE_GIB * 23_000;
	expect((await view()).sharing).toEqual([{ ...sharing, costMicroUsd, isWorth: true, share: true, team: second.team }]);
	await share();
	await share();
	expect(done).toEqual(["rclone://lake/labels"]);
	expect(await world.database.db.select().from(dataCopy)).toMatchObject([
		{ place: PLACE, fromPlace: "gcp:europe-west4", jobId: second.id, team: second.team },
	]);
	expect((await view()).sharing).toEqual([]);

	world.clock.advance(HOUR_MS);
	const later = await runJob("c");
	expect(later.reads).toEqual([]);
	const placed = await withNearestCopies(world.database.db, later.row.spec, PLACE, later.row.submittedAt);
	expect(placed.data[0]?.uri).toMatch(/^s3:\/\/acme-stage\/spillway\/[0-9a-f]{24}$/);

	// Reading it keeps it for another week.
	world.clock.advance(6 * DAY_MS);
	await markCopiesUsed(world.database.db, placed, world.clock.nowMs());
	world.clock.advance(6 * DAY_MS);
	await copies.tidy();
	await copies.done();
	expect(done).toHaveLength(1);
	world.clock.advance(DAY_MS + MINUTE_MS);
	await copies.tidy();
	await copies.done();
	expect(done).toEqual(["rclone://lake/labels", "removed"]);
});

it.each([
	["the store does not share", { usdPerGiBMonth: 0.023 }, 30],
	["the store has no price", { share: true }, 30],
	["storage costs more than it saves", { share: true, usdPerGiBMonth: 0.2 }, 30],
	["the data set has no time for which it is fresh", { share: true, usdPerGiBMonth: 0.023 }, null],
] as const)("is not made when %s", async (_, store, freshDays) => {
	await list(store, freshDays);
	await runJob("a");
	await runJob("b");
	await share();
	expect(done).toEqual([]);
});
