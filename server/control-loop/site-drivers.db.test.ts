import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { connect } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { site } from "#server/db/schema/site.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { FakeCloud } from "#server/providers/fake/fake-cloud.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import type { SitePlace } from "#server/providers/site-kind.ts";
import { CredentialKeys } from "#server/services/capacity/site/credential-keys.ts";
import { pause } from "./leadership.ts";
import { runScheduler } from "./scheduler.ts";
import { SiteDrivers } from "./site-drivers.ts";
import { World } from "./testing/world.ts";

let world: World;
let home: string;
let closed: string[];
/** The options of each opened site, in order. */
let opened: SitePlace[];
/** How the library of a site is loaded, by site. */
let sdks: Map<string, () => Promise<void>>;
const logged: string[] = [];

beforeEach(async () => {
	home = await mkdtemp(path.join(tmpdir(), "spillway-site-drivers-"));
	[opened, closed, sdks] = [[], [], new Map()];
	world = await World.open({ slots: 2, runMs: 3_600_000, cloud: { offers: [] } });
});
afterEach(async () => {
	await world.database.drop();
	await rm(home, { recursive: true, force: true });
});

const keys = () => new CredentialKeys({ home });

function siteDrivers(): SiteDrivers {
	const { db } = world.database;
	return new SiteDrivers({
		...{
			db,
			clock: world.clock,
			keys: keys(),
			controlPlane: "test",
			log: (_level, message, facts) => logged.push(`${message} ${JSON.stringify(facts)}`),
		},
		open(row, place) {
			if (place.settings["broken"]) throw new Error("region: is missing");
			opened.push(place);
			if (row.provider === "local") return { kind: "cluster", driver: world.cluster.driver(row.id) };
			if (row.id === "aws") return { kind: "cloud", driver: world.cloud.driver("aws", "test") };
			const cloud = new FakeCloud({
				clock: world.clock,
				provider: "azure",
				regions: ["eastus"],
				offers: [fakeOffer({ siteId: row.id, provider: "azure", region: "eastus" })],
			});
			const driver = cloud.driver(row.id, "test");
			return {
				kind: "cloud",
				loadSdk: async () => sdks.get(row.id)?.(),
				driver: Object.assign(driver, { close: async () => void closed.push(`${row.id}/${String(place.settings["mark"])}`) }),
			};
		},
	});
}

const add = (id: string, values: Partial<typeof site.$inferInsert> = {}) =>
	world.database.db.insert(site).values({ id, name: id, provider: "azure", settings: { mark: 1 }, ...values });

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
	for (let i = 0; i < 1_000; i++) {
		if (await holds()) return;
		await pause(10);
	}
	throw new Error("not reached");
}

it("opens enabled sites, reopens changed ones, and closes removed ones", async () => {
	const drivers = siteDrivers();
	await add("two");
	await add("off", { enabled: false });
	await drivers.look();
	expect([...drivers.clouds.keys()].sort()).toEqual(["aws", "two"]);
	expect([...drivers.clusters.keys()]).toEqual(["home"]);
	const first = drivers.clouds.get("two");
	await drivers.look();
	expect(drivers.clouds.get("two")).toBe(first);
	await world.database.db
		.update(site)
		.set({ settings: { mark: 2 } })
		.where(eq(site.id, "two"));
	await drivers.look();
	expect(drivers.clouds.get("two")).not.toBe(first);
	await world.database.db.update(site).set({ removedAt: new Date(), enabled: false }).where(eq(site.id, "two"));
	await drivers.look();
	expect([...drivers.clouds.keys()]).toEqual(["aws"]);
});

it("opens a site only once its provider's library is loaded, and reports a library that cannot be loaded", async () => {
	const loading = Promise.withResolvers<void>();
	sdks.set("two", () => loading.promise);
	sdks.set("three", () => Promise.reject(new Error("cannot find the module")));
	for (const id of sdks.keys()) await add(id, { healthy: true });
	const drivers = siteDrivers();
	let hasLooked = false;
	const looking = drivers.look().then(() => {
		hasLooked = true;
	});
	await until(async () => (await world.database.db.select().from(site).where(eq(site.id, "three")))[0]?.healthy === false);
	await until(() => opened.some(({ siteId }) => siteId === "two"));
	expect([hasLooked, drivers.clouds.has("two"), drivers.clouds.has("three")]).toEqual([false, false, false]);
	loading.resolve();
	await looking;
	expect([drivers.clouds.has("two"), drivers.clouds.has("three")]).toEqual([true, false]);
});

