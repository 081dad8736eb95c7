import type { Observed } from "./observed.ts";
import type { Promised } from "./promise.ts";

/** A slot belongs to its pool and is held by one attempt at a time, over all of history. */
export function slots(): Promised {
	const after = ({ allocations, pools }: Observed): string | null => {
		const heldUntil = new Map<string, { ms: number; by: string }>();
		for (const { attemptId, poolId, slots: held, startedAt, endedAt } of allocations) {
			const pool = pools.find((p) => p.id === poolId);
			const size = pool ? pool.nodes * pool.gpusPerNode : 0;
			if (endedAt && endedAt < startedAt) return `the allocation of ${attemptId} ends before it begins`;
			for (const slot of held) {
				if (slot < 0 || slot >= size) return `attempt ${attemptId} holds slot ${slot} of pool ${poolId}, which has ${size}`;
				const last = heldUntil.get(`${poolId}/${slot}`);
				if (last && startedAt.getTime() < last.ms) return `slot ${slot} of pool ${poolId} is held by ${last.by} and ${attemptId}`;
				heldUntil.set(`${poolId}/${slot}`, { ms: endedAt?.getTime() ?? Number.POSITIVE_INFINITY, by: attemptId });
			}
		}
		return null;
	};
	return { name: "slots", after, atEnd: after };
}
