import { MINUTE_MS } from "#server/kernel/units.ts";
import type { Observed } from "./observed.ts";
import type { Promised } from "./promise.ts";

/** How long a machine may outlive its end of life: a stop with its grace period, repeated calls and a slow termination. */
const AFTER_LIFE_MS = 10 * MINUTE_MS;
/** Once faults have ended: a sweep, a listing's lag, a repeated call, a termination. */
const ORPHAN_MS_MAX = 5 * MINUTE_MS;

/** No machine outlives its end of life, and once faults have ended none lives without a row. */
export function orphans(): Promised {
	const since = new Map<string, number>();
	const after = ({ nowMs, healedAtMs, machines, instances }: Observed): string | null => {
		if (healedAtMs === null) return null;
		const rows = new Map(instances.map((row) => [row.id, row]));
		for (const { id, instanceId } of machines.filter((m) => m.alive)) {
			const row = rows.get(instanceId ?? "");
			const lateMs = row ? nowMs - Math.max(row.expiresAt.getTime(), healedAtMs) : 0;
			if (lateMs > AFTER_LIFE_MS) return `machine ${id} lives ${lateMs} ms past its end of life`;
			if (row && row.state !== "terminated") {
				since.delete(id);
				continue;
			}
			const foundMs = since.get(id) ?? nowMs;
			since.set(id, foundMs);
			if (nowMs - foundMs > ORPHAN_MS_MAX) return `machine ${id} (${instanceId}) has been an orphan for ${nowMs - foundMs} ms`;
		}
		return null;
	};
	return {
		name: "orphans",
		after,
		atEnd: ({ machines, instances }) => {
			const alive = machines.find((m) => m.alive);
			if (!alive) return null;
			const row = instances.find((i) => i.id === alive.instanceId);
			return `machine ${alive.id} of ${alive.instanceId} lives, and its row is ${row?.state ?? "missing"}`;
		},
	};
}