it("keeps a disabled site open while our resources exist there, and places nothing on it", async () => {
	const drivers = siteDrivers();
	await world.submit({ name: "a" });
	await world.until(async () => (await world.attempts()).some((a) => a.state === "running" && a.siteId === "home"));
	await world.database.db.update(site).set({ enabled: false });
	await world.submit({ name: "b" });
	for (let i = 0; i < 5; i++) await world.tick();
	const jobs = Object.fromEntries((await world.jobs()).map((j) => [j.name, j.state]));
	expect(jobs).toEqual({ a: "running", b: "queued" });
	await drivers.look();
	expect([...drivers.clusters.keys()]).toEqual(["home"]);
	expect([...drivers.clouds.keys()]).toEqual([]);
});

it("keeps a disabled cloud open for a day after its last machine, so that a late launch is found", async () => {
	await world.database.drop();
	world = await World.open({ slots: 1 });
	const drivers = siteDrivers();
	await world.submit({ name: "home-1" }, { name: "burst-1" });
	await world.until(() => world.quiet());
	expect(await world.instances()).toHaveLength(1);
	await world.database.db.update(site).set({ enabled: false });
	await drivers.look();
	expect([...drivers.clouds.keys()]).toEqual(["aws"]);
	world.clock.advance(25 * HOUR_MS);
	await drivers.look();
	expect([...drivers.clouds.keys()]).toEqual([]);
});

it("logs once why a site cannot be opened, and opens it when it is fixed", async () => {
	const drivers = siteDrivers();
	await add("two", { settings: { broken: true }, healthy: true });
	const row = async () => (await world.database.db.select().from(site).where(eq(site.id, "two")))[0];
	await drivers.look();
	await drivers.look();
	expect(await row()).toMatchObject({ healthy: false, healthMessage: "region: is missing" });
	expect(logged.filter((line) => line.includes('"two"'))).toHaveLength(1);
	await world.database.db.update(site).set({ settings: {} }).where(eq(site.id, "two"));
	await drivers.look();
	expect(drivers.clouds.has("two")).toBe(true);
});

it("opens stored credentials and reseals them under a newer key; a replaced file creates another driver", async () => {
	const drivers = siteDrivers();
	await add("two", { credentialSource: { kind: "stored" }, sealedCredentials: keys().seal("two", '{"key":"k1"}') });
	const file = path.join(home, "creds.json");
	writeFileSync(file, '{"key":"f1"}');
	await add("three", { credentialSource: { kind: "file", path: file } });
	await drivers.look();
	const of = (id: string) => opened.filter((place) => place.siteId === id).map((place) => place.credentials);
	expect(of("two")).toEqual([{ key: "k1" }]);
	expect(of("aws")).toEqual([null]);
	const before = (await world.database.db.select().from(site).where(eq(site.id, "two")))[0]?.sealedCredentials;
	const keyFile = path.join(home, "credential-keys");
	const newest = randomBytes(32).toString("base64url");
	writeFileSync(keyFile, `${newest}\n${readFileSync(keyFile, "utf8")}`);
	writeFileSync(file, '{"key":"f2"}');
	await drivers.look();
	const after = (await world.database.db.select().from(site).where(eq(site.id, "two")))[0]?.sealedCredentials;
	expect(after).not.toBe(before);
	writeFileSync(keyFile, `${newest}\n`);
	await drivers.look();
	expect(of("two")).toHaveLength(1);
	expect(of("three")).toEqual([{ key: "f1" }, { key: "f2" }]);
});

it("adds new sites to a running scheduler, swaps changed ones and closes the old, and drops removed ones", async () => {
	const drivers = siteDrivers();
	await drivers.look();
	const connection = connect(world.database.url, { max: 4 });
	const stop = new AbortController();
	const ctx = {
		...world.ctx,
		clusters: drivers.clusters,
		clouds: drivers.clouds,
		timing: { ...world.ctx.timing, tickMs: 600_000, syncMs: 600_000 },
	};
	const running = runScheduler({ ctx, connection, instanceName: "a", signal: stop.signal, lookAtSites: () => drivers.look() });
	const { db, sql } = world.database;
	await pause(300);
	await add("two");
	await notify(db, { sites: true });
	await until(async () => (await sql`select 1 from offer where site_id = 'two'`).length > 0);
	await db
		.update(site)
		.set({ settings: { mark: 2 } })
		.where(eq(site.id, "two"));
	await notify(db, { sites: true });
	await until(() => closed.length === 1);
	expect(closed).toEqual(["two/1"]);
	await db.update(site).set({ removedAt: new Date(), enabled: false }).where(eq(site.id, "two"));
	await notify(db, { sites: true });
	await until(() => closed.length === 2);
	expect(closed).toEqual(["two/1", "two/2"]);
	stop.abort();
	await running;
	await connection.end();
});
