import { MACHINES } from "#server/domain/states.ts";
import type { Observed, StateChange } from "./observed.ts";
import type { Promised } from "./promise.ts";

/** States change along the written tables alone, and each row is in the state that its last change led to. */
export function transitions(): Promised {
	const known = new Map<string, string>();
	const follow = ({ machine, id, from, to }: StateChange): string | null => {
		const before = known.get(id) ?? null;
		if (before !== from) return `${machine} ${id} moved from ${from} to ${to}, but it was ${before}`;
		if (from !== null && !arrowsOf(machine, from).includes(to))
			return `${machine} ${id} moved from ${from} to ${to}, which no arrow allows`;
		known.set(id, to);
		return null;
	};
	const compare = (seen: Observed): string | null => {
		for (const change of seen.changes) {
			const broken = follow(change);
			if (broken) return broken;
		}
		for (const { id, state } of [...seen.jobs, ...seen.attempts, ...seen.instances]) {
			if (known.get(id) !== state) return `${id} is ${state}, and no change led there from ${known.get(id) ?? "nothing"}`;
		}
		return null;
	};
	return { name: "transitions", after: compare, atEnd: compare };
}

function arrowsOf(machine: StateChange["machine"], from: string): readonly string[] {
	const table: Readonly<Record<string, readonly string[]>> = MACHINES[machine];
	return table[from] ?? [];
}
