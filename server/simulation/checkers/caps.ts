import { judgeJob } from "#server/policy/judge-job.ts";
import type { Checker, Observed } from "./checker.ts";

/** Never more instances, nor a higher rate, than a cap allows: counted over every instance that is not gone. */
export function capsChecker(): Checker {
	const after = ({ world }: Observed): string | null => {
		const { policy } = world.scenario;
		for (const cap of policy.caps) {
			let [instances, microUsdPerHour] = [0, 0n];
			for (const row of world.book.liveInstances) {
				const { spec } = world.book.jobOf(row);
				if (!judgeJob(policy, spec).caps.some((c) => c.id === cap.id)) continue;
				instances++;
				microUsdPerHour += row.microUsdPerHour;
			}
			if (cap.kind === "instances" && instances > cap.count) return `${instances} instances under cap ${cap.id} of ${cap.count}`;
			if (cap.kind === "burn_rate" && microUsdPerHour > cap.microUsdPerHour) {
				return `${microUsdPerHour} micro-dollars an hour under cap ${cap.id} of ${cap.microUsdPerHour}`;
			}
		}
		return null;
	};
	return { name: "caps", after, atEnd: after };
}
