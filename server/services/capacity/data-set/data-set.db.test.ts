import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { attempt } from "#server/db/schema/attempt.ts";
import { audit } from "#server/db/schema/audit.ts";
import { site } from "#server/db/schema/site.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { ANY_PLACE, learnLinkSpeed, linkKey, UNKNOWN_LINK } from "#server/scheduling/link-speed.ts";
import { type ServiceContext, systemContext } from "#server/services/core/context.ts";
import { aSpec, seedInstance, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { recordCachedSets } from "./cached-sets.ts";
import { readDataView } from "./data-view.ts";
import { listDataSets } from "./list.ts";
import { withNearestCopies } from "./nearest-copies.ts";
import { setDataSets } from "./set.ts";

let database: TestDatabase;
let clock: ManualClock;
let ctx: ServiceContext;
beforeEach(async () => {
	database = await createTestDatabase();
	clock = new ManualClock(Date.now());
	ctx = systemContext(database.db, clock);
});
afterEach(() => database.drop());

const claims = { uri: "s3://acme/claims", copies: [{ at: "gcp:us-central1", uri: "gs://acme-us/claims" }] };
const ref = (uri: string, sizeGiB: number | null) => ({ uri, sizeGiB, mount: `/${uri.at(-1)}`, residency: [] });

/** An attempt in aws us-east-1 with this staging time. */
async function staged(data: ReturnType<typeof ref>[], tookMs: number): Promise<void> {
	const jobId = await seedJob(database.db, aSpec({ data }));
	const { attemptId } = await seedInstance(database.db, { jobId, number: 1, expiresAtMs: Date.now() + HOUR_MS, providerInstanceId: null });
	const stagingAt = new Date();
	await database.db.update(attempt).set({ state: "staging", stagingAt }).where(eq(attempt.id, attemptId));
	await database.db
		.update(attempt)
		.set({ state: "running", startedAt: new Date(stagingAt.getTime() + tookMs) })
		.where(eq(attempt.id, attemptId));
}

describe("copies of data sets", () => {
	it("are stored, and written to the audit with the previous value", async () => {
		await setDataSets(ctx, { items: [claims] });
		await setDataSets(ctx, { items: [] });
		expect((await listDataSets(ctx)).items).toEqual([]);
		const lines = await database.db.select().from(audit).where(eq(audit.action, "data_sets.set")).orderBy(audit.id);
		expect(lines.map((l) => [l.before, l.after])).toEqual([
			[[], [claims]],
			[[claims], []],
		]);
	});

	it("are replaced only if the new lists are based on the current ones, when these are sent along", async () => {
		await setDataSets(ctx, { items: [claims] }, { items: [] });
		await expect(setDataSets(ctx, { items: [] }, { items: [], stores: [] })).rejects.toMatchObject({ code: "conflict" });
		expect((await listDataSets(ctx)).items).toEqual([claims]);
		await setDataSets(ctx, { items: [] }, { items: [claims], stores: [] });
		expect((await listDataSets(ctx)).items).toEqual([]);
	});

	it.each([
		["an unknown place", { items: [{ ...claims, copies: [{ at: "garage", uri: "s3://x/y" }] }] }, /refers to an unknown place/],
		["two copies in one place", { items: [{ ...claims, copies: [...claims.copies, ...claims.copies] }] }, /has two copies at one place/],
		["the same set twice", { items: [claims, claims] }, /has a duplicate data set/],
		["no address", { items: [{ ...claims, copies: [{ at: "gcp:us-central1", uri: "hdfs://x/y" }] }] }, /not a supported kind of store/],
	])("reject %s", async (_what, input, why) => {
		await expect(setDataSets(ctx, input)).rejects.toThrow(why);
	});

	it("are changed only by platform engineers", async () => {
		const actor = { kind: "person", accountId: "a", name: "A", role: "data_scientist", teams: ["risk"], via: "session" } as const;
		await expect(setDataSets({ ...ctx, actor }, { items: [] })).rejects.toThrow(/data:change/);
	});

	it("are the source for an attempt next to them, and for no other", async () => {
		await setDataSets(ctx, { items: [claims] });
		const spec = aSpec({ data: [ref(claims.uri, 1), ref("s3://acme/other", 1)] });
		const at = async (place: string) => (await withNearestCopies(database.db, spec, place)).data.map((d) => d.uri);
		expect(await at("gcp:us-central1")).toEqual(["gs://acme-us/claims", "s3://acme/other"]);
		expect(await at("gcp:europe-west1")).toEqual([claims.uri, "s3://acme/other"]);
	});
});

describe("inbound transfer speed", () => {
	it("is learned per link from transfers of at least 64 MiB and 5 s, not from small ones and sets of unknown size", async () => {
		await staged([ref("s3://a/b", 20), ref("s3://a/c", 10)], 10 * MINUTE_MS);
		await staged([ref("s3://a/b", 10)], 10 * MINUTE_MS);
		await staged([ref("s3://a/b", 50), ref("s3://a/c", null)], MINUTE_MS);
		await staged([], MINUTE_MS);
		const { inbound } = await listDataSets(ctx);
		await staged([ref("s3://a/tiny", 1 / 1024)], 2 * MINUTE_MS);
		await staged([ref("s3://a/quick", 1)], 2_000);
		const two = learnLinkSpeed([
			{ bytes: 30 * 1024 ** 3, ms: 10 * MINUTE_MS, atMs: 0 },
			{ bytes: 10 * 1024 ** 3, ms: 10 * MINUTE_MS, atMs: 0 },
		]);
		const learned = { place: "aws:us-east-1", transfers: 2, mibPerS: expect.closeTo(two.mibPerS, 3), newestAtMs: expect.any(Number) };
		expect(inbound).toMatchObject([
			{ from: "*", ...learned },
			{ from: "address", ...learned },
			{ from: "*", place: "*", transfers: 0, mibPerS: expect.closeTo(92) },
		]);
		expect((await listDataSets(ctx)).inbound).toEqual(inbound);
	});

	it("is empty without data, and keeps the copies' object while they stay the same", async () => {
		const nothing = await readDataView(database.db, clock.nowMs(), undefined);
		const exact = { replicas: new Map(), inboundMiBPerS: new Map(), links: new Map() };
		const fixed = { unknownLink: UNKNOWN_LINK, filesStayHome: true, regionTransfers: expect.any(Map) };
		expect(nothing).toEqual({ ...exact, ...fixed });
		expect(nothing.regionTransfers?.get(linkKey("aws:us-east-1", ANY_PLACE))).toBe(20_000);
		await setDataSets(ctx, { items: [claims] });
		const first = await readDataView(database.db, clock.nowMs(), undefined);
		expect(first?.replicas).toEqual(new Map([[claims.uri, ["gcp:us-central1"]]]));
		expect((await readDataView(database.db, clock.nowMs(), first))?.replicas).toBe(first?.replicas);
		await setDataSets(ctx, { items: [{ ...claims, uri: "s3://acme/more" }] });
		expect((await readDataView(database.db, clock.nowMs(), first))?.replicas).not.toBe(first?.replicas);
	});

	it("contains the listed sets of a site's cache while the site has a store, until the cache drops them", async () => {
		const cached = async () => (await readDataView(database.db, clock.nowMs(), undefined)).cached;
		const record = (...uris: string[]) => {
			const sets = uris.map((uri, n) => ({ uri, bytes: 1_000 * (n + 1), usedAtMs: 5 }));
			return recordCachedSets(database.db, { siteId: "home", sets, listed: new Set([claims.uri]) });
		};
		await setDataSets(ctx, { items: [claims], stores: [{ at: "aws:us-east-1", uri: "s3://acme/stage" }] });
		await database.db
			.insert(site)
			.values({ id: "home", name: "Home", provider: "local", settings: { cache: { path: "/scratch", gib: 500 } } });
		await record("s3://acme/unlisted", claims.uri);
		expect(await cached()).toEqual(new Map([["home", [claims.uri]]]));
		expect((await listDataSets(ctx)).cached).toEqual([{ at: "home", uris: [claims.uri] }]);
		const sets = [{ uri: claims.uri, bytes: 2_000, usedAtMs: 5 }];
		expect((await listDataSets(ctx)).caches).toEqual([{ at: "home", limitGiB: 500, sets, otherSets: 1, otherBytes: 1_000 }]);
		await record();
		expect(await cached()).toBeUndefined();
		expect((await listDataSets(ctx)).caches).toEqual([]);
	});
});
