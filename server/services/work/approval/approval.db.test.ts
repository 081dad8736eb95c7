import { asc, desc, eq, like } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { World } from "#server/control-loop/testing/world.ts";
import { account } from "#server/db/schema/account.ts";
import { alert, delivery } from "#server/db/schema/alert.ts";
import { approval } from "#server/db/schema/approval.ts";
import { audit } from "#server/db/schema/audit.ts";
import { job } from "#server/db/schema/job.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "#server/scheduling/decide.ts";
import { type ServiceContext, systemContext } from "#server/services/core/context.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/decision/snapshot/load.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { createChannel } from "#server/services/notification/channel/create.ts";
import { cancelJob } from "../job/cancel.ts";
import { askAgain } from "./ask-again.ts";
import { grantApproval, rejectApproval } from "./decide.ts";
import { approvalOfJob, countApprovals, listApprovals } from "./list.ts";
import { openApproval } from "./open.ts";
import { changeApprovalSettings } from "./settings.ts";
import { syncApprovals } from "./sync.ts";

const ASK = "{ id: ask-first, when: quote.costUsd > 0.0, require: { approval: platform } }";
let world: World;

/** One slot at home, taken for two hours by `home-1`; `asks` would leave for the cloud, and a rule requires approval first. */
beforeEach(async () => {
	world = await World.open({ slots: 1, rules: [ASK], tickMs: 30_000, runMs: 600_000 });
	const createdAt = new Date(world.clock.nowMs());
	const others = [
		{ id: "usr_b", name: "B", role: "platform" as const },
		{ id: "usr_f", name: "F", role: "finance" as const },
		{ id: "usr_d", name: "D", role: "data_scientist" as const },
	];
	await world.database.db
		.insert(account)
		.values(others.map((o) => ({ ...o, email: `${o.id}@example.test`, teams: ["research"], createdAt })));
	await world.submit({ name: "home-1", estimate: "2h", max: "3h" });
	await world.tick();
});
afterEach(() => world.database.drop());

const as = (accountId: string, role: Role = "platform"): ServiceContext => ({
	...{ db: world.database.db, clock: world.clock, requestId: null },
	actor: { kind: "person", accountId, name: accountId, role, teams: ["research"], via: "session" },
});
const system = () => systemContext(world.database.db, world.clock);
const rows = () => world.database.db.select().from(approval).orderBy(asc(approval.requestedAt), asc(approval.id));
const named = async (name: string) => (await world.jobs()).find((j) => j.name === name);
const reasonOf = async (name: string) => (await named(name))?.reason;

/** Submitted by `by`, and evaluated once. */
async function hold(by = "account:usr_d"): Promise<{ jobId: string; id: string }> {
	const [jobId = ""] = await world.submit({ name: "asks", estimate: "50m", max: "2h" });
	await world.database.db.update(job).set({ submittedBy: by }).where(eq(job.id, jobId));
	await world.until(async () => (await rows()).some((r) => r.state === "open"), 5);
	return { jobId, id: (await rows()).at(-1)?.id ?? "" };
}

