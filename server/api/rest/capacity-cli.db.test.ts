import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ran, runCommand } from "#cli/testing/run-command.ts";
import { instance } from "#server/db/schema/instance.ts";
import { site } from "#server/db/schema/site.ts";
import type { PreparedItem } from "#server/domain/preparation.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { backOffOffer } from "#server/services/pricing/offer/backoff.ts";
import { refreshOffers } from "#server/services/pricing/offer/refresh.ts";
import { aSpec, seedInstance, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { RestWorld } from "../testing/rest-world.ts";

let world: RestWorld;
let folder: string;
const startedAtMs = Date.now();

beforeAll(async () => {
	world = await RestWorld.open();
	folder = mkdtempSync(path.join(os.tmpdir(), "spillway-cli-"));
	writeFileSync(path.join(folder, "token"), `${world.tokens.platform}\n`, { mode: 0o600 });
});
afterAll(async () => {
	await world.close();
	rmSync(folder, { recursive: true, force: true });
});

function spillway(...args: string[]): Promise<Ran> {
	return runCommand(args, {
		cwd: folder,
		env: { SPILLWAY_TOKEN: "", SPILLWAY_URL: world.url, SPILLWAY_HOME: folder },
	});
}

/** The lines of a table as words: columns are separated by two spaces. */
const rowsOf = (out: string): string[][] =>
	out
		.trim()
		.split("\n")
		.map((line) => line.trim().split(/ {2,}/));

describe("spillway offers", () => {
	const h100 = { instanceType: "p5.48xlarge", accelerator: "H100-80GB", gpus: 8, onDemandMicroUsdPerHour: 55_040_000n };
	beforeAll(async () => {
		const now = { priceObservedAtMs: startedAtMs };
		const spot = { ...h100, ...now, capacityType: "spot" as const, zone: "us-east-1a" };
		const full = fakeOffer({ ...spot, zone: "us-east-1b", microUsdPerHour: 16_000_000n });
		await refreshOffers(
			world.database.db,
			[
				fakeOffer({ ...h100, ...now, microUsdPerHour: 55_040_000n }),
				fakeOffer({ ...spot, microUsdPerHour: 20_000_000n }),
				full,
				fakeOffer({ ...h100, ...now, region: "eu-west-1", microUsdPerHour: null, priceSource: "no list price in eu-west-1" }),
				fakeOffer({ ...h100, region: "us-west-2", microUsdPerHour: 50_000_000n, priceObservedAtMs: startedAtMs - 1_000 * HOUR_MS }),
			],
			startedAtMs,
		);
		const refusal = { offerId: full.id, why: "insufficient_capacity", atMs: Date.now(), baseMs: 10 * MINUTE_MS, maxMs: HOUR_MS } as const;
		await world.database.db.transaction((tx) => backOffOffer(tx, refusal));
	});

	it("imports list prices, lists the imports, and rejects an implausible price", async () => {
		const head = "provider,instance_type,region,capacity_type,usd_per_hour,as_of";
		const write = (usd: string): void =>
			writeFileSync(path.join(folder, "prices.csv"), `${head}\naws,p5.48xlarge,us-east-1,on_demand,${usd},2026-11-01\n`);
		write("55.04");
		const ran = await spillway("offers", "import", "prices.csv", "--message", "AWS price list");
		expect(ran.code, ran.err).toBe(0);
		expect(ran.out).toBe(
			"aws, 2026-11-01 to 2026-11-01: 1 new, 0 replaced, 0 unchanged, 0 older than imported before, 0 of other machines ignored\n",
		);
		const [, row] = rowsOf((await spillway("offers", "snapshots")).out);
		expect(row?.slice(1)).toEqual(["aws", "1", "2026-11-01", "2026-11-01", "AWS price list"]);
		write("0.55");
		const refused = await spillway("offers", "import", "prices.csv", "--message", "AWS price list");
		expect(refused.code).not.toBe(0);
		expect(refused.err).toContain("line 2: a price was refused: $0.55 is below a fifth of the shipped list price");
	});

	it("lists what is available, the cheapest GPU-hour first, with why others are never chosen", async () => {
		const ran = await spillway("offers", "--accelerator", "H100-80GB");
		expect(ran.code, ran.err).toBe(0);
		const [head, ...rows] = rowsOf(ran.out);
		expect(head).toEqual(["TYPE", "CAPACITY", "WHERE", "GPUS", "A GPU-HOUR", "PRICE", "PRICED", "SITE", "WHY NOT"]);
		const seen = rows.map((row) => [row[2], row[4], row[8] ?? ""]);
		expect(seen.slice(0, 3).sort()).toEqual([
			["aws us-east-1", "$6.880000", ""],
			["aws us-east-1a", "$2.500000", ""],
			["aws us-east-1b", "$2.000000", expect.stringMatching(/^no capacity, retry in \d+m/)],
		]);
		expect(seen.slice(3).sort()).toEqual([
			["aws eu-west-1", expect.anything(), "no price: no list price in eu-west-1"],
			["aws us-west-2", expect.anything(), "price is stale"],
		]);
	});

	it("filters by capacity, region and size, and prints the API's JSON", async () => {
		const spot = await spillway("offers", "--capacity", "spot", "--gpus", "8");
		expect(
			rowsOf(spot.out)
				.slice(1)
				.map((row) => row[2])
				.sort(),
		).toEqual(["aws us-east-1a", "aws us-east-1b"]);
		const none = await spillway("offers", "--region", "mars-north-1");
		expect(none).toMatchObject({ code: 0, out: expect.stringContaining("No offer fits.") });
		const json = await spillway("offers", "--capacity", "spot", "--limit", "1", "--json");
		const { items, total } = JSON.parse(json.out);
		expect([items.length, total]).toEqual([1, 2]);
		expect(await spillway("offers", "--capacity", "cheap")).toMatchObject({ code: 2, err: expect.stringContaining('"cheap" is none of') });
	});
});

describe("spillway instances --orphans", () => {
	it("reports that nothing is at risk, and that no cloud was swept yet", async () => {
		const ran = await spillway("instances", "--orphans");
		expect(ran).toMatchObject({ code: 0, err: "" });
		expect(ran.out).toContain("No money at risk");
		expect(rowsOf(ran.out).at(-1)).toEqual(["aws", "not swept yet", "never"]);
	});

	it("names each machine that may run without a purpose, its cost so far, and what the sweeps found and ended", async () => {
		const { db } = world.database;
		const jobId = await seedJob(db, aSpec({ team: "research" }));
		const { instanceId } = await seedInstance(db, {
			...{ jobId, number: 1, expiresAtMs: startedAtMs + HOUR_MS, providerInstanceId: "i-1" },
		});
		const at = (agoMs: number) => new Date(Date.now() - agoMs);
		// $1 an hour, asked to end half an hour ago and not seen to end since.
		await db
			.update(instance)
			.set({ state: "terminating", intendedAt: at(HOUR_MS), terminatingAt: at(30 * MINUTE_MS) })
			.where(eq(instance.id, instanceId));
		const failedRegions = [{ region: "eu-west-1", message: "ill" }];
		const lastSweep = { atMs: Date.now() - MINUTE_MS, seen: 3, owned: 2, orphans: 1, regions: ["us-east-1"], failedRegions };
		await db
			.update(site)
			.set({ lastSweep, lastOrphanAt: at(MINUTE_MS) })
			.where(eq(site.id, "aws"));
		const ran = await spillway("instances", "--orphans");
		expect(ran.code, ran.err).toBe(0);
		const risk = rowsOf(ran.out).find((row) => row[0] === instanceId);
		expect(risk).toEqual([
			instanceId,
			jobId,
			expect.stringMatching(/^30m/),
			expect.stringMatching(/0\.50/),
			expect.stringContaining("did not confirm it"),
		]);
		expect(ran.out).toMatch(/0\.50\d* at risk now\n/);
		expect(ran.out).toContain("3 machines seen, 2 accounted for, 1 orphan ended; no answer from eu-west-1");
		const wrong = await spillway("instances", "--orphans", "--live");
		expect(wrong).toMatchObject({ code: 2, out: "", err: expect.stringContaining("--orphans cannot be combined") });
	});
});

describe("spillway instances", () => {
	it("lists what a machine without a job has prepared, its size, and why not the rest", async () => {
		const { db } = world.database;
		const jobId = await seedJob(db, aSpec({ team: "research" }));
		const { instanceId } = await seedInstance(db, {
			...{ jobId, number: 1, expiresAtMs: startedAtMs + HOUR_MS, providerInstanceId: "i-warm", warm: true },
		});
		const rest = { sizeGiB: null, bytes: null, digest: null, problem: null };
		const preparation: PreparedItem[] = [
			{
				...rest,
				kind: "image",
				name: "acme/train:1",
				source: "history",
				sharePercent: 60,
				state: "ready",
				bytes: 3 * 2 ** 30,
				digest: "sha256:ab",
			},
			{ ...rest, kind: "data", name: "s3://acme/set", source: "rule", sharePercent: null, state: "failed", problem: "access denied" },
		];
		await db.update(instance).set({ preparation }).where(eq(instance.id, instanceId));
		const ran = await spillway("instances", "--live");
		expect(ran).toMatchObject({ code: 0, err: "" });
		expect(ran.out).toContain("(kept warm for rule ready, 1 of 2 prepared)");
		expect(rowsOf(ran.out).slice(-2)).toEqual([
			["image acme/train:1", "ready", "3.0 GiB", "60% of recorded jobs", "sha256:ab"],
			["data s3://acme/set", "failed", "rule", "access denied"],
		]);
		const { items } = JSON.parse((await spillway("instances", "--live", "--json")).out);
		expect(items.find(({ id }: { id: string }) => id === instanceId).prepared).toEqual(preparation);
	});
});
