import type { Observed } from "./observed.ts";
import type { Promised } from "./promise.ts";

/** Never more machines without a job than their rule allows, and each gets at most one job. */
export function prewarm(): Promised {
	const jobOf = new Map<string, string>();
	const after = ({ policy, instances }: Observed): string | null => {
		for (const { id, effect } of policy.rules) {
			if (effect.kind !== "prewarm") continue;
			const kept = instances.filter((row) => row.warmRule === id && row.attemptId === null && row.state !== "terminated");
			if (kept.length > effect.machines) return `rule ${id} keeps ${kept.length} machines of ${effect.machines}`;
		}
		for (const { id, attemptId } of instances) {
			if (attemptId === null) continue;
			const before = jobOf.get(id) ?? attemptId;
			if (before !== attemptId) return `machine ${id} went from ${before} to ${attemptId}`;
			jobOf.set(id, attemptId);
		}
		return null;
	};
	return { name: "prewarm", after, atEnd: after };
}
