import { MACHINES } from "#server/domain/states.ts";
import type { Checker, Observed } from "./checker.ts";

type MachineName = keyof typeof MACHINES;

/** States move along the written tables alone, and never without a trace. */
export function transitionsChecker(): Checker {
	const known = new Map<string, { machine: MachineName; state: string }>();
	const compare = (machine: MachineName, id: string, state: string): string | null => {
		const before = known.get(id);
		return before?.state === state ? null : `${machine} ${id} is ${state}, and no move led there from ${before?.state ?? "nothing"}`;
	};
	return {
		name: "transitions",
		after: ({ world }) => {
			for (const { machine, id, from, to } of world.book.moves) {
				const before = known.get(id)?.state ?? null;
				if (before !== from) return `${machine} ${id} moved from ${from} to ${to}, but it was ${before}`;
				if (from !== null && !arrowsOf(machine, from).includes(to))
					return `${machine} ${id} moved from ${from} to ${to}, which no arrow allows`;
				known.set(id, { machine, state: to });
			}
			for (const [machine, rows] of liveOf(world)) {
				for (const row of rows) {
					const broken = compare(machine, row.id, row.state);
					if (broken) return broken;
				}
			}
			return null;
		},
		atEnd: ({ world }) => {
			const { jobs, attempts, instances } = world.book;
			for (const [machine, rows] of [
				["job", jobs],
				["attempt", attempts],
				["instance", instances],
			] as const) {
				for (const row of rows.values()) {
					const broken = compare(machine, row.id, row.state);
					if (broken) return broken;
				}
			}
			return null;
		},
	};
}

function arrowsOf(machine: MachineName, from: string): readonly string[] {
	const table: Readonly<Record<string, readonly string[]>> = MACHINES[machine];
	return table[from] ?? [];
}

function liveOf(world: Observed["world"]): [MachineName, Iterable<{ id: string; state: string }>][] {
	const { pending, liveAttempts, liveInstances } = world.book;
	return [
		["job", pending],
		["attempt", liveAttempts],
		["instance", liveInstances],
	];
}
