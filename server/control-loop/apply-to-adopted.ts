import type { AdoptionState } from "#server/domain/states.ts";
import type { Action, Plan } from "#server/scheduling/types.ts";
import { advanceAdoption, returnAdoptionAt } from "#server/services/work/adoption/advance.ts";
import type { LoopContext } from "./context.ts";

/** By adoption: since when every plan has found room at home for its held job, ms. Losing this costs one more wait. */
export type HomeRoomSince = Map<string, number>;

interface Adopted {
	id: string;
	jobId: string;
	siteId: string;
	state: AdoptionState;
}

/** Restarts the wait of adoptions for which this plan found no room at home. */
export function clearLostRoom(homeRoomSince: HomeRoomSince, plan: Pick<Plan, "actions">, adopted: ReadonlyMap<string, Adopted>): void {
	if (homeRoomSince.size === 0) return;
	const found = new Set(plan.actions.flatMap(({ kind, jobId }) => (kind === "place_home" ? [adopted.get(jobId)?.id] : [])));
	for (const id of homeRoomSince.keys()) if (!found.has(id)) homeRoomSince.delete(id);
}

/**
 * Applies an action to a job of a cluster's own queue. Only that cluster starts the job at home, and a launch first holds
 * the job there. A held job returns once home has had room for `homeSettleMs`: nodes are read less often than the queue,
 * so earlier the room may already be taken. Returns whether the action is done.
 */
export async function applyToAdopted(
	ctx: LoopContext,
	action: Action,
	{ id, jobId, state }: Adopted,
	homeRoomSince: HomeRoomSince,
): Promise<boolean> {
	const nowMs = ctx.clock.nowMs();
	switch (action.kind) {
		case "launch": {
			if (state === "held") return false;
			if (state !== "offered") return true;
			await ctx.db.transaction((tx) => advanceAdoption(tx, { id, jobId, from: ["offered"], to: "holding", nowMs }));
			ctx.probe("adopt:hold_intended");
			return true;
		}
		case "place_home": {
			if (state !== "held") return true;
			const sinceMs = homeRoomSince.get(id) ?? nowMs;
			homeRoomSince.set(id, sinceMs);
			if (nowMs - sinceMs < ctx.timing.homeSettleMs) return true;
			homeRoomSince.delete(id);
			const back = { from: ["held"], to: "returning", why: "home_frees", endsJob: true } as const;
			await ctx.db.transaction((tx) => advanceAdoption(tx, { id, jobId, ...back, nowMs }));
			ctx.probe("adopt:return_intended");
			return true;
		}
		case "move": {
			if (action.to.kind !== "home") return false;
			if (state !== "held") return true;
			await ctx.db.transaction((tx) => returnAdoptionAt(tx, { id, atMs: action.atMs, reason: action.reason, nowMs }));
			ctx.probe("adopt:return_planned");
			return true;
		}
		case "hold":
		case "release":
		case "fail":
		case "stop":
		case "evict":
			return false;
	}
}
