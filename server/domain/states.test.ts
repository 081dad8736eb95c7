import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	ATTEMPT_STATES,
	ATTEMPT_TRANSITIONS,
	canMove,
	INSTANCE_STATES,
	INSTANCE_TRANSITIONS,
	isFinal,
	JOB_STATES,
	JOB_TRANSITIONS,
	LIVE_ATTEMPT_STATES,
	LIVE_INSTANCE_STATES,
	LIVE_JOB_STATES,
	type TransitionTable,
} from "./states.ts";

interface Machine {
	states: readonly string[];
	table: TransitionTable<string>;
	live: readonly string[];
	first: readonly string[];
}
const MACHINES: [string, Machine][] = [
	["job", { states: JOB_STATES, table: JOB_TRANSITIONS, live: LIVE_JOB_STATES, first: ["queued", "held"] }],
	["attempt", { states: ATTEMPT_STATES, table: ATTEMPT_TRANSITIONS, live: LIVE_ATTEMPT_STATES, first: ["starting"] }],
	["instance", { states: INSTANCE_STATES, table: INSTANCE_TRANSITIONS, live: LIVE_INSTANCE_STATES, first: ["intended"] }],
];

function reachable(table: TransitionTable<string>, from: readonly string[]): Set<string> {
	const seen = new Set(from);
	for (const state of seen) for (const next of table[state] ?? []) seen.add(next);
	return seen;
}

describe.each(MACHINES)("the states of a %s", (_name, { states, table, live, first }) => {
	it("are exactly those of the table, and every arrow leads to another one of them", () => {
		expect(Object.keys(table).sort()).toEqual([...states].sort());
		for (const state of states) {
			for (const next of table[state] ?? []) expect(states).toContain(next);
			expect(table[state]).not.toContain(state);
			expect(new Set(table[state]).size).toBe(table[state]?.length);
		}
	});

	it("are live exactly when they have a way out", () => {
		expect(states.filter((s) => !isFinal(table, s)).sort()).toEqual([...live].sort());
	});

	it("can all be reached, and each can reach an end", () => {
		expect([...reachable(table, first)].sort()).toEqual([...states].sort());
		for (const state of live) expect([...reachable(table, [state])].some((s) => isFinal(table, s))).toBe(true);
	});

	it("never change after an end", () => {
		fc.assert(
			fc.property(fc.constantFrom(...first), fc.array(fc.constantFrom(...states), { maxLength: 20 }), (start, wishes) => {
				let state = start;
				let ended = false;
				for (const wish of wishes) {
					if (!canMove(table, state, wish)) continue;
					expect(ended).toBe(false);
					state = wish;
					ended = isFinal(table, state);
				}
			}),
		);
	});
});

describe("money at risk", () => {
	it("an instance that may exist ends only through terminating, or after the provider confirms its end", () => {
		expect(INSTANCE_TRANSITIONS.terminating).toEqual(["terminated"]);
		for (const state of ["provisioning", "ready", "draining"] as const)
			expect(canMove(INSTANCE_TRANSITIONS, state, "terminating")).toBe(true);
		for (const state of INSTANCE_STATES) expect(canMove(INSTANCE_TRANSITIONS, state, "intended")).toBe(false);
	});

	it("a waiting job cannot run or succeed without being placed", () => {
		for (const state of ["held", "queued"] as const) {
			expect(canMove(JOB_TRANSITIONS, state, "running")).toBe(false);
			expect(canMove(JOB_TRANSITIONS, state, "succeeded")).toBe(false);
		}
	});
});
