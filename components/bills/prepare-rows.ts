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
	price_variance: "Price differs",
	time_variance: "Duration differs",
	billed_unknown: "Billed, not in ledger",
	not_billed: "Not billed",
};

const POSTED_BY_BILLS: ChargeCorrection[] = ["bill_price", "bill_time"];
const CORRECTIONS: ChargeCorrection[] = [...POSTED_BY_BILLS, "bill_unknown"];

/** Explains a difference from the facts stored by the reconciliation. */
export function whyOf({ state, facts }: Pick<ReconciledResource, "state" | "facts">): string {
	const lines = Number(facts["lines"] ?? 0);
	const many = `${formatCount(lines)} ${lines === 1 ? "line" : "lines"}`;
	const disks = BigInt(facts["disksNotOnBillMicroUsd"] ?? 0);
	const left = disks === 0n ? "" : `; disk ${formatMoney(disks, "posted")} not billed, kept as an estimate`;
	switch (state) {
		case "matched":
			return `${many} ${lines === 1 ? "matches" : "match"}${left}`;
		case "price_variance":
			return `${parts(facts)} in ${many}${left}`;
		case "time_variance":
			return `${span(facts["billedMs"])} billed, ${span(facts["meteredMs"])} metered: ${parts(facts)}${left}`;
		case "billed_unknown":
			return `${many} tagged ${facts["taggedInstanceId"] ?? ""}; no such machine in the ledger`;
		case "not_billed":
			return facts["final"] ? "Not on the final bill: reversed" : "Not billed yet; reversed if missing from the final bill";
	}
}

function parts(facts: ReconciledResource["facts"]): string {
	const [price, time] = [money(facts["priceMicroUsd"]), money(facts["timeMicroUsd"])];
	return [price !== null && `${price} from price`, time !== null && `${time} from duration`].filter(Boolean).join(", ");
}

function money(fact: string | number | null | undefined): string | null {
	const value = BigInt(fact ?? 0);
	return value === 0n ? null : `${value > 0n ? "+" : ""}${formatMoney(value, "posted")}`;
}

const span = (ms: string | number | null | undefined) => (ms === null || ms === undefined ? "no time" : formatSpan(Number(ms), true));

/**
 * Link to a machine's charges in a billed month (UTC, whatever the ledger's time zone); null if there is no machine.
 */
export function machineCharges(month: string, instanceId: string | null, posted = false): string | null {
	if (instanceId === null) return null;
	return drillHref(monthView(month), { bills: month, cause: instanceId, ...(posted ? { correction: POSTED_BY_BILLS } : {}) });
}

/** Link to the charges that one reconciliation posted. */
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
