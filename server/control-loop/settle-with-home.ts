import type { AdoptionState } from "#server/domain/states.ts";
import type { Action, Plan } from "#server/scheduling/types.ts";
import { advanceAdoption, returnAdoptionAt } from "#server/services/adoption/advance.ts";
import type { LoopContext } from "./context.ts";

/** Since when each plan in a row has found room at home for a job that is held there, by adoption, ms. Losing it costs one wait. */
export type HomeFrees = Map<string, number>;

interface Adopted {
	id: string;
	jobId: string;
	siteId: string;
	state: AdoptionState;
}

/** Room that one plan does not find any more was none. */
export function forgetUnless(homeFrees: HomeFrees, plan: Pick<Plan, "actions">, adopted: ReadonlyMap<string, Adopted>): void {
	if (homeFrees.size === 0) return;
	const found = new Set(plan.actions.flatMap(({ kind, jobId }) => (kind === "place_home" ? [adopted.get(jobId)?.id] : [])));
	for (const id of homeFrees.keys()) if (!found.has(id)) homeFrees.delete(id);
}

/**
 * A job of a cluster's own queue is that cluster's to start: at home nothing is placed for it, and before anything is launched for
 * it home is asked to keep it. A held one goes back only when home has had room for it for `homeSettleMs`: its nodes are read
 * less often than its queue, and room that others have taken already would be seen until then. Answers whether nothing else is to be done.
 */
export async function settleWithHome(
	ctx: LoopContext,
	action: Action,
	{ id, jobId, state }: Adopted,
	homeFrees: HomeFrees,
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
			const sinceMs = homeFrees.get(id) ?? nowMs;
			homeFrees.set(id, sinceMs);
			if (nowMs - sinceMs < ctx.timing.homeSettleMs) return true;
			homeFrees.delete(id);
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
