import { afterEach, describe, expect, it, vi } from "vitest";
import { World } from "#server/control-loop/testing/world.ts";
import { parseJobDocument } from "#server/domain/job-file.ts";
import { systemContext } from "../context.ts";
import { askQuote } from "./ask.ts";

let world: World | null = null;
afterEach(async () => {
	vi.restoreAllMocks();
	await world?.database.drop();
});

const SPEC = parseJobDocument({
	...{ apiVersion: "spillway/v1", kind: "Job", metadata: { name: "asked", team: "research" } },
	spec: { command: ["true"], priority: 10, duration: { estimate: "50m" } },
});

/** `count` jobs wait for one slot at home. */
async function waiting(
	count: number,
): Promise<{ ask: () => ReturnType<typeof askQuote>; submit: (name: string) => Promise<unknown>; pass: (ms: number) => void }> {
	const w = await World.open({ slots: 1, rules: [`{ id: stay, when: 'job.team == "research"', deny: { sites: [cloud] } }`] });
	world = w;
	await w.submit(...Array.from({ length: count }, (_, i) => ({ name: `waits-${i}`, estimate: "1m", priority: 50 })));
	const ctx = { ...systemContext(w.database.db, w.clock), timing: w.ctx.timing };
	let nowMs = 0;
	vi.spyOn(performance, "now").mockImplementation(() => nowMs);
	return {
		ask: () => askQuote(ctx, SPEC),
		submit: (name) => w.submit({ name }),
		pass: (ms) => {
			nowMs += ms;
			w.clock.advance(ms);
		},
	};
}

describe("the moment that questions are answered from", { timeout: 60_000 }, () => {
	it("is read anew for every question while few wait", async () => {
		const { ask, submit, pass } = await waiting(3);
		expect((await ask()).queue.jobs).toBe(3);
		await submit("one-more");
		pass(1);
		expect((await ask()).queue.jobs).toBe(4);
	});

	it("serves for three seconds while a thousand wait, and is renewed behind the answers", async () => {
		const { ask, submit, pass } = await waiting(1_000);
		const first = await ask();
		await submit("one-more");
		pass(900);
		// The same moment gives the same answer, out of what was found before.
		expect(await ask()).toEqual(first);
		pass(600);
		expect((await ask()).decidedAtMs).toBe(first.decidedAtMs);
		await vi.waitFor(async () => expect((await ask()).queue.jobs).toBe(1_001), { timeout: 20_000 });
		const renewed = await ask();
		expect(renewed.decidedAtMs).toBe(first.decidedAtMs + 1_500);
		await submit("and-another");
		pass(3_001);
		const anew = await ask();
		expect([anew.decidedAtMs - renewed.decidedAtMs, anew.queue.jobs]).toEqual([3_001, 1_002]);
	});
});
