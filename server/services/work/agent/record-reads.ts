import { and, eq, isNull } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { ReadVolume } from "#server/domain/capacity.ts";

/**
 * Records what a machine read from other clouds, once, for the meter to charge. `bytes` are those of each data set in the job's order. The
 * machine's row must be locked first.
 */
export async function recordReads(
	tx: Tx,
	{ instanceId, attemptId }: { instanceId: string; attemptId: string },
	bytes: readonly number[] | undefined,
	nowMs: number,
): Promise<void> {
	if (!bytes?.some((count) => count > 0)) return;
	const [found] = await tx
		.select({ placement: attempt.placement, spec: job.spec })
		.from(attempt)
		.innerJoin(job, eq(job.id, attempt.jobId))
		.where(eq(attempt.id, attemptId));
	const reads = found?.placement.reads ?? [];
	const volumes = reads.flatMap(({ uri, from, microUsd }): ReadVolume[] => {
		const count = bytes[found?.spec.data.findIndex((ref) => ref.uri === uri) ?? -1] ?? 0;
		return count > 0 ? [{ from, bytes: count, heldMicroUsd: microUsd }] : [];
	});
	if (volumes.length === 0) return;
	await tx
		.update(instance)
		.set({ dataReads: volumes, dataReadAt: new Date(nowMs) })
		.where(and(eq(instance.id, instanceId), isNull(instance.dataReadAt)));
}
