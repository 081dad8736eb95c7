import { chooseOffer } from "./choose-offer.ts";
import { cloudRunOf } from "./cost.ts";
import type { Cycle } from "./cycle.ts";
import type { Finding } from "./finding.ts";
import { homeStartAt } from "./home.ts";
import { placeOf } from "./kept-room.ts";
import type { QueuedJob } from "./order.ts";
import type { MoveTarget } from "./types.ts";
import { homeReason, launchReason } from "./why.ts";

/**
 * Places a job that stopped in order to move, before any other job can claim the room. Null when the move is no longer possible. Then it
 * waits like any other job.
 */
export function findMoving(cycle: Cycle, queued: QueuedJob): Finding | null {
	const to = queued.job.movingTo ?? null;
	if (to === null) return null;
	return to.kind === "home" ? moveHome(cycle, queued, to) : moveToOffer(cycle, queued, to);
}

function moveHome(cycle: Cycle, queued: QueuedJob, to: Extract<MoveTarget, { kind: "home" }>): Finding | null {
	const { core, snapshot } = cycle;
	const { job } = queued;
	const shape = core.shapeOf(job.spec);
	const pool = shape.home.find(({ view }) => view.id === to.poolId);
	const place = pool && placeOf(pool, to.slots, job.spec);
	if (!pool || !place?.slots.every((slot) => pool.isFree(slot))) return null;
	pool.takeSlots(place.slots);
	const home = { ...homeStartAt(pool, place.nodes, snapshot.nowMs), now: true, slots: place.slots };
	const base = {
		queued,
		shape,
		run: cloudRunOf(queued, shape.verdict, snapshot),
		due: null,
		choice: null,
		putOffUntilMs: null,
		waitsOn: false,
	};
	return { ...base, start: home, eviction: null, outcome: "place_home", reason: homeReason(home, job.spec) };
}

/** Prices, caps and back-off are checked again, because the hold was the worst case at that time. */
function moveToOffer(cycle: Cycle, queued: QueuedJob, to: Extract<MoveTarget, { kind: "cloud" }>): Finding | null {
	const { core, snapshot, budgets } = cycle;
	const { job } = queued;
	const shape = core.shapeOf(job.spec);
	const only = shape.offers().eligible.filter((row) => row.offer.id === to.offerId);
	if (only.length === 0) return null;
	const run = { ...cloudRunOf(queued, shape.verdict, snapshot, core.runTimeOf(job.spec)), mayWait: false };
	const there = { ...shape, offers: () => ({ ...shape.offers(), eligible: only, usable: only, byPrice: () => only }) };
	const choice = chooseOffer(there, job, run, budgets, core.askApproval, snapshot.nowMs);
	if (choice.kind !== "chosen") return null;
	const base = { queued, shape, run, start: null, due: null, choice, putOffUntilMs: null, eviction: null, waitsOn: false };
	return { ...base, outcome: "launch", reason: launchReason(choice, run, null, null) };
}
