import { eq } from "drizzle-orm";
import { afterEach, expect, it, vi } from "vitest";
import { instance } from "#server/db/schema/instance.ts";
import { defined } from "#server/kernel/assert.ts";
import type { InstanceObservation } from "#server/providers/driver.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { World } from "./testing/world.ts";

let world: World | null = null;
afterEach(async () => {
	await world?.database.drop();
	world = null;
});

it("a machine that only its agent made known, since the answer to its launch reached no one, is charged from its launch on", async () => {
	const w = await World.open({ slots: 1 });
	world = w;
	w.killAt = { step: "launch:provider_answered", pass: 1 };
	await w.submit({ name: "home-1" }, { name: "burst-1" });
	await w.until(async () => w.deaths === 1);
	const [made] = w.cloud.instances();
	const { instanceId, providerInstanceId, launchedAtMs } = defined(made, "the machine");
	// As enrolling does before the launch is retried.
	await w.database.db
		.update(instance)
		.set({ state: "provisioning", providerInstanceId })
		.where(eq(instance.id, defined(instanceId, "its tag")));
	await w.until(() => w.quiet());
	await meterAll(w.ctx);
	const [row] = await w.instances();
	expect(row?.launchedAt?.getTime()).toBe(launchedAtMs);
	const [charged] = await w.database
		.sql`select sum(gpu_ms)::float8 as ms from charge where instance_id = ${instanceId} and kind <> 'egress'`;
	expect(charged?.["ms"]).toBe(defined(row?.terminatedAt, "its end").getTime() - launchedAtMs);
});

/** As most providers report it: without the time when billing began. */
function withoutWord(seen: InstanceObservation): InstanceObservation {
	const { billing } = seen;
	return billing.phase === "now" || billing.phase === "over" ? { ...seen, billing: { ...billing, fromMs: null } } : seen;
}

it("a machine with an agent that enrols while its launch is retried is charged from its launch on, not from that call", async () => {
	const w = await World.open({ slots: 1 });
	world = w;
	w.killAt = { step: "launch:provider_answered", pass: 1 };
	let askedAgain = 0;
	const open = w.cloud.driver.bind(w.cloud);
	// The next life opens its drivers again, long after the machine began to run.
	vi.spyOn(w.cloud, "driver").mockImplementation((...args) => {
		w.clock.advance(60_000);
		const driver = open(...args);
		return {
			...driver,
			describe: async (...asked) => (await driver.describe(...asked)).map(withoutWord),
			launch: async (request) => {
				askedAgain++;
				const seen = withoutWord(await driver.launch(request));
				const { providerInstanceId } = seen;
				await w.database.db.update(instance).set({ state: "provisioning", providerInstanceId }).where(eq(instance.id, request.instanceId));
				return seen;
			},
		};
	});
	await w.submit({ name: "home-1" }, { name: "burst-1" });
	await w.until(() => w.quiet());
	expect(askedAgain).toBe(1);
	const [made] = w.cloud.instances();
	const [row] = await w.instances();
	expect(row?.billedFrom?.getTime()).toBe(made?.launchedAtMs);
});

it("a machine is known by the newest number that its provider reported, from its launch on", async () => {
	const w = await World.open({ slots: 1 });
	world = w;
	const signedIds: (string | null | undefined)[] = [];
	const open = w.cloud.driver.bind(w.cloud);
	vi.spyOn(w.cloud, "driver").mockImplementation((...args) => {
		const driver = open(...args);
		return {
			...driver,
			launch: async (request) => ({ ...(await driver.launch(request)), signedId: "first" }),
			describe: async (...asked) => {
				signedIds.push((await w.instances())[0]?.signedId);
				return (await driver.describe(...asked)).map((seen) => ({ ...seen, signedId: "second" }));
			},
		};
	});
	w.killAt = { step: "launch:request_marked", pass: 1 };
	await w.submit({ name: "home-1" }, { name: "burst-1" });
	await w.until(() => w.quiet());
	expect(signedIds.slice(0, 2)).toEqual(["first", "second"]);
	expect((await w.instances())[0]?.signedId).toBe("second");
});
