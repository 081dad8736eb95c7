import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pushData, sizeOfData } from "#server/agent/rclone/push.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { budgetPeriod } from "#server/db/schema/budget.ts";
import { charge } from "#server/db/schema/charge.ts";
import { copyHold, dataCopy } from "#server/db/schema/data-copy.ts";
import { job } from "#server/db/schema/job.ts";
import { pool } from "#server/db/schema/site.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { withNearestCopies } from "#server/services/capacity/data-set/nearest-copies.ts";
import { setDataSets } from "#server/services/capacity/data-set/set.ts";
import { systemContext } from "#server/services/core/context.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { receiptOf } from "#server/services/ledger/charge/receipt.ts";
import { CopiesAhead, type DataCopier } from "./copies-ahead.ts";
import { World } from "./testing/world.ts";

const CLAIMS = "s3://acme/claims";
const SOURCE = "rclone://lake-us/acme/claims";
const GIB = 1024 ** 3;
/** 100 GiB at the first tier of Google's Premium Tier, from us-central1. */
const WORST = 12_000_000n;

let world: World;
let copies: CopiesAhead;
let asked: string[];
let answer: DataCopier["copy"];

async function open(capUsd = 1_000): Promise<void> {
	world = await World.open({ slots: 1, runMs: 1_000, capUsd });
	asked = [];
	answer = async () => ({ bytes: 40 * GIB });
	const copier: Pick<DataCopier, "copy" | "size" | "remove"> = {
		copy: (from, to, signal, onBytes) => {
			asked.push(`${from} → ${to}`);
			return answer(from, to, signal, onBytes);
		},
		size: async () => 100 * GIB,
		remove: async () => {},
	};
	copies = new CopiesAhead(world.ctx, copier, new AbortController().signal);
	await list({ at: "home", uri: "file:///stage" });
}

const list = (...stores: { at: string; uri: string }[]) =>
	setDataSets(systemContext(world.database.db, world.clock, "seed"), {
		items: [{ uri: CLAIMS, copies: [{ at: "gcp:us-central1", uri: "gs://acme-us/claims", readUri: SOURCE }] }],
		stores,
	});
const submit = (name: string) => world.submit({ name, data: { uri: CLAIMS, sizeGiB: 100 } });
const rows = () => world.database.db.select().from(dataCopy);
const held = async () => (await world.database.db.select().from(budgetPeriod)).reduce((sum, row) => sum + row.heldMicroUsd, 0n);
const posted = async () => (await world.database.db.select().from(budgetPeriod)).reduce((sum, row) => sum + row.postedMicroUsd, 0n);
const charges = () => world.database.db.select().from(charge).where(eq(charge.kind, "egress"));

async function jobNamed(name: string) {
	const [row] = await world.database.db.select().from(job).where(eq(job.name, name));
	return row ?? expect.fail(`no job ${name}`);
}

async function copyNow(): Promise<void> {
	await copies.tend();
	await copies.done();
}

afterEach(() => world.database.drop());

