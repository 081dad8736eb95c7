import { expect, type Page } from "@playwright/test";
import { z } from "zod";
import type { JobDetail } from "#cli/response-types.ts";
import { submittedJobsSchema } from "#server/contract/outputs/job.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { asInstallation } from "./support/database.ts";
import { bookedInstances, interruptMachineOf } from "./support/emulator.ts";
import { eventually } from "./support/eventually.ts";
import { test } from "./support/people.ts";
import { isOver, jobWhen, makeSettled, rest } from "./support/rest.ts";
import { spillway } from "./support/system.ts";
import { trainingOf } from "./support/training.ts";

const JOBS = 7;
const SLOTS = 4;
/** Enough steps for several checkpoints, and enough left to continue. */
const INTERRUPT_AFTER_STEP = 300;

test.beforeAll(async () => {
	// Costs of earlier jobs must not interfere.
	await makeSettled();
});

test("more jobs than fit at home: some burst, one is interrupted and goes on, all is paid for and released", async ({ page }) => {
	const before = await cloudAndOwned();
	const bookedBefore = new Set((await bookedInstances()).map(({ instanceId }) => instanceId));

	const ids = await test.step("submit seven by the command line", async () => {
		const { exitCode, stdout, stderr } = await spillway("submit", "-f", "examples/language-id/job.yaml", "--count", String(JOBS), "--json");
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
		return submittedJobsSchema.parse(JSON.parse(stdout)).items.map(({ id }) => id);
	});
	expect(ids).toHaveLength(JOBS);

	const { home, burst } = await test.step("four run at home, the others burst", () => placed(ids));
	await test.step("each burst names its rule and is the cheapest that the policy allows", async () => {
		for (const id of burst) await expectExplainedBurst(id);
	});

	const [victim = "", other = ""] = burst;
	await test.step("the job's page shows new lines as they come", () => expectLiveLog(page, other));
	const instanceId = await test.step("the provider takes a spot machine back", () => interruptOnceTrained(victim));

	await test.step("all of them succeed", async () => {
		for (const id of ids) expect(await jobWhen(id, "has ended", isOver)).toMatchObject({ state: "succeeded" });
	});
	await test.step("the interrupted one went on elsewhere, to the losses of one that was never stopped", async () => {
		await expectResumed(victim, instanceId, home[0] ?? "");
	});
	await test.step("nothing is left running in the cloud's own book", async () => {
		const ours = async () => (await bookedInstances()).filter((booked) => !bookedBefore.has(booked.instanceId));
		const booked = await eventually("every machine is terminated", ours, (all) => all.every(({ state }) => state === "terminated"));
		expect(booked.length).toBeGreaterThanOrEqual(burst.length);
		expect(booked.filter(({ vanished }) => vanished)).toEqual([]);
		for (const { jobId } of booked) expect(ids).toContain(jobId);
	});
	await test.step("receipts, charges and Spend agree to the micro-dollar", () => expectBooksAgree(ids, before));
});

async function placed(ids: readonly string[]): Promise<{ home: string[]; burst: string[] }> {
	const jobs: JobDetail[] = [];
	for (const id of ids) jobs.push(await jobWhen(id, "is placed", (job) => job.attemptList.length > 0));
	const at = (isHome: boolean) => jobs.filter((job) => (job.attemptList[0]?.placement.provider === "local") === isHome).map(({ id }) => id);
	const [home, burst] = [at(true), at(false)];
	expect({ home: home.length, burst: burst.length }).toEqual({ home: SLOTS, burst: JOBS - SLOTS });
	return { home, burst };
}

const scored = z.looseObject({
	candidates: z.array(
		z.looseObject({ outcome: z.string(), scoreMicroUsd: z.string(), placement: z.looseObject({ capacityType: z.string() }) }),
	),
});

async function expectExplainedBurst(id: string): Promise<void> {
	const decision = (await rest.decisions(id)).find(({ outcome }) => outcome === "launch");
	expect(decision?.reason).toMatchObject({ code: "placed_cloud", facts: { ruleId: "burst-on-wait" } });
	expect(decision?.reason.message).toContain("by rule burst-on-wait");
	const { candidates } = scored.parse(decision);
	const [chosen, ...more] = candidates.filter(({ outcome }) => outcome === "chosen");
	expect(more).toEqual([]);
	expect(chosen?.placement.capacityType).toBe("spot");
	const allowed = candidates.filter(({ outcome }) => outcome !== "removed").map((candidate) => BigInt(candidate.scoreMicroUsd));
	expect(allowed.length).toBeGreaterThan(1);
	expect(allowed.every((score) => BigInt(chosen?.scoreMicroUsd ?? -1) <= score)).toBe(true);
}

/** The latest step shown increases without any interaction. */
async function expectLiveLog(page: Page, id: string): Promise<void> {
	await page.goto(`/jobs/${id}/logs`);
	const log = page.getByRole("log");
	await expect(log).toContainText(/step \d+ epoch/);
	const newestStep = async () =>
		Math.max(0, ...[...((await log.textContent()) ?? "").matchAll(/step (\d+) epoch/g)].map(([, step]) => Number(step)));
	const seen = await newestStep();
	await expect.poll(newestStep).toBeGreaterThan(seen);
}

