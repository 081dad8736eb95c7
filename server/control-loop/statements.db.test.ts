import { afterEach, expect, it } from "vitest";
import { connect } from "#server/db/client.ts";
import { newCloudMemory, syncCloud } from "./cloud-sync.ts";
import { newCycleMemory, runCycle } from "./cycle.ts";
import { World } from "./testing/world.ts";

const opened: World[] = [];
afterEach(async () => {
	for (const world of opened.splice(0)) await world.database.drop();
});

/** SQL statements of a cycle that changes nothing, and of a sync of the cloud, with this many running machines. */
async function statementsWith(machines: number): Promise<{ cycle: number; sync: number }> {
	const w = await World.open({ slots: 0, runMs: 600_000 });
	opened.push(w);
	await w.submit(...Array.from({ length: machines }, (_, i) => ({ name: `job-${i}`, estimate: "10m", max: "20m" })));
	await w.until(async () => (await w.jobs()).every(({ state }) => state === "running"), 20);
	expect(await w.instances()).toHaveLength(machines);
	let statements = 0;
	const connection = connect(w.database.url, { max: 1, onStatement: () => statements++ });
	const ctx = { ...w.ctx, db: connection.db };
	const memory = newCycleMemory();
	const count = async (work: () => Promise<unknown>) => {
		await work();
		const before = statements;
		await work();
		return statements - before;
	};
	try {
		const cycle = await count(() => runCycle(ctx, memory));
		const sync = await count(async () => {
			for (const driver of ctx.clouds.values()) await syncCloud(ctx, driver, newCloudMemory());
		});
		return { cycle, sync };
	} finally {
		await connection.end();
	}
}

it("an idle cycle sends 5 statements, and a sync of a cloud without machines one", async () => {
	expect(await statementsWith(0)).toEqual({ cycle: 5, sync: 1 });
});

it("the number of statements does not grow with the number of machines", async () => {
	const few = await statementsWith(2);
	expect(await statementsWith(12)).toEqual(few);
	expect(few).toEqual({ cycle: 7, sync: 3 });
});