describe("a rule that requires approval", () => {
	it("holds the job with a quote from the decision, notifies the approvers once, and lets it leave after an approval", async () => {
		await createChannel(
			{ ...system(), secret: "a secret of this test" },
			{ kind: "email", name: "approvers", topics: ["approval_waiting"], team: null, recipients: ["ops@acme.test"] },
		);
		const { jobId, id } = await hold();
		expect(await named("asks")).toMatchObject({ state: "held", reason: { code: "approval_required" } });
		const [row] = await rows();
		expect(row).toMatchObject({ ruleId: "ask-first", role: "platform", state: "open", policyVersion: 1 });
		expect(row?.quote).toMatchObject({
			placement: { provider: "aws" },
			costMicroUsd: String((await reasonOf("asks"))?.facts["costMicroUsd"]),
		});
		expect(row?.quote.decisionId).toMatch(/^dec_/);
		expect(row?.quote.homeStartP50Ms).toBeGreaterThan(world.clock.nowMs() + HOUR_MS);
		expect((row?.expiresAt.getTime() ?? 0) - (row?.requestedAt.getTime() ?? 0)).toBe(72 * HOUR_MS);
		await world.tick();
		expect(await rows()).toHaveLength(1);
		expect(await world.database.db.select().from(alert)).toMatchObject([{ rule: "approval_waiting", subject: id, closedAt: null }]);
		expect(await world.database.db.select().from(delivery)).toMatchObject([{ message: { link: `/approvals?approval=${id}` } }]);
		expect(await countApprovals(as("usr_b"))).toEqual({ forMe: 1, open: 1, changes: 0 });
		expect(await countApprovals(as("usr_f", "finance"))).toEqual({ forMe: 0, open: 1, changes: 0 });

		world.clock.advance(7 * MINUTE_MS);
		expect(await grantApproval(as("usr_b"), { id, note: "quarter end" })).toMatchObject({ state: "granted", jobId });
		await world.until(async () => (await named("asks"))?.placement?.provider === "aws", 5);
		expect(await named("asks")).toMatchObject({ approvedMicroUsd: BigInt(row?.quote.costMicroUsd ?? 0) });
		expect((await world.database.db.select().from(alert))[0]?.closedAt).not.toBeNull();
		const lines = await world.database.db.select().from(audit).where(like(audit.action, "approval.%")).orderBy(asc(audit.id));
		expect(lines.map((l) => [l.action, l.actor])).toEqual([
			["approval.ask", "system:control_loop"],
			["approval.granted", "account:usr_b"],
		]);
		const [past] = (await listApprovals(as("usr_f", "finance"), { state: "past" })).items;
		expect(past).toMatchObject({ state: "granted", decidedBy: "B", note: "quarter end", mayAnswer: false });
	});

	it("shows one price in the request, its alert and the job's reason after the price has changed", async () => {
		const { jobId, id } = await hold();
		const [row] = await rows();
		if (!row) throw new Error("no approval was requested");
		const quote = { ...row.quote, costMicroUsd: "123000000", placement: { ...row.quote.placement, region: "eu-west-1" } };
		const { ruleId, role } = row;
		const input = { jobId, request: { ruleId, role, quote }, decisionId: null, policy: { name: "default", version: 1 } };
		const asked = { ...input, nowMs: world.clock.nowMs() };
		expect(await world.database.db.transaction((tx) => openApproval(tx, system(), asked))).toBeNull();
		expect((await rows()).map(({ quote: { costMicroUsd } }) => costMicroUsd)).toEqual(["123000000"]);
		expect((await reasonOf("asks"))?.facts).toMatchObject({ costMicroUsd: "123000000", ruleId: "ask-first" });
		expect(await world.database.db.select().from(alert)).toMatchObject([
			{ subject: id, facts: { costMicroUsd: "123000000", place: expect.stringContaining("eu-west-1"), jobName: "asks" } },
		]);
	});

	it("accepts answers only from the rule's role, never from the submitter or the system", async () => {
		const { id, jobId } = await hold("account:usr_a");
		const forbidden = { code: "forbidden" };
		await expect(grantApproval(as("usr_a"), { id })).rejects.toMatchObject(forbidden);
		await expect(rejectApproval(as("usr_a"), { id })).rejects.toMatchObject(forbidden);
		await expect(grantApproval(as("usr_f", "finance"), { id })).rejects.toMatchObject(forbidden);
		await expect(grantApproval(as("usr_d", "data_scientist"), { id })).rejects.toMatchObject(forbidden);
		await expect(grantApproval(system(), { id })).rejects.toMatchObject(forbidden);
		await expect(grantApproval(as("usr_b"), { id, upToUsd: "0" })).rejects.toThrow("above 0");
		await expect(grantApproval(as("usr_b"), { id: "appr_none" })).rejects.toMatchObject({ code: "not_found" });
		expect(await rows()).toMatchObject([{ state: "open" }]);
		expect((await approvalOfJob(as("usr_a"), jobId)).outlook).toEqual({ role: "platform", people: ["B"], medianMs: null, answered: 0 });
	});

	it("keeps a rejected job at home until approval is requested again, and reports the median answer time", async () => {
		const { id, jobId } = await hold();
		world.clock.advance(40 * MINUTE_MS);
		await rejectApproval(as("usr_b"), { id, note: "wait for the night" });
		await world.until(async () => (await reasonOf("asks"))?.code === "waiting_not_approved", 5);
		expect(await named("asks")).toMatchObject({ state: "queued", approvedMicroUsd: null });
		for (let i = 0; i < 3; i++) await world.tick();
		expect(await rows()).toHaveLength(1);
		expect(await approvalOfJob(as("usr_d", "data_scientist"), jobId)).toMatchObject({ mayAskAgain: true, approval: { state: "refused" } });
		await askAgain(as("usr_d", "data_scientist"), { jobId });
		await expect(askAgain(as("usr_d", "data_scientist"), { jobId })).rejects.toMatchObject({ code: "conflict" });
		await world.until(async () => (await named("asks"))?.state === "held", 5);
		const outlook = (await approvalOfJob(as("usr_d", "data_scientist"), jobId)).outlook;
		expect(outlook).toMatchObject({ people: ["A", "B"], answered: 1 });
		expect(outlook?.medianMs).toBeGreaterThanOrEqual(40 * MINUTE_MS);
		await grantApproval(as("usr_a"), { id: (await rows()).at(-1)?.id ?? "" });
		await world.until(async () => (await named("asks"))?.placement?.provider === "aws", 5);
	});

	it("keeps a job at home without a new request when approved below its cost, and requests approval again above the approved price", async () => {
		const { id } = await hold();
		const asked = BigInt((await rows())[0]?.quote.costMicroUsd ?? 0);
		await grantApproval(as("usr_b"), { id, upToUsd: "0.01" });
		await world.until(async () => (await reasonOf("asks"))?.code === "waiting_not_approved", 5);
		expect(await reasonOf("asks")).toMatchObject({ facts: { answer: "granted", approvedMicroUsd: "10000" } });
		expect(await rows()).toHaveLength(1);
		await world.database.sql`update offer set micro_usd_per_hour = micro_usd_per_hour * 2`;
		await world.until(async () => (await rows()).length === 2, 5);
		const [, again] = await rows();
		expect(again).toMatchObject({ state: "open", ruleId: "ask-first" });
		expect(BigInt(again?.quote.costMicroUsd ?? 0)).toBeGreaterThan(asked);
		expect(await named("asks")).toMatchObject({ state: "held" });
	});

	it("does not request approval again in a cycle that read its data before the answer", async () => {
		const { id } = await hold();
		const { snapshot } = await loadSnapshot(world.ctx, new SnapshotCache());
		const plan = decide(snapshot);
		expect(plan.asks?.size).toBe(1);
		// The answer carries the time before its commit, which can be before that of the snapshot.
		const earlier = { nowMs: () => snapshot.nowMs - 1 };
		await grantApproval({ ...as("usr_b"), clock: earlier }, { id });
		expect(await syncApprovals(world.database.db, snapshot, plan)).toEqual({ opened: 0, withdrawn: 0, expired: 0 });
		expect(await rows()).toMatchObject([{ state: "granted" }]);
	});

	it("expires without an answer within the configured hours, and the job reports this at home", async () => {
		await changeApprovalSettings(as("usr_a"), { expiryHours: 1 });
		const { id } = await hold();
		world.clock.advance(61 * MINUTE_MS);
		await expect(grantApproval(as("usr_b"), { id })).rejects.toThrow("expired");
		await world.until(async () => (await reasonOf("asks"))?.code === "waiting_not_approved", 5);
		expect(await rows()).toMatchObject([{ state: "expired", decidedBy: null }]);
		expect(await reasonOf("asks")).toMatchObject({ facts: { answer: "expired" } });
		await expect(changeApprovalSettings(as("usr_d", "data_scientist"), { expiryHours: 2 })).rejects.toMatchObject({ code: "forbidden" });
	});

	it("is withdrawn when the job is cancelled, starts at home, or a newer policy no longer requires approval", async () => {
		const first = await hold();
		await cancelJob(as("usr_a"), first.jobId);
		expect(await rows()).toMatchObject([{ state: "withdrawn", note: "the job was cancelled" }]);
		await expect(grantApproval(as("usr_b"), { id: first.id })).rejects.toThrow("already withdrawn: the job was cancelled");

		await hold();
		await publishPolicy(system(), { name: "default", source: await sourceWithout(), message: "no questions" });
		await world.until(async () => (await rows())[1]?.state === "withdrawn", 5);
		await world.until(async () => (await world.jobs()).some((j) => j.name === "asks" && j.placement?.provider === "aws"), 5);
	});

	it("lets the job start at home while the request is pending", async () => {
		const { jobId } = await hold();
		const home = (await world.jobs()).find((j) => j.name === "home-1");
		await cancelJob(as("usr_a"), home?.id ?? "");
		await world.until(async () => (await rows())[0]?.state === "withdrawn", 20);
		expect((await world.jobs()).find((j) => j.id === jobId)?.placement).toMatchObject({ capacityType: "owned" });
		expect((await rows())[0]?.note).toBe("the job starts at home");
	});

	it("returns a conflict to the second of two simultaneous answers, or of an approval and a cancel", async () => {
		const { id } = await hold();
		const both = await Promise.allSettled([grantApproval(as("usr_a"), { id }), rejectApproval(as("usr_b"), { id })]);
		expect(both.filter((r) => r.status === "fulfilled")).toHaveLength(1);
		const lost = both.find((r) => r.status === "rejected");
		expect(lost?.status === "rejected" ? lost.reason : null).toMatchObject({ code: "conflict" });
		const [row] = await rows();
		const [line] = await world.database.db.select().from(audit).where(eq(audit.subject, id)).orderBy(desc(audit.id)).limit(1);
		expect(line?.action).toBe(`approval.${row?.state}`);

		await cancelJob(as("usr_a"), row?.jobId ?? "");
		const next = await hold();
		const race = await Promise.allSettled([cancelJob(as("usr_a"), next.jobId), grantApproval(as("usr_b"), { id: next.id })]);
		expect(race[0]?.status).toBe("fulfilled");
		const after = (await rows()).find((r) => r.id === next.id);
		expect(after?.state).toBe(race[1]?.status === "fulfilled" ? "granted" : "withdrawn");
		expect((await world.jobs()).find((j) => j.id === next.jobId)?.state).toBe("cancelled");
	});
});

async function sourceWithout(): Promise<string> {
	const [row] = await world.database.sql<{ source: string }[]>`select source from policy_version order by version desc limit 1`;
	return (row?.source ?? "").replace(`- ${ASK}`, "- { id: nothing-asked, limit: { instanceHours: 20 } }");
}
