import { MINUTE_MS } from "#server/kernel/units.ts";
import type { Machine } from "../cloud.ts";
import type { Checker, Observed } from "./checker.ts";

/**
 * Past its end of life a machine may live for as long as its command saves and its provider takes to end it:
 * the worst slow termination that a run can draw, and a minute.
 */
const AFTER_LIFE_MS = 21 * MINUTE_MS;
/** Once healed: a sweep, a listing's lag, a retried call, a termination. */
const ORPHAN_MS_MAX = 30 * MINUTE_MS;

/** No machine outlives its dead man's switch, and once faults end none lives without a row. */
export function orphansChecker(): Checker {
	const since = new Map<Machine, number>();
	const after = ({ world }: Observed): string | null => {
		const nowMs = world.nowMs();
		for (const machine of world.cloud.alive) {
			if (nowMs > machine.expiresAtMs + AFTER_LIFE_MS)
				return `machine ${machine.id} lives ${nowMs - machine.expiresAtMs} ms past its end of life`;
			const row = world.book.instances.get(machine.token);
			const orphan = row === undefined || row.state === "terminated";
			if (!orphan) {
				since.delete(machine);
				continue;
			}
			const foundMs = since.get(machine) ?? nowMs;
			since.set(machine, foundMs);
			const aloneMs = nowMs - Math.max(foundMs, world.scenario.healAtMs);
			if (aloneMs > ORPHAN_MS_MAX) return `machine ${machine.id} (${machine.token}) is an orphan for ${aloneMs} ms since the last fault`;
		}
		return null;
	};
	return {
		name: "orphans",
		after,
		atEnd: ({ world }) => {
			for (const row of world.book.instances.values()) {
				if (row.state !== "terminated" || row.providerInstanceId === null) continue;
				const machine = world.cloud.machines.get(row.providerInstanceId);
				if (machine && machine.terminatedAtMs === null) return `instance ${row.id} is called terminated, and its machine lives`;
				if (machine && (row.terminatedAtMs ?? 0) < (machine.terminatedAtMs ?? 0))
					return `instance ${row.id} was called terminated before it was`;
			}
			return null;
		},
	};
}
