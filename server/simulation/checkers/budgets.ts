import { MINUTE_MS } from "#server/kernel/units.ts";
import type { Checker, Observed } from "./checker.ts";

/** What a hold covers beside the life of its instance (scheduling/limits, terminationMarginMs). */
const COVERED_MS = 5 * MINUTE_MS;

/**
 * No budget has more posted and held than its cap, holds and periods say the same, and a closed hold was posted or
 * voided. The one excuse for more is an instance that was seen gone later than its hold covers: its provider or the
 * control plane was late, and what it cost beyond the hold is real money; it is counted and nothing else is let through.
 */
export function budgetsChecker(): Checker {
	const check = ({ world }: Observed): string | null => {
		const held = new Map<string, bigint>();
		const beyond = new Map<string, bigint>();
		for (const hold of world.book.holds.values()) {
			const over = hold.postedMicroUsd - hold.amountMicroUsd;
			const row = world.book.instances.get(hold.instanceId);
			if (!row) return `the hold of ${hold.instanceId} has no instance`;
			const seenMs = row.terminatedAtMs ?? world.nowMs();
			const late = seenMs > row.expiresAtMs + COVERED_MS;
			if (over > 0n && !late) return `instance ${row.id} cost ${over} µ$ more than was held, within its life`;
			if (hold.state === "voided" && hold.postedMicroUsd !== 0n)
				return `the hold of ${row.id} is voided, and ${hold.postedMicroUsd} µ$ are posted`;
			if (hold.state === "posted" && hold.postedMicroUsd === 0n) return `the hold of ${row.id} is posted, and nothing is`;
			if (hold.state !== "pending" && row.state !== "terminated") return `the hold of ${row.id} is ${hold.state} while it is ${row.state}`;
			for (const { budgetId } of hold.budgets) {
				if (hold.state === "pending" && over < 0n) held.set(budgetId, (held.get(budgetId) ?? 0n) - over);
				if (over > 0n) beyond.set(budgetId, (beyond.get(budgetId) ?? 0n) + over);
			}
		}
		return compare(world, held, beyond);
	};
	return {
		name: "budgets",
		after: check,
		atEnd: (seen) => {
			for (const hold of seen.world.book.holds.values())
				if (hold.state === "pending") return `the hold of ${hold.instanceId} was never closed`;
			return check(seen) ?? postedIsCharged(seen);
		},
	};
}

function compare(world: Observed["world"], held: ReadonlyMap<string, bigint>, beyond: ReadonlyMap<string, bigint>): string | null {
	const heldInPeriods = new Map<string, bigint>();
	const most = new Map<string, bigint>();
	for (const period of world.budgets.periods.values()) {
		if (period.heldMicroUsd < 0n) return `budget ${period.budgetId} holds ${period.heldMicroUsd} µ$ in ${period.periodKey}`;
		heldInPeriods.set(period.budgetId, (heldInPeriods.get(period.budgetId) ?? 0n) + period.heldMicroUsd);
		const highest = most.get(period.budgetId) ?? 0n;
		most.set(period.budgetId, period.postedMicroUsd > highest ? period.postedMicroUsd : highest);
	}
	for (const rule of world.scenario.policy.budgets) {
		const inPeriods = heldInPeriods.get(rule.id) ?? 0n;
		const inHolds = held.get(rule.id) ?? 0n;
		if (inPeriods !== inHolds) return `budget ${rule.id} says ${inPeriods} µ$ are held, its holds say ${inHolds}`;
		const allowed = rule.capMicroUsd + (beyond.get(rule.id) ?? 0n);
		const now = currentPosted(world, rule.id) + inHolds;
		if (now > allowed) return `budget ${rule.id} has ${now} µ$ posted and held, its cap is ${rule.capMicroUsd}`;
		if ((most.get(rule.id) ?? 0n) > allowed)
			return `budget ${rule.id} has ${most.get(rule.id)} µ$ posted in a period, its cap is ${rule.capMicroUsd}`;
	}
	return null;
}

/** Months alone are drawn; the key of the newest month is that of now. */
function currentPosted(world: Observed["world"], budgetId: string): bigint {
	const key = `${new Date(world.nowMs()).toISOString().slice(0, 7)}-01`;
	return world.budgets.periods.get(`${budgetId}/${key}`)?.postedMicroUsd ?? 0n;
}

/** What instances were charged is what their holds say was posted. */
function postedIsCharged({ world, charges }: Observed): string | null {
	const charged = new Map<string, bigint>();
	for (const c of charges) if (c.instanceId !== null) charged.set(c.instanceId, (charged.get(c.instanceId) ?? 0n) + c.effectiveMicroUsd);
	for (const hold of world.book.holds.values()) {
		const sum = charged.get(hold.instanceId) ?? 0n;
		if (sum !== hold.postedMicroUsd) return `instance ${hold.instanceId} was charged ${sum} µ$, its hold says ${hold.postedMicroUsd}`;
	}
	return null;
}
