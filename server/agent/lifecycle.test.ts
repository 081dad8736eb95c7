import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AGENT_TRANSITIONS, Lifecycle, planStop, type StopOrder, tighten } from "./lifecycle.ts";
import { AGENT_PHASES } from "./protocol.ts";

const at = 1_000_000;

describe("planStop", () => {
	it("gives the whole grace period when the machine is not being reclaimed", () => {
		expect(planStop(at, { cause: "ordered", graceMs: 90_000, machineEndsAtMs: null })).toEqual({
			cause: "ordered",
			killAtMs: at + 90_000,
			giveUpAtMs: null,
		});
	});

	it("keeps a quarter of a spot notice for the upload, at most 30 s", () => {
		const plan = (leftMs: number) => planStop(at, { cause: "notice", graceMs: 600_000, machineEndsAtMs: at + leftMs });
		expect(plan(20_000)).toEqual({ cause: "notice", killAtMs: at + 15_000, giveUpAtMs: at + 20_000 });
		expect(plan(600_000).killAtMs).toBe(at + 570_000);
	});

	it("kills immediately when the machine is being reclaimed now or the attempt was given up", () => {
		expect(planStop(at, { cause: "notice", graceMs: 90_000, machineEndsAtMs: at - 5 }).killAtMs).toBe(at);
		expect(planStop(at, { cause: "over", graceMs: 90_000, machineEndsAtMs: null })).toEqual({
			cause: "over",
			killAtMs: at,
			giveUpAtMs: at,
		});
	});
});

const order: fc.Arbitrary<StopOrder> = fc.record({
	cause: fc.constantFrom("ordered", "notice", "expired", "over"),
	graceMs: fc.integer({ min: 0, max: 600_000 }),
	machineEndsAtMs: fc.option(fc.integer({ min: at - 1_000, max: at + 600_000 })),
});

describe("tighten", () => {
	it("never delays an end, whatever is requested in whatever order", () => {
		fc.assert(
			fc.property(fc.array(order, { minLength: 1, maxLength: 6 }), (orders) => {
				const plans = orders.map((o) => planStop(at, o));
				const all = plans.reduce(tighten);
				for (const plan of plans) {
					expect(all.killAtMs).toBeLessThanOrEqual(plan.killAtMs);
					if (plan.giveUpAtMs !== null) expect(all.giveUpAtMs).toBeLessThanOrEqual(plan.giveUpAtMs);
				}
				expect(all.cause).toBe(orders.some((o) => o.cause === "over") ? "over" : orders[0]?.cause);
			}),
		);
	});
});

describe("Lifecycle", () => {
	it("can reach its end from every phase, and cannot leave it", () => {
		for (const phase of AGENT_PHASES) expect(phase === "off" || AGENT_TRANSITIONS[phase].includes("off")).toBe(true);
		expect(AGENT_TRANSITIONS.off).toEqual([]);
	});

	it("rejects a transition that is not in its table", () => {
		const lifecycle = new Lifecycle({ nowMs: () => at, log: () => {} });
		expect(() => lifecycle.move("running")).toThrow(/enrolling to running/);
	});

	it("requests a stop once, and gives up immediately when the attempt is over", () => {
		const lifecycle = new Lifecycle({ nowMs: () => at, log: () => {} });
		lifecycle.requestStop({ cause: "ordered", graceMs: 5_000, machineEndsAtMs: null });
		lifecycle.requestStop({ cause: "ordered", graceMs: 90_000, machineEndsAtMs: null });
		expect(lifecycle.plan?.killAtMs).toBe(at + 5_000);
		expect([lifecycle.stopSignal.aborted, lifecycle.giveUpSignal.aborted]).toEqual([true, false]);
		lifecycle.requestStop({ cause: "over", graceMs: 0, machineEndsAtMs: null });
		expect(lifecycle.giveUpSignal.aborted).toBe(true);
	});
});
