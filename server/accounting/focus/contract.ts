import { amortizedUntil, type Commitment } from "../commitment.ts";
import { csvRecord } from "./csv.ts";
import { decimalText } from "./decimal.ts";
import { commitmentType } from "./fixed-cells.ts";
import { hoursText } from "./price.ts";

/** The columns of FOCUS's Contract Commitment dataset as of 1.3, all mandatory. */
export const CONTRACT_COLUMNS = [
	"BillingCurrency",
	"ContractCommitmentCategory",
	"ContractCommitmentCost",
	"ContractCommitmentDescription",
	"ContractCommitmentId",
	"ContractCommitmentPeriodEnd",
	"ContractCommitmentPeriodStart",
	"ContractCommitmentQuantity",
	"ContractCommitmentType",
	"ContractCommitmentUnit",
	"ContractId",
	"ContractPeriodEnd",
	"ContractPeriodStart",
] as const;

/**
 * A reservation or commitment as a CSV record: its total cost, and the machine hours it pays for. Its contract has no
 * other terms.
 */
export function contractRecord(commitment: Commitment): string {
	const { id, fromMs, toMs, instances, instanceType, region, siteId } = commitment;
	const time = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
	const hours = hoursText(BigInt(instances) * BigInt(toMs - fromMs));
	const cells: Record<(typeof CONTRACT_COLUMNS)[number], string> = {
		BillingCurrency: "USD",
		ContractCommitmentCategory: "Usage",
		ContractCommitmentCost: decimalText(amortizedUntil(commitment, toMs), 6),
		ContractCommitmentDescription: `${instances} x ${instanceType} at ${siteId}, ${region ?? "all regions"}`,
		ContractCommitmentId: id,
		ContractCommitmentPeriodEnd: time(toMs),
		ContractCommitmentPeriodStart: time(fromMs),
		ContractCommitmentQuantity: hours,
		ContractCommitmentType: commitmentType(commitment),
		ContractCommitmentUnit: "Hours",
		ContractId: id,
		ContractPeriodEnd: time(toMs),
		ContractPeriodStart: time(fromMs),
	};
	return csvRecord(CONTRACT_COLUMNS.map((column) => cells[column]));
}
