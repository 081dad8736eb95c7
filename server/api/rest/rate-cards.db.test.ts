import { mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { runCommand } from "#cli/testing/run-command.ts";
import { aCard } from "#server/accounting/testing/cards.ts";
import { RestWorld } from "../testing/rest-world.ts";

let world: RestWorld;
let at: string;
beforeAll(async () => {
	world = await RestWorld.open();
	const { items } = (await world.get("/rate-cards", { as: "finance" })).json;
	at = `/sites/${items[0].siteId}/pools/${items[0].poolId}/rate-card`;
});
afterAll(() => world.close());

/** Output of the command, on either stream. */
async function spillway(...args: string[]): Promise<string> {
	const { out, err } = await runCommand(args, { env: { SPILLWAY_TOKEN: world.tokens.finance, SPILLWAY_URL: world.url } });
	return out + err;
}

const put = (body: unknown, as: "finance" | "scientist" = "finance") => world.call("PUT", `/api/v1${at}`, { as, body });

describe("/sites/{site}/pools/{pool}/rate-card", () => {
	it("starts empty, accepts a card, and shows it with its history", async () => {
		expect((await world.get(at, { as: "finance" })).json).toMatchObject({ current: null, month: null, history: [] });
		const set = await put({ message: "first", card: aCard({ staffUsd: "8760" }) });
		expect(set).toMatchObject({ status: 201, json: { corrections: 0, correctedMicroUsd: "0" } });
		expect((await world.get(at, { as: "finance" })).json).toMatchObject({
			current: { id: set.json.id, message: "first", card: { perYear: { staffUsd: "8760" } } },
			month: { depreciationMicroUsd: "0" },
		});
	});

	it("sets and shows a card on the command line, from YAML", async () => {
		const file = path.join(mkdtempSync(path.join(os.tmpdir(), "spillway-rates-")), "card.yaml");
		writeFileSync(file, stringify({ message: "by file", effectiveFrom: "2026-01-01", card: aCard({ staffUsd: "17520" }) }));
		const pool = at.replace(/^\/sites\/([^/]+)\/pools\/([^/]+)\/.*$/, "$1/$2");
		expect(await spillway("rates", "set", pool, "-f", file, "--message", "two a day")).toMatch(
			/^rate_\w{26} {2}in force from 2026-01-01 00:00:00 UTC\n$/,
		);
		const shown = await spillway("rates", "show", pool);
		for (const words of ["two a day", "busy GPU-hour", "first", "2026-01-01 00:00:00 UTC"]) expect(shown).toContain(words);
		expect(await spillway("rates")).toContain(pool);
		expect(JSON.parse(await spillway("rates", "show", pool, "--json"))).toMatchObject({
			history: [{ message: "first" }, { message: "two a day" }],
		});
		expect(await spillway("rates", "set", pool)).toContain("Name the file: spillway rates set");
	});

	it("reports what is wrong, and rejects data scientists", async () => {
		const wrong = await put({ message: "x", card: { ...aCard({ staffUsd: "1" }), power: { ...aCard().power, pue: "0.5" } } });
		expect(wrong).toMatchObject({ status: 400, json: { fields: [{ path: "card.power.pue" }] } });
		const overnight = { electricityHours: [{ fromHour: 22, toHour: 6, usdPerKwh: "0.06" }] };
		const late = await put({ message: "x", card: { ...aCard({ staffUsd: "1" }), power: { ...aCard().power, ...overnight } } });
		expect(late).toMatchObject({ status: 400, json: { fields: [{ path: "card.power.electricityHours.0.toHour" }] } });
		expect((await put({ card: {} })).status).toBe(400);
		expect((await put({ message: "x", card: aCard({ staffUsd: "1" }) }, "scientist")).status).toBe(403);
		expect((await world.get("/sites/none/pools/none/rate-card", { as: "finance" })).status).toBe(404);
	});
});