describe("data in a cloud, for a job at home", () => {
	beforeEach(() => open());

	it("is copied before the job takes slots; its egress is held, then charged by the bytes that moved", async () => {
		await submit("a");
		await world.tick();
		const waiting = await jobNamed("a");
		expect(waiting.reason).toMatchObject({ code: "copying_data_home", facts: { siteId: "home", gib: "100" } });
		expect(await world.database.db.select().from(allocation)).toEqual([]);
		expect(await rows()).toMatchObject([{ place: "home", fromPlace: "gcp:us-central1", jobId: waiting.id, asOfAt: null }]);
		expect(await held()).toBe(WORST);
		await world.tick();
		expect(await held()).toBe(WORST);

		await copyNow();
		expect(asked[0]).toMatch(/^rclone:\/\/lake-us\/acme\/claims → file:\/\/\/stage\/[0-9a-f]{24}$/);
		expect([await held(), await posted()]).toEqual([0n, 4_800_000n]);
		expect(await charges()).toMatchObject([
			{
				jobId: waiting.id,
				provider: "gcp",
				region: "us-central1",
				team: waiting.team,
				artifactId: (await rows())[0]?.id,
				effectiveMicroUsd: 4_800_000n,
			},
		]);
		await world.until(async () => (await jobNamed("a")).state === "succeeded");
		expect(await charges()).toHaveLength(1);
		expect((await world.attempts()).map(({ capacityType }) => capacityType)).toEqual(["owned"]);

		const at = async (since: Date) => (await withNearestCopies(world.database.db, waiting.spec, "home", since)).data[0]?.uri;
		expect(await at(waiting.submittedAt)).toMatch(/^file:\/\/\/stage\/[0-9a-f]{24}$/);
		expect(await at(new Date(world.clock.nowMs()))).toBe(CLAIMS);
		const receipt = await receiptOf(systemContext(world.database.db, world.clock), waiting.id);
		expect(receipt.results).toMatchObject([{ kind: "egress", status: "posted", costMicroUsd: 4_800_000n }]);
		expect(await ledgerCheck({ db: world.database.db, clock: world.clock })).toMatchObject({ ok: true, differences: [] });
	});

	it("is not copied into a store while the site's own cache has it: the job starts and fetches only changes", async () => {
		const home = world.ctx.clusters.get("home") ?? expect.fail("no site");
		Object.assign(home, { cachedData: async () => [{ uri: CLAIMS, bytes: 100 * GIB, usedAtMs: 0 }] });
		await world.tick();
		world.clock.advance(2 * MINUTE_MS);
		await submit("a");
		await world.until(async () => (await jobNamed("a")).state === "succeeded");
		expect(await rows()).toEqual([]);
		expect([await held(), await posted()]).toEqual([0n, 0n]);
		expect((await world.attempts()).map(({ capacityType }) => capacityType)).toEqual(["owned"]);
	});

	it("is charged for what a failed try moved, and held again for the next one", async () => {
		await submit("a");
		await world.tick();
		answer = async (_from, _to, _signal, onBytes) => {
			onBytes?.(10 * GIB);
			throw new Error("connection reset");
		};
		await copyNow();
		expect([await held(), await posted()]).toEqual([0n, 1_200_000n]);
		expect(await rows()).toMatchObject([{ failures: 1, error: "connection reset" }]);
		world.clock.advance(MINUTE_MS);
		await world.tick();
		expect(await held()).toBe(WORST);
		answer = async () => ({ bytes: 90 * GIB });
		await copyNow();
		expect([await held(), await posted()]).toEqual([0n, 12_000_000n]);
	});

	it("is a source for other places once it is at home, without egress", async () => {
		await submit("a");
		await world.tick();
		await copyNow();
		await world.until(async () => (await jobNamed("a")).state === "succeeded");
		await list({ at: "home", uri: "file:///stage" }, { at: "aws:us-east-1", uri: "s3://acme-stage/s" });
		const [made] = await rows();
		// Home is full of other work, so the next job leaves, and reads what is at home.
		await world.database.db.update(dataCopy).set({ asOfAt: new Date(world.clock.nowMs() + MINUTE_MS) });
		await world.database.db.update(pool).set({ unavailableSlots: [0] });
		world.takeOver();
		await submit("b");
		await world.until(async () => (await rows()).length === 2);
		expect((await rows()).find(({ place }) => place === "aws:us-east-1")).toMatchObject({ fromPlace: "home" });
		expect(await held()).toBe(0n);
		await copyNow();
		expect(asked[1]).toMatch(new RegExp(`^${made?.writeUri} → s3://acme-stage/s/[0-9a-f]{24}$`));
		expect(await charges()).toHaveLength(1);
	});
});

it("is not copied if the budget has too little left for its egress; the job's reason says so, and it is asked again", async () => {
	await open(11);
	await submit("a");
	await world.until(async () => ((await jobNamed("a")).reason.facts.problem ?? null) !== null);
	const { reason } = await jobNamed("a");
	expect(reason.facts.problem).toBe(
		"its egress from gcp:us-central1 costs up to $12, and budget cloud-month has $11 left. Have the budget raised, or add a copy at home",
	);
	await copyNow();
	expect(asked).toEqual([]);
	expect(await world.database.db.select().from(copyHold)).toEqual([]);
	await world.publish([], { capUsd: 12 });
	world.clock.advance(MINUTE_MS);
	await world.tick();
	await copyNow();
	expect(asked).toHaveLength(1);
});

it.skipIf(!existsSync("/usr/bin/rclone"))("is copied to a folder at home by a real rclone, byte for byte", async () => {
	const folder = await mkdtemp(path.join(tmpdir(), "spillway-home-"));
	try {
		await mkdir(path.join(folder, "lake", "acme", "claims"), { recursive: true });
		await writeFile(path.join(folder, "lake", "acme", "claims", "rows"), "1\n2\n");
		await open();
		await list({ at: "home", uri: pathToFileURL(path.join(folder, "stage")).href });
		const remotes = { "lake-us": { type: "alias", remote: path.join(folder, "lake") } };
		const options = { remotes, rclone: async () => "/usr/bin/rclone" };
		answer = (from, to, signal) => pushData(from, to, { ...options, signal });
		await submit("a");
		await world.tick();
		await copyNow();
		const [row] = await rows();
		expect(row).toMatchObject({ error: null, copiedBytes: 4n });
		const stored = new URL(row?.readUri ?? expect.fail("no copy"));
		expect(await readFile(path.join(stored.pathname, "rows"), "utf8")).toBe("1\n2\n");
		expect(await sizeOfData(row?.readUri ?? "", { ...options, signal: new AbortController().signal })).toBe(4);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
});
