import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Connection, connect } from "#server/db/client.ts";
import { site } from "#server/db/schema/site.ts";
import type { CloudDriver } from "#server/providers/driver.ts";
import { FakeCloud } from "#server/providers/fake/fake-cloud.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import type { LoopContext } from "./context.ts";
import { becomeLeader, pause } from "./leadership.ts";
import { runScheduler } from "./scheduler.ts";
import { World } from "./testing/world.ts";

let world: World;
const connections: Connection[] = [];

beforeEach(async () => {
	world = await World.open({ slots: 2, cloud: { offers: [] } });
});
afterEach(async () => {
	for (const c of connections.splice(0)) await c.end();
	await world.database.drop();
});

function newConnection(): Connection {
	const connection = connect(world.database.url, { max: 4 });
	connections.push(connection);
	return connection;
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
	for (let i = 0; i < 1_000; i++) {
		if (await holds()) return;
		await pause(10);
	}
	throw new Error("not reached");
}

const jobsIn = async (state: string) => (await world.jobs()).filter((j) => j.state === state).length;

/** Prints when it starts to lead, that it still leads after 2.5 s, and when it stops leading. */
const OTHER_LEADER = `
	import { connect } from "#server/db/client.ts";
	import { becomeLeader, pause } from "#server/control-loop/leadership.ts";
	const connection = connect(process.env.DATABASE_URL);
	const leadership = await becomeLeader(connection.single(), { retryMs: 10, silentMaxMs: 2_000, signal: new AbortController().signal });
	console.log("leads");
	await pause(2_500);
	console.log((await leadership.stillHeld()) ? "leads still" : "lost it");
	while (await leadership.stillHeld()) await pause(100);
	console.log("leads no more");
	process.exit();
`;

