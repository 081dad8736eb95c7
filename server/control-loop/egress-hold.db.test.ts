import { eq } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { hold } from "#server/db/schema/budget.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { decision } from "#server/db/schema/decision.ts";
import { egressMicroUsdPerGiB } from "#server/rates/egress.ts";
import { World } from "./testing/world.ts";

const opened: World[] = [];
afterEach(async () => {
	for (const world of opened.splice(0)) await world.database.drop();
});

async function heldFor(w: World, name: string): Promise<bigint> {
	const jobId = (await w.jobs()).find((j) => j.name === name)?.id;
	const machine = (await w.instances()).find((i) => i.jobId === jobId);
	const [row] = await w.database.db
		.select({ amount: hold.amountMicroUsd })
		.from(hold)
		.where(eq(hold.instanceId, machine?.id ?? ""));
	if (!row) throw new Error(`nothing is held for ${name}`);
	return row.amount;
}

it("holds the egress of a job's checkpoints, sized like those of earlier jobs with its name: 133 in 22 minutes of life, one every 10 s", async () => {
	const w = await World.open({ slots: 0, capUsd: 1_000 });
	opened.push(w);
	await w.submit({ name: "fraud-v1", checkpointEvery: "10s" });
	await w.until(() => w.quiet());
	const before = await heldFor(w, "fraud-v1");
	await w.database.db.update(checkpoint).set({ bytes: 10n * 1024n ** 3n });
	w.clock.advance(2 * 60_000);
	await w.submit({ name: "fraud-v2", checkpointEvery: "10s" }, { name: "other", checkpointEvery: "10s" }, { name: "fraud-v3" });
	await w.until(() => w.quiet());
	const perGiB = egressMicroUsdPerGiB("aws", "us-east-1");
	expect(perGiB).toBeGreaterThan(0n);
	expect((await heldFor(w, "fraud-v2")) - before).toBe(133n * 10n * perGiB);
	expect([await heldFor(w, "other"), await heldFor(w, "fraud-v3")]).toEqual([before, before]);
	const jobId = (await w.jobs()).find((j) => j.name === "fraud-v2")?.id ?? "";
	const [told] = await w.database.db.select({ explanation: decision.explanation }).from(decision).where(eq(decision.jobId, jobId));
	// 30 s of run time: after 10, 20 and 30 s, and at the end.
	const chosen = told?.explanation.candidates.find(({ outcome }) => outcome === "chosen");
	expect(chosen?.egressMicroUsd).toBe(String(4n * 10n * perGiB));
});
