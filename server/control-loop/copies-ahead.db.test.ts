import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dataCopy } from "#server/db/schema/data-copy.ts";
import { job } from "#server/db/schema/job.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { listDataSets } from "#server/services/capacity/data-set/list.ts";
import { withNearestCopies } from "#server/services/capacity/data-set/nearest-copies.ts";
import { setDataSets } from "#server/services/capacity/data-set/set.ts";
import { systemContext } from "#server/services/core/context.ts";
import { CopiesAhead, type DataCopier } from "./copies-ahead.ts";
import { World } from "./testing/world.ts";

const ROWS = "file:///data/rows";
const STORE = "s3://acme-stage/spillway";

let world: World;
let copies: CopiesAhead;
/** Calls the copier received, and its next results. */
let asked: string[];
let answer: () => Promise<{ bytes: number }>;

beforeEach(async () => {
	world = await World.open({ slots: 0, runMs: 1_000 });
	asked = [];
	answer = async () => ({ bytes: 256 * 1024 * 1024 });
	const copier: Pick<DataCopier, "copy" | "size" | "remove"> = {
		copy: async (from, to) => {
			asked.push(`${from} → ${to}`);
			return answer();
		},
		size: async () => 100 * 1024 ** 3,
		remove: async (uri) => void asked.push(`− ${uri}`),
	};
	copies = new CopiesAhead(world.ctx, copier, new AbortController().signal);
	await setDataSets(systemContext(world.database.db, world.clock, "seed"), {
		items: [{ uri: ROWS, copies: [{ at: "home", uri: ROWS }] }],
		stores: [{ at: "aws:us-east-1", uri: STORE, writeUri: "rclone://stage/acme-stage/spillway/", usdPerGiBMonth: 0.023 }],
	});
});
afterEach(() => world.database.drop());

const rows = () => world.database.db.select().from(dataCopy);
const stored = async () => (await listDataSets(systemContext(world.database.db, world.clock))).stored;
const submit = (name: string) => world.submit({ name, data: { uri: ROWS, sizeGiB: 100 } });

async function jobNamed(name: string) {
	const [row] = await world.database.db.select().from(job).where(eq(job.name, name));
	return row ?? expect.fail(`no job ${name}`);
}

/** Runs the copier once, to completion. */
async function copyNow(): Promise<void> {
	await copies.tend();
	await copies.done();
}

