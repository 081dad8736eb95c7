import { absolute, divideRounded } from "./decimal.ts";

/** As the table reconciliation has them (server/db/schema/bill.ts). */
export type ReconciliationState = "matched" | "not_billed" | "billed_unknown" | "price_variance" | "time_variance";

/** The four amounts of a charge and of a line, in whatever unit. */
export interface Money {
	list: bigint;
	contracted: bigint;
	effective: bigint;
	billed: bigint;
}

export const NO_MONEY: Money = { list: 0n, contracted: 0n, effective: 0n, billed: 0n };

/** All lines of a month about one resource. Money in micro-dollars. */
export interface BilledResource {
	money: Money;
	lines: number;
	/** Time by lines with a time as quantity; null when there is none. */
	ms: bigint | null;
	/** Money of the lines with another quantity: disks and traffic under the machine's id. */
	otherMicroUsd: bigint;
	/** Some line is of space for a month. Bills have disks under their own ids: only those that carry our tag are seen. */
	disks: boolean;
}

/** What the ledger has of one instance in the time that the bill is of. */
export interface ChargedInstance {
	/** As metered, before any bill corrected it. */
	metered: Money;
	/** The part of it that is disks. */
	disks: Money;
	charges: number;
	ms: bigint;
	/** What earlier reconciliations posted. */
	postedPrice: Money;
	postedTime: Money;
}

export interface Reconciled {
	state: ReconciliationState;
	/** To be posted now, so that metered + posted is what was billed; zeros when it is so already. */
	price: Money;
	time: Money;
	/** All corrections together after that. */
	adjusted: Money;
	facts: Record<string, string | number | null>;
}

/** A clock's second: machines are billed by it. */
const TIME_TOLERANCE_MS = 1_000n;

/**
 * Holds what was billed for an instance against what was metered. The difference in time is what the other time would
 * have cost at the metered price; what is left is a difference in price. Differences that rounding explains, at most one
 * micro-dollar for each line and each charge, are none.
 * Disks that the bill does not have beside a machine are left as they were estimated: their lines may be there without our tag.
 * `billed` null: the bill does not have it; it is corrected only where the bill is final.
 */
export function reconcileInstance(billed: BilledResource | null, charged: ChargedInstance, options: { final: boolean }): Reconciled {
	const metered = comparable(billed, charged);
	const posted = add(charged.postedPrice, charged.postedTime, 1n);
	if (billed === null) {
		const time = options.final ? add(NO_MONEY, metered, -1n) : NO_MONEY;
		return settle("not_billed", NO_MONEY, time, charged, { meteredMs: Number(charged.ms), final: options.final ? 1 : 0 });
	}
	const allowance = BigInt(billed.lines + charged.charges);
	const delta = add(billed.money, metered, -1n);
	const facts = {
		lines: billed.lines,
		billedMs: billed.ms === null ? null : Number(billed.ms),
		meteredMs: Number(charged.ms),
		otherMicroUsd: billed.otherMicroUsd.toString(),
		beforeMicroUsd: posted.effective.toString(),
		...(metered === charged.metered ? {} : { disksNotOnBillMicroUsd: charged.disks.effective.toString() }),
	};
	if (absolute(delta.effective) <= allowance && absolute(delta.billed) <= allowance) {
		return settle("matched", NO_MONEY, NO_MONEY, charged, { ...facts, roundingMicroUsd: delta.effective.toString() });
	}
	const msBeyond = billed.ms === null ? 0n : billed.ms - charged.ms;
	const time = timePart(metered, charged.ms, delta, msBeyond);
	const price = add(delta, time, -1n);
	const byTime = absolute(time.effective) + absolute(time.billed) > absolute(price.effective) + absolute(price.billed);
	return settle(byTime ? "time_variance" : "price_variance", price, time, charged, {
		...facts,
		timeMicroUsd: time.effective.toString(),
		priceMicroUsd: price.effective.toString(),
	});
}

/** What of the metered can be held against these lines. */
export function comparable(
	billed: Pick<BilledResource, "disks"> | null,
	{ metered, disks }: Pick<ChargedInstance, "metered" | "disks">,
): Money {
	return billed === null || billed.disks || isZero(disks) ? metered : add(metered, disks, -1n);
}

function timePart(metered: Money, meteredMs: bigint, delta: Money, msBeyond: bigint): Money {
	if (absolute(msBeyond) <= TIME_TOLERANCE_MS) return NO_MONEY;
	if (meteredMs <= 0n) return delta;
	return map(metered, (amount) => divideRounded(amount * msBeyond, meteredMs));
}

/** What is still to be posted is what should be posted less what was. */
function settle(state: ReconciliationState, price: Money, time: Money, charged: ChargedInstance, facts: Reconciled["facts"]): Reconciled {
	return {
		state,
		price: add(price, charged.postedPrice, -1n),
		time: add(time, charged.postedTime, -1n),
		adjusted: add(price, time, 1n),
		facts,
	};
}

/** a + factor × b. */
export function add(a: Money, b: Money, factor: bigint): Money {
	return {
		list: a.list + factor * b.list,
		contracted: a.contracted + factor * b.contracted,
		effective: a.effective + factor * b.effective,
		billed: a.billed + factor * b.billed,
	};
}

export function map(money: Money, change: (amount: bigint) => bigint): Money {
	return {
		list: change(money.list),
		contracted: change(money.contracted),
		effective: change(money.effective),
		billed: change(money.billed),
	};
}

export function isZero(money: Money): boolean {
	return money.list === 0n && money.contracted === 0n && money.effective === 0n && money.billed === 0n;
}
