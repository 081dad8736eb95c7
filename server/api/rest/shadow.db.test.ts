import { mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Ran, runCommand } from "#cli/testing/run-command.ts";
import { shadow, shadowDecision } from "#server/db/schema/shadow.ts";
import { RestWorld } from "../testing/rest-world.ts";

const AT = "/policies/default/shadow";

let world: RestWorld;
let draft: string;
beforeAll(async () => {
	world = await RestWorld.open();
	draft = String((await world.get("/policies/default")).json.source).replace("forecastWait: 10s", "forecastWait: 4h");
	expect(draft).toContain("4h");
});
afterEach(async () => {
	await world.database.db.delete(shadowDecision);
	await world.database.db.delete(shadow);
});
afterAll(() => world.close());

/** What a leader would have recorded: one job on which both policies agree, and one that the draft would have kept at home. */
async function twoDecisions(shadowId: string): Promise<void> {
	const cloud = {
		outcome: "cloud",
		place: "od",
		costMicroUsd: "5500000",
		sentence: "Sent to aws us-east-1 by rule burst-on-wait.",
	} as const;
	const waits = { outcome: "waits", place: null, costMicroUsd: "0", sentence: "Waiting for a slot at home." } as const;
	const [same, other] = [await world.submit({ name: "same" }), await world.submit({ name: "other" })];
	await world.database.db.insert(shadowDecision).values([
		{ shadowId, jobId: same, decidedAt: new Date(), agrees: true, published: cloud, draft: cloud },
		{ shadowId, jobId: other, decidedAt: new Date(), agrees: false, published: cloud, draft: waits },
	]);
}

describe("a shadow over REST", () => {
	it("is started, read with its records, and stopped, each once", async () => {
		expect((await world.get(AT)).status).toBe(404);
		const started = await world.post(AT, { source: draft });
		expect([started.status, started.json]).toMatchObject([201, { baseVersion: 1, source: draft, stoppedAt: null, decided: 0 }]);
		expect((await world.post(AT, { source: draft })).status).toBe(409);
		await twoDecisions(started.json.id);
		expect((await world.get(AT)).json).toMatchObject({
			...{ decided: 2, agreed: 1, publishedMicroUsd: "11000000", draftMicroUsd: "5500000" },
			differences: [{ name: "other", published: { outcome: "cloud" }, draft: { outcome: "waits" } }],
		});
		const stopped = await world.post(`${AT}/stop`, undefined);
		expect([stopped.status, stopped.json]).toMatchObject([200, { id: started.json.id, stoppedAt: expect.any(String), decided: 2 }]);
		expect((await world.post(`${AT}/stop`, undefined)).status).toBe(404);
		const acts = (await world.get("/audit?action=shadow")).json.items;
		expect(acts.map(({ action, actor }: Record<string, string>) => `${action} ${actor}`)).toEqual([
			...["shadow.stop account:usr_platform", "shadow.start account:usr_platform"],
		]);
	});

	it("is limited to policy editors, drafts without errors, and published policies", async () => {
		for (const as of ["scientist", "finance"] as const) {
			expect((await world.get(AT, { as })).status).toBe(403);
			expect((await world.post(AT, { source: draft }, { as })).status).toBe(403);
			expect((await world.post(`${AT}/stop`, undefined, { as })).status).toBe(403);
		}
		const wrong = await world.post(AT, { source: draft.replace("4h", "4") });
		expect([wrong.status, wrong.json.fields[0]]).toMatchObject([400, { path: "source", line: expect.any(Number) }]);
		expect((await world.post(AT, { text: draft })).status).toBe(400);
		expect((await world.post("/policies/none/shadow", { source: draft })).status).toBe(404);
		expect((await world.get(`${AT}?since=1`)).status).toBe(400);
		expect((await world.get(AT)).status).toBe(404);
	});
});

describe("spillway policy shadow", () => {
	function spillway(...args: string[]): Promise<Ran> {
		const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-shadow-"));
		writeFileSync(path.join(folder, "token"), `${world.tokens.platform}\n`, { mode: 0o600 });
		writeFileSync(path.join(folder, "draft.yaml"), draft);
		const env = { SPILLWAY_TOKEN: "", SPILLWAY_URL: world.url, SPILLWAY_HOME: folder };
		return runCommand(["policy", "shadow", ...args], { cwd: folder, env });
	}

	it("starts a draft, shows how the two compare, and stops it", async () => {
		const none = await spillway();
		expect([none.code, none.err]).toEqual([3, expect.stringContaining("There are no shadow drafts")]);
		const started = await spillway("draft.yaml");
		expect([started.code, started.err]).toEqual([0, ""]);
		expect(started.out).toMatch(
			/^A draft alongside version 1 since .+, started by account:usr_platform\. It only records\.\nNo decisions yet\.\n$/,
		);
		await twoDecisions((await world.get(AT)).json.id);
		const shown = await spillway();
		expect(shown.out).toContain("They agree on 1 of 2 jobs (50.0%). Cloud cost: version 1 ≈$11.00, draft ≈$5.50.\n");
		expect(shown.out).toContain(
			"other (research)\n  version 1: Sent to aws us-east-1 by rule burst-on-wait. (≈$5.50)\n  draft:     Waiting for a slot at home.\n",
		);
		expect((await spillway("--stop")).out).toContain(", until ");
		expect((await spillway("--stop", "--json")).code).toBe(3);
	});
});
