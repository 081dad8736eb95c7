import { afterEach, expect, it } from "vitest";
import { connect } from "#server/db/client.ts";
import { newCycleMemory, runCycle } from "./cycle.ts";
import { World } from "./testing/world.ts";

let world: World | null = null;
afterEach(async () => {
	await world?.database.drop();
	world = null;
});

it("a placement needs no second connection while it holds budget locks, which would deadlock if all others wait for these", async () => {
	const w = await World.open({ slots: 1 });
	world = w;
	await w.submit({ name: "home-1" }, { name: "burst-1" });
	const one = connect(w.database.url, { max: 1, applicationName: "one" });
	try {
		await runCycle({ ...w.ctx, db: one.db }, newCycleMemory());
		expect((await w.attempts()).map((a) => a.siteId).sort()).toEqual(["aws", "home"]);
	} finally {
		await one.sql.end({ timeout: 1 });
		await one.end();
	}
});
