import { afterEach, describe, expect, it, vi } from "vitest";
import { World } from "#server/control-loop/testing/world.ts";
import { parseJobDocument } from "#server/domain/job-file.ts";
import { systemContext } from "#server/services/core/context.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { askQuote } from "./ask.ts";
import { keepQuotesReady } from "./decide-asked.ts";

let world: World | null = null;
afterEach(async () => {
	vi.restoreAllMocks();
	await world?.database.drop();
});

const STAY = `{ id: stay, when: 'job.team == "research"', deny: { sites: [cloud] } }`;
const SPEC = parseJobDocument({
	...{ apiVersion: "spillway/v1", kind: "Job", metadata: { name: "asked", team: "research" } },
	spec: { command: ["true"], priority: 10, duration: { estimate: "50m" } },
});

/** `count` jobs wait for one slot at home. */
async function waiting(count: number) {
	const w = await World.open({ slots: 1, rules: [STAY] });
	world = w;
	await w.submit(...Array.from({ length: count }, (_, i) => ({ name: `waits-${i}`, estimate: "1m", priority: 50 })));
	const ctx = { ...systemContext(w.database.db, w.clock), timing: w.ctx.timing };
	let [nowMs, submitted] = [0, count];
	vi.spyOn(performance, "now").mockImplementation(() => nowMs);
	const ask = () => askQuote(ctx, SPEC);
	const submit = async (): Promise<number> => {
		await w.submit({ name: `later-${++submitted}` });
		return submitted;
	};
	return {
		...{ ctx, ask, submit, database: w.database },
		/** Waits until an answer ignores a job that was submitted just before it, so it comes from a cached moment. */
		untilKept: () =>
			vi.waitFor(
				async () => {
					const jobs = await submit();
					const quote = await ask();
					expect(quote.queue.jobs).toBeLessThan(jobs);
					return quote;
				},
				{ timeout: 600_000 },
			),
		pass: (ms: number): void => {
			nowMs += ms;
			w.clock.advance(ms);
		},
	};
}

describe("the moment that quotes are answered from", () => {
	it("is read again for every question while few jobs wait", async () => {
		const { ask, submit, pass } = await waiting(3);
		expect((await ask()).queue.jobs).toBe(3);
		await submit();
		pass(1);
		expect((await ask()).queue.jobs).toBe(4);
	});

	it("is reused for fifteen seconds while a thousand jobs wait, and is refreshed in the background", async () => {
		const { ask, submit, untilKept, pass } = await waiting(1_000);
		const first = await ask();
		pass(1_000);
		const kept = await untilKept();
		expect(kept.decidedAtMs - first.decidedAtMs).toBeLessThanOrEqual(1_000);
		const jobs = await submit();
		await vi.waitFor(async () => expect((await ask()).queue.jobs).toBe(jobs), { timeout: 600_000 });
		const renewed = await ask();
		expect(renewed.decidedAtMs).toBe(first.decidedAtMs + 1_000);
		// With the previous memo, the same moment gives the same answer as a fresh read.
		pass(15_001);
		const again = await ask();
		expect(again).toMatchObject({ decidedAtMs: renewed.decidedAtMs + 15_001, queue: renewed.queue, outcome: renewed.outcome });
	});

	it("is ready before the first question where it is kept warm, and never from a policy that is no longer in force", async () => {
		const { ctx, ask, untilKept, submit } = await waiting(1_000);
		const end = new AbortController();
		keepQuotesReady(ctx, end.signal);
		const kept = await untilKept();
		expect(kept.reason.message).toContain("rule stay denies");
		const { source } = await activePolicy(ctx.db);
		await publishPolicy(ctx, {
			name: "default",
			message: "nothing stays",
			source: source.replace(STAY, "{ id: stay, limit: { instanceHours: 2 } }"),
		});
		const jobs = await submit();
		const again = await ask();
		expect(again.queue.jobs).toBe(jobs);
		expect(again.reason.message).not.toContain("rule stay denies");
		end.abort();
	});
});