describe("data stored at home", () => {
	it("is copied into the region's store before anything is launched, and read from there", async () => {
		await submit("a");
		await world.tick();
		await world.tick();
		const waiting = await jobNamed("a");
		expect(waiting.reason).toMatchObject({ code: "copying_data_ahead", facts: { region: "us-east-1", gib: "100" } });
		expect(world.cloud.instances()).toEqual([]);
		expect(await rows()).toMatchObject([{ uri: ROWS, place: "aws:us-east-1", asOfAt: null, wantedAt: waiting.submittedAt }]);

		answer = async () => {
			world.clock.advance(4_000);
			return { bytes: 256 * 1024 * 1024 };
		};
		await copyNow();
		expect(asked).toHaveLength(1);
		expect(asked[0]).toMatch(/^file:\/\/\/data\/rows → rclone:\/\/stage\/acme-stage\/spillway\/[0-9a-f]{24}$/);
		expect(await rows()).toMatchObject([{ mibPerS: 64, failures: 0, error: null }]);
		await world.until(async () => (await jobNamed("a")).state === "succeeded");
		expect(await world.attempts()).toHaveLength(1);
		expect(asked).toHaveLength(1);

		const { spec, submittedAt } = waiting;
		const at = async (place: string, since: Date) => (await withNearestCopies(world.database.db, spec, place, since)).data[0]?.uri;
		expect(await at("aws:us-east-1", submittedAt)).toMatch(/^s3:\/\/acme-stage\/spillway\/[0-9a-f]{24}$/);
		expect(await at("aws:us-east-1", new Date(world.clock.nowMs()))).toBe(ROWS);
		expect(await at("gcp:us-central1", submittedAt)).toBe(ROWS);
	});

	it("is updated for a job that was submitted later", async () => {
		await submit("a");
		await world.tick();
		await copyNow();
		await world.until(async () => (await jobNamed("a")).state === "succeeded");
		world.clock.advance(HOUR_MS);
		await submit("b");
		await world.tick();
		expect((await jobNamed("b")).reason.code).toBe("copying_data_ahead");
		await copyNow();
		expect(asked).toHaveLength(2);
		expect(asked[1]).toBe(asked[0]);
		await world.until(async () => (await jobNamed("b")).state === "succeeded");
		expect(await rows()).toHaveLength(1);
	});

	it("is retried after a pause that doubles, with the error in the job's reason", async () => {
		await submit("a");
		await world.tick();
		answer = () => Promise.reject(new Error("no such bucket"));
		await copyNow();
		expect(await rows()).toMatchObject([{ failures: 1, error: "no such bucket" }]);
		await copyNow();
		expect(asked).toHaveLength(1);
		world.clock.advance(MINUTE_MS);
		await world.tick();
		await copyNow();
		const [row] = await rows();
		const waiting = await jobNamed("a");
		expect(row).toMatchObject({ failures: 2, retryAt: new Date(world.clock.nowMs() + 2 * MINUTE_MS) });
		expect(await stored()).toEqual([
			{
				...{ uri: ROWS, at: "aws:us-east-1", team: waiting.team, bytes: null, microUsdPerMonth: null },
				...{ usedAtMs: row?.usedAt.getTime(), deletedAtMs: null, asOfMs: null, from: "home", copying: false, error: "no such bucket" },
			},
		]);
		answer = async () => ({ bytes: 1 });
		world.clock.advance(2 * MINUTE_MS);
		await world.tick();
		await copyNow();
		await world.until(async () => (await jobNamed("a")).state === "succeeded");
		expect(await rows()).toMatchObject([{ failures: 0, error: null, retryAt: null }]);
	});

	it("is shown with its size, its monthly cost at the store's price, and when it is deleted", async () => {
		await submit("a");
		await world.tick();
		await copyNow();
		const monthly = 100n * 23_000n;
		expect(await stored()).toMatchObject([{ bytes: 100 * 1024 ** 3, microUsdPerMonth: monthly, deletedAtMs: null }]);
		await world.until(async () => (await jobNamed("a")).state === "succeeded");
		const [copy] = await stored();
		expect(copy?.deletedAtMs).toBe((copy?.usedAtMs ?? 0) + 7 * DAY_MS);
	});

	it("is deleted from the store after a week without requests, unless a live job uses it", async () => {
		await submit("a");
		await world.tick();
		await copyNow();
		world.clock.advance(7 * DAY_MS + 1);
		await copies.tidy();
		await copies.done();
		expect(asked).toHaveLength(1);
		await world.database.db.update(job).set({ state: "cancelled", finishedAt: new Date(world.clock.nowMs()) });
		await copies.tidy();
		await copies.done();
		expect(asked[1]).toMatch(/^− rclone:\/\/stage\/acme-stage\/spillway\/[0-9a-f]{24}$/);
		expect(await rows()).toEqual([]);
	});
});

it("is rejected for a store at an unknown place, one that is not writable there, or one that is listed twice", async () => {
	const ctx = systemContext(world.database.db, world.clock, "seed");
	const set = (...stores: { at: string; uri: string }[]) => setDataSets(ctx, { items: [], stores });
	await expect(set({ at: "garage", uri: STORE })).rejects.toMatchObject({
		fields: [{ path: "stores.0.at", message: "must be a region such as aws:us-east-1, or an owned site: home" }],
	});
	await expect(set({ at: "aws:us-east-1", uri: "file:///stage" })).rejects.toThrow(/possible at owned sites only/);
	await expect(set({ at: "aws:us-east-1", uri: STORE }, { at: "aws:us-east-1", uri: STORE })).rejects.toThrow(
		/two stores are at one place/,
	);
});
