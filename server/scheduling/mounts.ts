import type { JobSpec } from "#server/domain/job.ts";
import type { Removal } from "./removal.ts";
import type { Snapshot } from "./types.ts";

/** Why a site is excluded for a job that requests mounts: the first mount that the site lacks. */
export function mountRemovalOf({ mounts: names }: JobSpec, mounts: Snapshot["mounts"]): (siteId: string) => Removal | null {
	if (!names) return () => null;
	return (siteId) => {
		const known = mounts?.get(siteId) ?? [];
		const missing = names.find((name) => !known.includes(name));
		return missing === undefined ? null : { ruleId: null, why: "mount_missing", facts: { site: siteId, mount: missing } };
	};
}

/** Whether both list the same names for the same sites, in the same order. */
export function sameMounts(a: Snapshot["mounts"], b: Snapshot["mounts"]): boolean {
	if (a === b) return true;
	if (a === undefined || b === undefined || a.size !== b.size) return false;
	return [...a].every(([siteId, names]) => names.join() === b.get(siteId)?.join());
}
