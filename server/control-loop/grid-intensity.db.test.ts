import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { gridIntensity } from "#server/db/schema/grid-intensity.ts";
import { site } from "#server/db/schema/site.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { readGridIntensity } from "./grid-intensity.ts";
import { World } from "./testing/world.ts";

const TOKEN = "a-token-of-the-service";
let world: World;
let server: Server;
let asked: { zone: string | null; token: unknown }[];
/** The service's response for a zone: hours and intensities, or a status. */
let answers: Record<string, number[] | number>;
let logged: string[];

beforeEach(async () => {
	[asked, answers, logged] = [[], {}, []];
	world = await World.open({ slots: 1, cloud: { offers: [] } });
	server = createServer((request, response) => {
		const url = new URL(request.url ?? "/", "http://x");
		const zone = url.searchParams.get("zone");
		asked.push({ zone, token: request.headers["auth-token"] });
		const answer = answers[zone ?? ""] ?? 404;
		if (url.pathname !== "/v3/carbon-intensity/history" || typeof answer === "number") {
			response.writeHead(typeof answer === "number" ? answer : 404).end("{}");
			return;
		}
		const first = Math.floor(world.clock.nowMs() / HOUR_MS) * HOUR_MS - answer.length * HOUR_MS;
		const history = answer.map((carbonIntensity, i) => ({ zone, carbonIntensity, datetime: new Date(first + i * HOUR_MS).toISOString() }));
		response.end(JSON.stringify({ zone, history }));
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
});
afterEach(async () => {
	server.closeAllConnections();
	server.close();
	await world.database.drop();
});

const read = () => {
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return readGridIntensity(
		{ ...world.ctx, log: (_l, message, facts) => logged.push(`${message} ${JSON.stringify(facts)}`) },
		{ url, token: TOKEN },
	);
};

it("reads the hours of each site's zone with the token, once an hour, and reports which zone fails and why", async () => {
	const { db } = world.database;
	await db
		.update(site)
		.set({ settings: { gridZone: "DE" } })
		.where(eq(site.id, "home"));
	answers = { DE: [301, 302.5], "US-MIDA-PJM": 500 };
	await read();
	expect(asked.map((a) => a.zone).sort()).toEqual(["DE", "US-MIDA-PJM"]);
	expect(new Set(asked.map((a) => a.token))).toEqual(new Set([TOKEN]));
	const rows = await db.select().from(gridIntensity);
	expect(rows.map((r) => [r.zone, r.milligramsPerKwh]).sort()).toEqual([
		["DE", 301_000],
		["DE", 302_500],
	]);
	expect(rows[0]?.source).toMatch(/^127\.0\.0\.1:\d+, hourly$/);
	expect(logged.join("")).toMatch(/US-MIDA-PJM.*answered 500/);
	expect(logged.join("")).not.toContain(TOKEN);
	asked = [];
	await read();
	expect(asked.map((a) => a.zone)).toEqual(["US-MIDA-PJM"]);
	world.clock.advance(HOUR_MS);
	answers = { DE: [302.5, 298], "US-MIDA-PJM": [400] };
	await read();
	expect(await db.$count(gridIntensity, eq(gridIntensity.zone, "DE"))).toBe(3);
	expect(await db.$count(gridIntensity, eq(gridIntensity.zone, "US-MIDA-PJM"))).toBe(1);
});
