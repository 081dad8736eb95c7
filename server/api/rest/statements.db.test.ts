import { mkdtempSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "#cli/testing/run-command.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { RestWorld } from "../testing/rest-world.ts";

/** A home job of research, metered for an hour; then the month ends. */
let world: RestWorld;
let month = "";
beforeAll(async () => {
	world = await RestWorld.open();
	month = new Date(world.nowMs()).toISOString().slice(0, 7);
	await world.start(await world.submit());
	world.shiftMs += HOUR_MS;
	await meterAll({ db: world.database.db, clock: world });
});
afterAll(() => world.close());

const spillway = (args: string[]) => runCommand(args, { env: { SPILLWAY_URL: world.url, SPILLWAY_TOKEN: world.tokens.platform } });

describe("statements over REST", () => {
	it("preview a month that is not over, and do not close it", async () => {
		const { status, json } = await world.get(`/statements/${month}`, { as: "finance" });
		expect([status, json.state, json.content.version, json.shown]).toEqual([200, "open", 0, null]);
		expect((await world.post(`/statements/${month}/close`, undefined, { as: "finance" })).status).toBe(409);
	});

	it("close a month once it is over; the same Idempotency-Key closes it once", async () => {
		world.shiftMs += 40 * DAY_MS;
		const early = await world.post(`/statements/${month}/close`, {}, { as: "finance" });
		expect([early.status, early.json.detail]).toEqual([
			409,
			expect.stringContaining("metering is not complete for 1 of the machines, pools and commitments"),
		]);
		await meterAll({ db: world.database.db, clock: world });
		const headers = { "idempotency-key": "close-1" };
		const first = await world.post(`/statements/${month}/close`, {}, { as: "finance", headers });
		expect(first.status).toBe(201);
		expect(first.json.written.map((w: { team: string; version: number }) => [w.team, w.version])).toEqual([
			["", 1],
			["research", 1],
		]);
		const again = await world.post(`/statements/${month}/close`, {}, { as: "finance", headers });
		expect([again.status, again.json]).toEqual([201, first.json]);
		expect((await world.post(`/statements/${month}/close`, {}, { as: "finance" })).status).toBe(400);
	});

	it("are signed by their hash", async () => {
		const { json } = await world.get(`/statements/${month}`, { as: "finance" });
		const signed = await world.post(`/statements/${month}/sign`, { sha256: json.shown.sha256 }, { as: "finance" });
		expect(signed.status).toBe(201);
		expect((await world.post(`/statements/${month}/sign`, { sha256: "f".repeat(64) }, { as: "finance" })).status).toBe(412);
		expect((await world.post(`/statements/${month}/sign`, { sha256: "short" }, { as: "finance" })).status).toBe(400);
		expect((await world.post(`/statements/${month}/sign`, [1], { as: "finance" })).status).toBe(400);
		const { items } = (await world.get("/statements", { as: "finance" })).json;
		expect(items.find((i: { month: string }) => i.month === month)).toMatchObject({
			month,
			state: "signed",
			closed: { version: 1, signedBy: ["finance"] },
		});
	});

	it.each([
		["csv", "text/csv; charset=utf-8", "section,item,detail,usd"],
		["pdf", "application/pdf", "%PDF-1."],
	])("are returned as %s", async (format, type, begins) => {
		const { status, headers, text } = await world.get(`/statements/${month}?team=research&format=${format}`, { as: "scientist" });
		expect([status, headers.get("content-type")]).toEqual([200, type]);
		expect(headers.get("content-disposition")).toBe(`attachment; filename="spillway-statement-${month}-research-v1.${format}"`);
		expect(text.startsWith(begins)).toBe(true);
	});

	it("show people only their own teams", async () => {
		expect((await world.get(`/statements/${month}?team=research`, { as: "scientist" })).status).toBe(200);
		expect((await world.get(`/statements/${month}?team=research`, { as: "stranger" })).status).toBe(403);
		expect((await world.get(`/statements/${month}`, { as: "scientist" })).status).toBe(403);
		expect((await world.get(`/statements/${month}?format=pdf`, { as: "scientist" })).status).toBe(403);
		expect((await world.post(`/statements/${month}/close`, {}, { as: "scientist" })).status).toBe(403);
	});

	it.each([
		"/statements/2026-13",
		"/statements/november",
		"/statements/2026-11?format=xls",
		"/statements/2026-11?version=x",
		"/statements/2026-11?colour=1",
	])("reject %s with what is allowed", async (path) => {
		const { status, json } = await world.get(path);
		expect([status, json.code]).toEqual([400, "invalid_input"]);
		expect(json.fields.length).toBeGreaterThan(0);
	});

	it("spillway statement prints the lines with their total, and writes the document to a file", async () => {
		const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-statement-"));
		const printed = await spillway(["statement", month]);
		expect(printed.out).toContain("Owned hardware, idle");
		expect(printed.out).toMatch(/^sha256 [0-9a-f]{64}$/m);
		expect(printed.out).toContain("signed by finance");
		const file = path.join(folder, "risk.pdf");
		expect((await spillway(["statement", month, "--team", "research", "--pdf", file])).code).toBe(0);
		expect(readFileSync(file).subarray(0, 5).toString()).toBe("%PDF-");
		expect((await spillway(["statement", month, "--csv", "-"])).out).toContain("total,Total,,");
		expect((await spillway(["statement", "november"])).code).toBe(2);
	});

	it("report a nonexistent version as not found, without an internal failure", async () => {
		expect((await world.get(`/statements/${month}?version=9`)).status).toBe(404);
		expect(world.failures).toEqual([]);
	});
});
