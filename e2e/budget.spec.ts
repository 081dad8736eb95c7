import { expect } from "@playwright/test";
import { z } from "zod";
import type { JobDetail } from "#cli/response-types.ts";
import { quoteSchema } from "#server/contract/outputs/decision.ts";
import { publish } from "./support/database.ts";
import { bookedInstances } from "./support/emulator.ts";
import { eventually } from "./support/eventually.ts";
import { test } from "./support/people.ts";
import { aJob, call, jobWhen, makeQuiet, rest } from "./support/rest.ts";

const SLOTS = 4;
const BUDGET = "cloud-month";
let original = "";

test.beforeAll(async () => {
	await makeQuiet();
	original = (await rest.policy()).source;
});
test.afterAll(async () => {
	if (original && (await rest.policy()).source !== original) await publish(original, "Put back after the test of the budget");
	await makeQuiet();
});

test("two submissions at once against room for one more instance: one bursts, the other is held with what is missing", async ({ page }) => {
	await test.step("fill the slots at home with jobs that never leave it", async () => {
		const homely = Array.from({ length: SLOTS }, (_, i) =>
			aJob({ name: `at-home-${i + 1}`, class: "sensitive", command: ["sleep", "300"], estimate: "300s" }),
		);
		for (const id of await rest.submitAll(homely)) await jobWhen(id, "runs", ({ state }) => state === "running");
	});
	const worstCase = await test.step("ask what the next one would set aside", worstCaseOfBurst);
	await test.step("publish a cap with room for one and a half of it", async () => {
		const budget = await budgetNow();
		await publish(withCap(BigInt(budget.postedMicroUsd) + (worstCase * 3n) / 2n), "Room for one more instance");
	});

	const machinesBefore = (await bookedInstances()).length;
	const ids = await Promise.all(
		["race-1", "race-2"].map((name) => rest.submit(aJob({ name, command: ["sleep", "300"], estimate: "300s" }))),
	);
	const decided = ({ state }: JobDetail) => state === "held" || state === "running";
	const jobs = await Promise.all(ids.map((id) => jobWhen(id, "is held or runs", decided)));
	const held = jobs.filter(({ state }) => state === "held");
	const burst = jobs.filter(({ state }) => state === "running");
	expect({ held: held.length, burst: burst.length }).toEqual({ held: 1, burst: 1 });
	expect(burst[0]?.placement?.capacityType).not.toBe("owned");
	expect((await bookedInstances()).length - machinesBefore).toBe(1);

	const budget = await budgetNow();
	expect(BigInt(budget.freeMicroUsd)).toBeGreaterThanOrEqual(0n);
	const reason = held[0]?.reason;
	expect(reason).toMatchObject({ code: "budget_exceeded", facts: { budgetId: BUDGET } });
	const missingUsd = Number(z.object({ missingMicroUsd: z.string() }).parse(reason?.facts).missingMicroUsd) / 1_000_000;
	expect(missingUsd).toBeGreaterThan(0);

	await test.step("its page says how much is missing", async () => {
		await page.goto(`/jobs/${held[0]?.id}`);
		const main = page.getByRole("main");
		const missingOnPage = async (): Promise<number> => {
			const [, shown] = new RegExp(`Held: budget ${BUDGET} is \\$(\\d+\\.\\d+) short`).exec((await main.textContent()) ?? "") ?? [];
			return Number(shown);
		};
		// The page rounds to two significant digits.
		await expect.poll(async () => Math.abs((await missingOnPage()) - missingUsd)).toBeLessThanOrEqual(missingUsd / 10);
	});
	await test.step("the cap is lifted, and it bursts too", async () => {
		await publish(original, "Put back after the test of the budget");
		const released = await jobWhen(held[0]?.id ?? "", "runs", ({ state }) => state === "running");
		expect(released.placement?.capacityType).not.toBe("owned");
	});
});

async function worstCaseOfBurst(): Promise<bigint> {
	const ask = async () =>
		quoteSchema.parse((await call("POST", "/quotes", aJob({ name: "race", command: ["sleep", "300"], estimate: "300s" }))).body);
	const quote = await eventually("a quote would burst", ask, ({ outcome }) => outcome === "launch");
	const chosen = quote.candidates.find(({ outcome }) => outcome === "chosen");
	return BigInt(chosen?.worstCaseMicroUsd ?? 0);
}

async function budgetNow() {
	const budget = (await rest.budgets()).find(({ id }) => id === BUDGET);
	if (!budget) throw new Error(`the demo's policy has no budget ${BUDGET}`);
	return budget;
}

function withCap(capMicroUsd: bigint): string {
	const usd = `${capMicroUsd / 1_000_000n}.${String(capMicroUsd % 1_000_000n).padStart(6, "0")}`;
	const changed = original.replace(/capUsd: \d+/, `capUsd: ${usd}`);
	expect(changed).not.toBe(original);
	return changed;
}