async function interruptOnceTrained(id: string): Promise<string> {
	const hasTrained = async () => Math.max(0, ...(await trainingOf(id, 1)).steps.keys());
	await eventually(`job ${id} has trained`, hasTrained, (step) => step >= INTERRUPT_AFTER_STEP);
	const [instance] = await rest.instancesOf(id);
	const instanceId = instance?.providerInstanceId ?? "";
	await interruptMachineOf(id);
	return instanceId;
}

async function expectResumed(id: string, interruptedInstance: string, neverStopped: string): Promise<void> {
	const job = await rest.job(id);
	const [first, second] = job.attemptList;
	expect(job.attemptList).toHaveLength(2);
	expect(first).toMatchObject({ state: "interrupted", reason: { code: "spot_interruption" } });
	expect(second).toMatchObject({ state: "succeeded", exitCode: 0 });
	const machines = await rest.instancesOf(id);
	const elsewhere = second?.placement.provider === "local" || machines.some((m) => m.providerInstanceId !== interruptedInstance);
	expect(elsewhere, "the second attempt ran on another machine").toBe(true);

	const [before, after, whole] = [await trainingOf(id, 1), await trainingOf(id, 2), await trainingOf(neverStopped, 1)];
	expect(before.savedAt, "SIGTERM gave the command time to save").not.toBeNull();
	expect(after.resumedFrom).toBe(before.savedAt);
	const lastBefore = [...before.steps.values()].at(-1);
	const lastAfter = [...after.steps.values()].at(-1);
	expect(Math.min(...after.steps.keys())).toBeGreaterThan(before.savedAt ?? 0);
	expect(lastAfter?.loss).toBeLessThan(lastBefore?.loss ?? 0);
	const together = new Map([...before.steps, ...after.steps]);
	expect([...together.values()].map(({ line }) => line)).toEqual([...whole.steps.values()].map(({ line }) => line));
	expect(after.done).toBe(whole.done);
}

/** Spend of today and yesterday, without idle time, which never stops. */
async function cloudAndOwned(): Promise<{ from: string; cloud: bigint; owned: bigint }> {
	const from = new Date(Date.now() - 24 * 3_600_000).toISOString().slice(0, 10);
	return { from, ...sumsOf((await rest.spend(`from=${from}`)).totals) };
}

const sumsOf = (sums: { cloudMicroUsd: string; ownedMicroUsd: string }) => ({
	cloud: BigInt(sums.cloudMicroUsd),
	owned: BigInt(sums.ownedMicroUsd),
});
const total = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);

async function expectBooksAgree(ids: readonly string[], before: { from: string; cloud: bigint; owned: bigint }): Promise<void> {
	// A machine is billed beyond the end of its job: until it has ended too, a receipt grows.
	await makeSettled();
	const receiptsOf = () => Promise.all(ids.map((id) => rest.receipt(id)));
	const allPosted = (all: Awaited<ReturnType<typeof receiptsOf>>) =>
		all.every(({ attempts }) => attempts.every(({ lines }) => lines.length > 0 && lines.every(({ status }) => status === "posted")));
	const receipts = await eventually("every line of every receipt is posted", receiptsOf, allPosted);
	const lines = receipts.flatMap(({ attempts }) =>
		attempts.flatMap((attempt) =>
			attempt.lines.map((line) => ({ owned: attempt.placement.capacityType === "owned", cost: BigInt(line.costMicroUsd) })),
		),
	);
	const cloud = total(lines.filter(({ owned }) => !owned).map(({ cost }) => cost));
	const owned = total(lines.filter((line) => line.owned).map(({ cost }) => cost));
	expect(cloud).toBeGreaterThan(0n);
	expect(owned).toBeGreaterThan(0n);
	expect(total(receipts.map(({ totals }) => BigInt(totals.costMicroUsd)))).toBe(cloud + owned);
	for (const [at, id] of ids.entries()) expect((await rest.job(id)).costMicroUsd).toBe(receipts[at]?.totals.costMicroUsd);
	const machines = (await Promise.all(ids.map((id) => rest.instancesOf(id)))).flat();
	expect(total(machines.map(({ costMicroUsd }) => BigInt(costMicroUsd)))).toBe(cloud);

	for (const groupBy of ["day", "team", "class", "provider", "region", "capacityType", "accelerator", "site"]) {
		const spend = await rest.spend(`from=${before.from}&groupBy=${groupBy}`);
		const now = sumsOf(spend.totals);
		expect({ groupBy, cloud: now.cloud - before.cloud, owned: now.owned - before.owned }).toEqual({ groupBy, cloud, owned });
		expect(total(spend.items.map(({ totalMicroUsd }) => BigInt(totalMicroUsd)))).toBe(BigInt(spend.totals.totalMicroUsd));
	}
	const check = await asInstallation(ledgerCheck);
	expect(check.differences).toEqual([]);
	expect(check.totals.hour).toBe(check.totals.charges);
	await eventually("no budget holds anything", rest.budgets, (all) => all.every(({ heldMicroUsd }) => heldMicroUsd === "0"));
}
