import { formatMoney } from "#components/money/format-money.ts";
import { drillHref, narrowed } from "#components/spend/drill.ts";
import type { SpendView } from "#components/spend/view.ts";
import { addDays, monthStart } from "#components/spend/zone-days.ts";
import { formatSpan } from "#components/time/format-time.ts";
import { formatCount } from "#components/ui/format-number.ts";
import type { ChargeCorrection } from "#server/domain/charge.ts";
import type { PostedByBills, ReconciledResource, ReconciliationRun, ReconciliationState } from "./params.ts";

export const STATE_WORD: Record<ReconciliationState, string> = {
	matched: "Matched",
	price_variance: "Another price",
	time_variance: "Another time",
	billed_unknown: "Billed, not known",
	not_billed: "Not billed",
};

const POSTED_BY_BILLS: ChargeCorrection[] = ["bill_price", "bill_time"];
const CORRECTIONS: ChargeCorrection[] = [...POSTED_BY_BILLS, "bill_unknown"];

/** Why the two sides differ, in a sentence, from the facts that the reconciliation kept. */
export function whyOf({ state, facts }: Pick<ReconciledResource, "state" | "facts">): string {
	const lines = Number(facts["lines"] ?? 0);
	const many = `${formatCount(lines)} ${lines === 1 ? "line" : "lines"}`;
	const disks = BigInt(facts["disksNotOnBillMicroUsd"] ?? 0);
	const left = disks === 0n ? "" : `; its disk, ${formatMoney(disks, "posted")}, is not on the bill and stays an estimate`;
	switch (state) {
		case "matched":
			return `${many} ${lines === 1 ? "says" : "say"} the same${left}`;
		case "price_variance":
			return `${parts(facts)} in ${many}${left}`;
		case "time_variance":
			return `${span(facts["billedMs"])} billed, ${span(facts["meteredMs"])} metered: ${parts(facts)}${left}`;
		case "billed_unknown":
			return `${many} with our tag ${facts["taggedInstanceId"] ?? ""}, and no such machine in the ledger`;
		case "not_billed":
			return facts["final"]
				? "No line has it, and the bill is final: taken back"
				: "No line has it so far; taken back once the bill is final";
	}
}

function parts(facts: ReconciledResource["facts"]): string {
	const [price, time] = [money(facts["priceMicroUsd"]), money(facts["timeMicroUsd"])];
	return [price !== null && `${price} by price`, time !== null && `${time} by time`].filter(Boolean).join(", ");
}

function money(fact: string | number | null | undefined): string | null {
	const value = BigInt(fact ?? 0);
	return value === 0n ? null : `${value > 0n ? "+" : ""}${formatMoney(value, "posted")}`;
}

const span = (ms: string | number | null | undefined) => (ms === null || ms === undefined ? "no time" : formatSpan(Number(ms), true));

/** Charges of a machine in the month of the bill, which is one of UTC whatever the ledger's calendar is; null of no machine. */
export function machineCharges(month: string, instanceId: string | null, posted = false): string | null {
	if (instanceId === null) return null;
	return drillHref(monthView(month), { bills: month, cause: instanceId, ...(posted ? { correction: POSTED_BY_BILLS } : {}) });
}

/** What one reconciliation posted of one kind: charges of the month's bills that came after the one before it. */
export function postedCharges(
	month: string,
	{ at, since }: Pick<ReconciliationRun, "at" | "since">,
	{ provider, what }: Pick<PostedByBills, "provider" | "what">,
): string | null {
	const filters = narrowed({}, { provider: [provider], kind: what === "corrections" ? ["adjustment"] : ["credit", "tax"] });
	if (filters === null) return null;
	const restricted = what === "corrections" ? { correction: CORRECTIONS } : {};
	return drillHref({ ...monthView(month), filters }, { bills: month, asOf: at, ...(since === null ? {} : { since }), ...restricted });
}

function monthView(month: string): SpendView {
	const from = `${month}-01`;
	const dates = { from, to: addDays(monthStart(from, 1), -1) };
	return { range: "month", dates, by: "team", bucket: null, filters: {}, zone: "UTC" };
}
