import { absolute, divideRounded } from "./decimal.ts";

/** As in the table reconciliation (server/db/schema/bill.ts). */
export type ReconciliationState = "matched" | "not_billed" | "billed_unknown" | "price_variance" | "time_variance";

/** The four amounts of a charge and a bill line, in any unit. */
export interface Money {
	list: bigint;
	contracted: bigint;
	effective: bigint;
	billed: bigint;
}

export const NO_MONEY: Money = { list: 0n, contracted: 0n, effective: 0n, billed: 0n };

/** All lines of a month for one resource. Money in micro-dollars. */
export interface BilledResource {
	money: Money;
	lines: number;
	/** Total time of the lines with a time as quantity; null if there are none. */
	ms: bigint | null;
	/** Money of the lines with another quantity: disks and traffic billed under the machine's id. */
	otherMicroUsd: bigint;
	/** Whether some line is for storage by the month. Bills list disks under their own ids, so only those with our tag are seen. */
	disks: boolean;
}

/** Ledger data for one instance in the billed period. */
export interface ChargedInstance {
	/** As metered, before corrections by bills. */
	metered: Money;
	/** The part for disks. */
	disks: Money;
	charges: number;
	ms: bigint;
	/** Amounts posted by earlier reconciliations. */
	postedPrice: Money;
	postedTime: Money;
}

export interface Reconciled {
	state: ReconciliationState;
	/** To be posted now, so that metered + posted equals the billed amount; zeros if it already does. */
	price: Money;
	time: Money;
	/** Total of all corrections after that. */
	adjusted: Money;
	facts: Record<string, string | number | null>;
}

/** One second, the billing granularity of machines. */
const TIME_TOLERANCE_MS = 1_000n;

/**
 * Compares the billed with the metered amounts of an instance. The time difference is valued at the metered price; the
 * rest is a price difference. Differences explained by rounding, at most one micro-dollar per line and charge, are
 * ignored. Disks missing from the bill of a machine keep their estimates, because their lines may lack our tag.
 * `billed` null: not on the bill; corrected only once the bill is final.
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

/** The metered amounts that are comparable with these lines. */
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

/** The amount still to post is the target less what was posted. */
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
