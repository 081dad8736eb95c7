import { judgeJob } from "#server/policy/judge-job.ts";
import type { Observed } from "./observed.ts";
import type { Promised } from "./promise.ts";

/** Never more machines, nor a higher rate, than a cap allows, counting every instance that is not terminated. */
export function caps(): Promised {
	const after = ({ policy, jobs, instances }: Observed): string | null => {
		const specs = new Map(jobs.map(({ id, spec }) => [id, spec]));
		for (const cap of policy.caps) {
			const under = instances.filter(({ jobId, warmFor, state }) => {
				const spec = specs.get(jobId ?? warmFor ?? "");
				return state !== "terminated" && spec && judgeJob(policy, spec).caps.some((c) => c.id === cap.id);
			});
			const rate = under.reduce((sum, row) => sum + row.microUsdPerHour, 0n);
			if (cap.kind === "instances" && under.length > cap.count) return `${under.length} instances under cap ${cap.id} of ${cap.count}`;
			if (cap.kind === "burn_rate" && rate > cap.microUsdPerHour) return `${rate} µ$ an hour under cap ${cap.id} of ${cap.microUsdPerHour}`;
		}
		return null;
	};
	return { name: "caps", after, atEnd: after };
}
