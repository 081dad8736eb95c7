import type { Checker, Observed } from "./checker.ts";

/** A slot is a slot of its pool, and in the hands of one attempt at a time; by the end, over all of history. */
export function slotsChecker(): Checker {
	return {
		name: "slots",
		after: ({ world }) => {
			const holders = new Map<string, string>();
			for (const { poolId, slots, attemptId } of world.book.openAllocations.values()) {
				const size = sizeOf(world, poolId);
				for (const slot of slots) {
					if (slot < 0 || slot >= size) return `attempt ${attemptId} holds slot ${slot} of pool ${poolId}, which has ${size}`;
					const other = holders.get(`${poolId}/${slot}`);
					if (other) return `slot ${slot} of pool ${poolId} is held by ${other} and ${attemptId}`;
					holders.set(`${poolId}/${slot}`, attemptId);
				}
			}
			return null;
		},
		atEnd: ({ world }) => {
			const freeFrom = new Map<string, { ms: number; by: string }>();
			for (const a of world.book.allocations.toSorted((x, y) => x.startedAtMs - y.startedAtMs)) {
				if (a.endedAtMs !== null && a.endedAtMs < a.startedAtMs) return `allocation of ${a.attemptId} ends before it begins`;
				for (const slot of a.slots) {
					const last = freeFrom.get(`${a.poolId}/${slot}`);
					if (last && a.startedAtMs < last.ms) return `slot ${slot} was given to ${a.attemptId} while ${last.by} had it`;
					freeFrom.set(`${a.poolId}/${slot}`, { ms: a.endedAtMs ?? Number.POSITIVE_INFINITY, by: a.attemptId });
				}
			}
			return null;
		},
	};
}

function sizeOf(world: Observed["world"], poolId: string): number {
	const pool = world.scenario.pools.find((p) => p.id === poolId);
	return pool ? pool.nodes * pool.gpusPerNode : 0;
}
