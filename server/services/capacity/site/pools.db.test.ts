import { sql } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { aCard, anAsset } from "#server/accounting/testing/cards.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { meterPoolUntilNow } from "#server/services/ledger/charge/meter-pools.ts";
import { addUse, type Books, endUse, openBooks } from "#server/services/ledger/charge/testing/books.ts";
import { setRateCard } from "#server/services/ledger/rate-card/set.ts";
import { markRunning } from "#server/services/work/attempt/advance.ts";
import { listSites } from "./list.ts";
import { writePools } from "./pools.ts";

let books: Books | null = null;
afterEach(() => books?.database.drop());

const KEY = { siteId: "k8s", poolId: "h100x8" };
const SIZE = { id: "h100x8", accelerator: "H100-80GB", nodes: 4, gpusPerNode: 8, unavailableSlots: [] };

/** A group of up to four nodes of eight GPUs at $2, with one existing node. */
async function open(): Promise<Books> {
	const opened = await openBooks();
	books = opened;
	await opened.db
		.insert(site)
		.values({ id: "k8s", name: "Kubernetes", provider: "kubernetes", settings: { nodeGroups: [{}] }, healthy: true });
	await opened.db.insert(pool).values({
		...{ ...SIZE, siteId: "k8s", nodesToCome: 3, microUsdPerGpuHour: 2_000_000n, wattsPerGpu: 700 },
		ownedSince: new Date(opened.clock.nowMs()),
	});
	return opened;
}

it("nodes added on demand cost the time they exist: one for an hour, three for two, none for three", async () => {
	const opened = await open();
	const idle = async () => {
		const [row] = await opened.db.execute<{ hours: number; usd: number }>(
			sql`select sum(gpu_ms)::float8 / 3600000 as hours, sum(effective_micro_usd)::float8 / 1000000 as usd from charge where kind = 'idle'`,
		);
		return row;
	};
	opened.clock.advance(HOUR_MS);
	await writePools(opened, "k8s", [{ ...SIZE, nodesToCome: 1 }]);
	expect(await idle()).toEqual({ hours: 8, usd: 16 });
	opened.clock.advance(2 * HOUR_MS);
	await writePools(opened, "k8s", [{ ...SIZE, nodesToCome: 4 }]);
	expect(await idle()).toEqual({ hours: 8 + 48, usd: 16 + 96 });
	opened.clock.advance(3 * HOUR_MS);
	await meterPoolUntilNow(opened, KEY);
	expect(await idle()).toEqual({ hours: 8 + 48, usd: 16 + 96 });
});

it("a pool is as large as its existing nodes plus what is held beyond them, and shows how many more may be added", async () => {
	const opened = await open();
	await writePools(opened, "k8s", [{ ...SIZE, nodesToCome: 3, unavailableSlots: [0] }]);
	const [view] = await listSites(opened);
	expect(view?.pools[0]).toMatchObject({ nodes: 4, nodesToCome: 3, gpus: 8, busy: 0, unavailable: 1 });
	expect(view?.pools[0]?.slots.map((s) => s.slot)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

it("while no node can be added, the missing ones are neither out of service nor free", async () => {
	const opened = await open();
	const dry = Array.from({ length: 24 }, (_, i) => 8 + i);
	await writePools(opened, "k8s", [{ ...SIZE, nodesToCome: 3, noneComes: true, unavailableSlots: [0, ...dry] }]);
	const [view] = await listSites(opened);
	expect(view?.pools[0]).toMatchObject({ nodes: 4, nodesToCome: 3, noneComes: true, gpus: 8, busy: 0, unavailable: 1 });
	expect(view?.pools[0]?.slots.map((s) => s.slot)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

it("used and idle time are the hours of the node added for the job, not of its wait", async () => {
	const opened = await open();
	await writePools(opened, "k8s", [{ ...SIZE, nodesToCome: 4 }]);
	// Placed at 0:00 on a group without nodes; its node appears at 0:10, it runs from 0:12 to 0:42, the node disappears at 0:52.
	const { allocationId, attemptId } = await addUse(opened, {
		...KEY,
		provider: "kubernetes",
		slots: [0, 1, 2, 3],
		microUsdPerGpuHour: 2_000_000n,
	});
	opened.clock.advance(10 * MINUTE_MS);
	await meterPoolUntilNow(opened, KEY);
	await writePools(opened, "k8s", [{ ...SIZE, nodesToCome: 3 }]);
	opened.clock.advance(2 * MINUTE_MS);
	await opened.db.transaction((tx) => markRunning(tx, { attemptId, atMs: opened.clock.nowMs() }));
	opened.clock.advance(30 * MINUTE_MS);
	await endUse(opened, allocationId);
	opened.clock.advance(10 * MINUTE_MS);
	await writePools(opened, "k8s", [{ ...SIZE, nodesToCome: 4 }]);
	opened.clock.advance(HOUR_MS);
	await meterPoolUntilNow(opened, KEY);
	const charged = await opened.db.execute<{ kind: string; minutes: number; cents: number }>(
		sql`select kind, sum(gpu_ms)::float8 / 60000 as minutes, sum(effective_micro_usd)::float8 / 10000 as cents from charge group by 1 order by 1`,
	);
	expect([...charged]).toEqual([
		{ kind: "compute", minutes: 4 * 30, cents: 400 },
		{ kind: "idle", minutes: 8 * 42 - 4 * 30, cents: 720 },
	]);
});

it("has no rate card, which requires a pool of fixed size", async () => {
	const opened = await open();
	const power = { busyWattsPerGpu: "700", idleWattsPerGpu: "100", pue: "1.2", electricityUsdPerKwh: "0.10" };
	await expect(setRateCard(opened, KEY, { card: aCard({ assets: [anAsset()], power }), message: "new" })).rejects.toMatchObject({
		code: "conflict",
	});
});
