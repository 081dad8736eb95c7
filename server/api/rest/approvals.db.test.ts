import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "#cli/testing/run-command.ts";
import { systemContext } from "#server/services/core/context.ts";
import { openApproval } from "#server/services/work/approval/open.ts";
import { aJob, RestWorld } from "../testing/rest-world.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

const call = (method: string, at: string, options: Parameters<RestWorld["call"]>[2]) => world.call(method, `/api/v1${at}`, options);
const spillway = (args: string[], token = world.tokens.finance) =>
	runCommand(args, { env: { SPILLWAY_TOKEN: token, SPILLWAY_URL: world.url } });

/** A job of the data scientist that needs finance's approval for about $120, as a decision would request it. */
async function asks(name: string): Promise<{ jobId: string; id: string }> {
	const { json } = await call("POST", "/jobs", { as: "scientist", body: aJob({ name }), headers: { "idempotency-key": name } });
	const ctx = systemContext(world.database.db, world);
	const placement = {
		...{ siteId: "aws", provider: "aws" as const, region: "us-east-1", zone: null, poolId: null },
		...{ capacityType: "spot" as const, instanceType: "g6.xlarge", accelerator: "L4-24GB" },
	};
	const quote = {
		...{ placement, costMicroUsd: "120000000", hourlyMicroUsd: "3000000", startP50Ms: world.nowMs() + 240_000 },
		...{ homeStartP50Ms: null, emissionsGrams: null },
	};
	const id = await world.database.db.transaction((tx) =>
		openApproval(tx, ctx, {
			...{ jobId: json.id, request: { ruleId: "ask-first", role: "finance", quote }, decisionId: null },
			...{ policy: { name: "default", version: 1 }, nowMs: world.nowMs() },
		}),
	);
	return { jobId: json.id, id: id ?? "" };
}

describe("approvals over REST and the command line", () => {
	it("are listed for people who can see the job, with the quote as text and the free budget", async () => {
		const { id } = await asks("listed");
		const { json } = await world.get("/approvals?state=open", { as: "scientist" });
		expect(json.items).toMatchObject([
			{
				...{ id, mine: true, mayAnswer: false, role: "finance", job: { name: "listed", team: "research", submittedBy: "scientist" } },
				budget: { budgetId: "cloud-month", freeMicroUsd: "1000000000" },
			},
		]);
		expect((await world.get("/approvals?state=open", { as: "stranger" })).json.items).toEqual([]);
		expect((await world.get(`/approvals/${id}`, { as: "stranger" })).status).toBe(404);
		expect((await world.get(`/approvals/${id}`, { as: "finance" })).json).toMatchObject({ mayAnswer: true, mine: false });
		expect((await world.get("/approvals?state=perhaps")).status).toBe(400);
		expect((await world.get("/approvals/outlook?role=finance", { as: "scientist" })).json).toEqual({
			...{ role: "finance", people: ["finance"], medianMs: null, answered: 0 },
		});
	});

	it("are approved only by the required role; a second approval is a conflict, and repeating the same call gives the same response", async () => {
		const { id, jobId } = await asks("granted");
		for (const as of ["scientist", "platform"] as const)
			expect((await call("POST", `/approvals/${id}/grant`, { as, body: {} })).status).toBe(403);
		expect((await call("POST", `/approvals/${id}/grant`, { as: "finance", body: { upToUsd: "-1" } })).status).toBe(400);
		const headers = { "idempotency-key": "grant-once" };
		const granted = await call("POST", `/approvals/${id}/grant`, { as: "finance", body: { upToUsd: "130.50" }, headers });
		expect(granted.json).toEqual({ id, jobId, state: "granted", upToMicroUsd: "130500000" });
		expect((await call("POST", `/approvals/${id}/grant`, { as: "finance", body: { upToUsd: "130.50" }, headers })).json).toEqual(
			granted.json,
		);
		const late = await call("POST", `/approvals/${id}/refuse`, { as: "finance", body: {} });
		expect(late.status).toBe(409);
		expect(late.json.detail).toContain("already granted by finance");
	});

	it("can be listed and rejected with a note from the command line, and a conflict names who was first", async () => {
		const { id, jobId } = await asks("refused");
		expect((await spillway(["approvals"])).out).toMatch(
			new RegExp(`${id}\\s+refused\\s+research\\s+scientist\\s+.*120.*needs your answer`),
		);
		const refused = await spillway(["approvals", "refuse", id, "--note", "wait for the night"]);
		expect(refused, refused.err).toMatchObject({ code: 0, out: `${jobId}  refused: the job waits at home\n` });
		expect(await spillway(["approvals", "grant", id, "--up-to", "$250"])).toMatchObject({ code: 5 });
		expect((await spillway(["approvals", "--past"])).out).toMatch(/no \(finance\)/);
		expect(await spillway(["approvals", "refuse", id, "--up-to", "3"])).toMatchObject({ code: 2 });
		const again = await call("POST", `/jobs/${jobId}/ask-again`, { as: "scientist" });
		expect(again.status).toBe(200);
		expect((await call("POST", `/jobs/${jobId}/ask-again`, { as: "stranger" })).status).toBe(404);
	});
});