describe("leadership", () => {
	it("has one holder; the next one takes over when it resigns, and when its connection dies", async () => {
		const never = new AbortController().signal;
		const first = await becomeLeader(newConnection().single(), { retryMs: 10, signal: never });
		let second: Awaited<ReturnType<typeof becomeLeader>> = null;
		const waiting = becomeLeader(newConnection().single(), { retryMs: 10, signal: never }).then((l) => {
			second = l;
			return l;
		});
		await pause(100);
		expect(second).toBeNull();
		expect(await first?.stillHeld()).toBe(true);
		await first?.resign();
		const led = await waiting;
		expect(await led?.stillHeld()).toBe(true);

		await world.database
			.sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = 727010 and granted and pid <> pg_backend_pid()`;
		expect(await led?.stillHeld()).toBe(false);
		const third = await becomeLeader(newConnection().single(), { retryMs: 10, signal: never });
		expect(await third?.stillHeld()).toBe(true);
		for (const leadership of [led, third]) await leadership?.resign();
	});

	it("is lost by a suspended process, although its connection stays open, and the process notices when it resumes", async () => {
		const other = spawn(process.execPath, ["--input-type=module", "-e", OTHER_LEADER], {
			env: { ...process.env, DATABASE_URL: world.database.url },
			stdio: ["ignore", "pipe", "inherit"],
		});
		try {
			const lines = createInterface({ input: other.stdout })[Symbol.asyncIterator]();
			const next = async () => (await lines.next()).value;
			// Longer than the allowed silence: the leader sends traffic on its own.
			expect([await next(), await next()]).toEqual(["leads", "leads still"]);
			other.kill("SIGSTOP");
			const mine = await becomeLeader(newConnection().single(), { retryMs: 10, signal: new AbortController().signal });
			expect(await mine?.stillHeld()).toBe(true);
			other.kill("SIGCONT");
			expect(await next()).toBe("leads no more");
			expect(await mine?.stillHeld()).toBe(true);
			await mine?.resign();
		} finally {
			other.kill("SIGKILL");
		}
	});

	it("is woken by a submission long before the tick, and the tick finds changes without a notification", async () => {
		const stop = new AbortController();
		const slow: LoopContext = { ...world.ctx, timing: { ...world.ctx.timing, tickMs: 600_000, syncMs: 600_000 } };
		const running = runScheduler({ ctx: slow, connection: newConnection(), instanceName: "a", signal: stop.signal });
		await pause(300);
		await world.submit({ name: "told" });
		await until(async () => (await jobsIn("running")) === 1);
		stop.abort();
		await running;

		await world.database.sql`
			insert into job (id, name, team, class, priority, gpus, spec, state, reason, submitted_by, submitted_at, pending_since)
			select 'job_untold', 'unannounced', team, class, priority, gpus, spec, 'queued', '{"code":"submitted","facts":{}}', submitted_by, submitted_at, pending_since from job limit 1`;
		const again = new AbortController();
		const quick: LoopContext = { ...world.ctx, timing: { ...world.ctx.timing, tickMs: 50 } };
		const second = runScheduler({ ctx: quick, connection: newConnection(), instanceName: "b", signal: again.signal });
		await until(async () => (await jobsIn("running")) === 2);
		again.abort();
		await second;
	});

	it("releases the lock when its term cannot begin, and leads when it can", async () => {
		const connection = newConnection();
		const listen = vi.spyOn(connection.sql, "listen").mockRejectedValueOnce(new Error("no session left"));
		const stop = new AbortController();
		const running = runScheduler({ ctx: world.ctx, connection, instanceName: "a", signal: stop.signal });
		await until(async () => listen.mock.calls.length > 1);
		await world.submit({ name: "later" });
		await until(async () => (await jobsIn("running")) === 1);
		stop.abort();
		await running;
	});

	it("stops if asked to while becoming the leader, and leads nothing", async () => {
		const stop = new AbortController();
		const ctx: LoopContext = { ...world.ctx, log: (_level, message) => message === "This scheduler is the leader" && stop.abort() };
		await world.submit({ name: "waiting" });
		await runScheduler({ ctx, connection: newConnection(), instanceName: "a", signal: stop.signal });
		expect(stop.signal.aborted).toBe(true);
		expect(await jobsIn("queued")).toBe(1);
		const next = await becomeLeader(newConnection().single(), { retryMs: 10, signal: new AbortController().signal });
		expect(await next?.stillHeld()).toBe(true);
		await next?.resign();
	});

	it("launches nothing before each cloud's prices were read, and then where it is cheapest", async () => {
		await world.database.db.insert(site).values({ id: "dear", name: "dear", provider: "azure", settings: {}, healthy: true });
		const price = (microUsdPerHour: bigint) => ({
			...{ microUsdPerHour, onDemandMicroUsdPerHour: microUsdPerHour, priceObservedAtMs: world.clock.nowMs() },
		});
		world.cloud.offers = [fakeOffer(price(300_000n))];
		const dear = new FakeCloud({
			...{ clock: world.clock, provider: "azure", regions: ["eastus"] },
			offers: [fakeOffer({ siteId: "dear", provider: "azure", region: "eastus", ...price(900_000n) })],
		});
		const answer = Promise.withResolvers<void>();
		const late = Object.assign(world.cloud.driver("aws", "test"), { check: () => answer.promise });
		const clouds = new Map<string, CloudDriver>([
			["aws", late],
			["dear", dear.driver("dear", "test")],
		]);
		const ctx: LoopContext = { ...world.ctx, clouds, timing: { ...world.ctx.timing, tickMs: 20, syncMs: 50 } };
		const stop = new AbortController();
		const running = runScheduler({ ctx, connection: newConnection(), instanceName: "a", signal: stop.signal });
		await world.submit({ name: "a" }, { name: "b" }, { name: "c" });
		await until(async () => (await world.database.sql`select 1 from offer where site_id = 'dear'`).length > 0);
		await until(async () => (await jobsIn("running")) === 2);
		await pause(200);
		expect(dear.instances()).toEqual([]);
		answer.resolve();
		await until(() => world.cloud.instances().length === 1);
		expect(dear.instances()).toEqual([]);
		stop.abort();
		await running;
	});

	it("hands over between two schedulers without placing a job twice", async () => {
		const stops = [new AbortController(), new AbortController()];
		const ctx: LoopContext = { ...world.ctx, timing: { ...world.ctx.timing, tickMs: 50 } };
		const both = stops.map((s, i) => runScheduler({ ctx, connection: newConnection(), instanceName: `s${i}`, signal: s.signal }));
		await world.submit({ name: "a" }, { name: "b" });
		await until(async () => (await jobsIn("running")) === 2);
		stops[0]?.abort();
		await both[0];
		world.clock.advance(60_000);
		await world.submit({ name: "c" }, { name: "d" });
		await until(async () => (await jobsIn("succeeded")) === 2 && (await jobsIn("running")) === 2);
		stops[1]?.abort();
		await both[1];
		expect((await world.attempts()).map((a) => a.number)).toEqual([1, 1, 1, 1]);
	});
});
