import { MINUTE_MS } from "#server/kernel/units.ts";
import type { Observed } from "./observed.ts";
import type { Promised } from "./promise.ts";

/** Time that a hold covers beyond the life of its instance (scheduling/limits, terminationMarginMs). */
const COVERED_MS = 5 * MINUTE_MS;

type Hold = Observed["holds"][number] & { row: Observed["instances"][number]; keys: string[] };

/**
 * No budget has more posted and held than its cap, holds and periods agree, and a closed hold was posted or voided. The only exception is
 * an instance that was seen to end later than its hold covers: its cost beyond the hold is real. That amount is counted, and nothing else
 * is allowed.
 */
export function budgets(): Promised {
	const after = (seen: Observed): string | null => {
		const holds = withInstances(seen);
		if (typeof holds === "string") return holds;
		for (const hold of holds) {
			const broken = holdsItsRules(hold, seen.nowMs);
			if (broken) return broken;
		}
		return comparePeriods(seen, holds);
	};
	return {
		name: "budgets",
		after,
		atEnd: (seen) => {
			const open = seen.holds.find((hold) => hold.state === "pending");
			if (open) return `the hold of ${open.instanceId} was never closed`;
			return after(seen) ?? postedIsCharged(seen);
		},
	};
}

function withInstances({ holds, holdBudgets, instances }: Observed): Hold[] | string {
	const rows = new Map(instances.map((row) => [row.id, row]));
	const joined: Hold[] = [];
	for (const hold of holds) {
		const row = rows.get(hold.instanceId);
		if (!row) return `the hold of ${hold.instanceId} has no instance`;
		const keys = holdBudgets.filter((b) => b.holdId === hold.id).map((b) => `${b.budgetId}/${b.periodKey}`);
		joined.push({ ...hold, row, keys });
	}
	const without = instances.find((row) => !holds.some((hold) => hold.instanceId === row.id));
	return without ? `instance ${without.id} has no hold` : joined;
}

function holdsItsRules({ row, warm, amountMicroUsd, postedMicroUsd, state }: Hold, nowMs: number): string | null {
	const over = postedMicroUsd - amountMicroUsd;
	const endsMs = (warm ? row.warmUntil : row.expiresAt)?.getTime() ?? 0;
	const isLate = (row.terminatedAt?.getTime() ?? nowMs) > endsMs + COVERED_MS;
	if (over > 0n && !isLate) return `instance ${row.id} cost ${over} µ$ more than was held, within its life`;
	if (state === "voided" && postedMicroUsd !== 0n) return `the hold of ${row.id} is voided, and ${postedMicroUsd} µ$ are posted`;
	if (state === "posted" && postedMicroUsd === 0n) return `the hold of ${row.id} is posted, and nothing is`;
	const isOver = row.state === "terminated" || (warm && row.assignedAt !== null);
	return state !== "pending" && !isOver ? `the hold of ${row.id} is ${state} while it is ${row.state}` : null;
}

function comparePeriods({ periods, policy }: Observed, holds: readonly Hold[]): string | null {
	const held = new Map<string, bigint>();
	const beyond = new Map<string, bigint>();
	const add = (to: Map<string, bigint>, key: string, amount: bigint) => to.set(key, (to.get(key) ?? 0n) + amount);
	for (const { keys, state, amountMicroUsd, postedMicroUsd } of holds) {
		const left = amountMicroUsd - postedMicroUsd;
		for (const key of keys) {
			if (state === "pending" && left > 0n) add(held, key, left);
			if (left < 0n) add(beyond, key, -left);
		}
	}
	for (const { budgetId, periodKey, heldMicroUsd, postedMicroUsd } of periods) {
		const key = `${budgetId}/${periodKey}`;
		const inHolds = held.get(key) ?? 0n;
		held.delete(key);
		if (heldMicroUsd !== inHolds) return `budget ${key} holds ${heldMicroUsd} µ$, its holds say ${inHolds}`;
		const cap = capOf(policy, budgetId);
		if (cap === undefined) continue;
		const used = postedMicroUsd + heldMicroUsd;
		if (used > cap + (beyond.get(key) ?? 0n)) return `budget ${key} has ${used} µ$ posted and held, its cap is ${cap}`;
	}
	const [missing] = held.keys();
	return missing === undefined ? null : `there are holds in ${missing}, which is no period`;
}

function capOf({ budgets, rules }: Observed["policy"], budgetId: string): bigint | undefined {
	const ruleId = /^prewarm:(.*)$/.exec(budgetId)?.[1];
	const effect = rules.find((rule) => rule.id === ruleId)?.effect;
	return effect?.kind === "prewarm" ? effect.capMicroUsdPerMonth : budgets.find((rule) => rule.id === budgetId)?.capMicroUsd;
}

/** The charges of instances, without a job and with one, equal the posted amounts of their holds. */
function postedIsCharged({ holds, charges }: Observed): string | null {
	const charged = new Map<string, bigint>();
	for (const { instanceId, jobId, effectiveMicroUsd } of charges) {
		const key = `${instanceId}/${jobId === null}`;
		if (instanceId !== null) charged.set(key, (charged.get(key) ?? 0n) + effectiveMicroUsd);
	}
	for (const { instanceId, warm, postedMicroUsd } of holds) {
		const sum = charged.get(`${instanceId}/${warm}`) ?? 0n;
		if (sum !== postedMicroUsd) return `instance ${instanceId} was charged ${sum} µ$, its hold says ${postedMicroUsd}`;
	}
	return null;
}
