import { BUDGET_PERIODS, type BudgetRule, CAP_REACTIONS, type Policy } from "#server/domain/policy.ts";
import type { Field, PolicyReader } from "./policy-reader.ts";

/** One entry of `spec.budgets`; null when it has an error, which is reported. */
export function readBudget(reader: PolicyReader, at: Field): { budget: BudgetRule; idOffset: number } | null {
	const fields = reader.fields(at, ["id", "scope", "period", "capUsd", "atCap", "burnRateUsdPerHour", "egressGiB"]);
	if (!fields) return null;
	const idField = reader.required(at, fields, "id", "Give the budget a name, for example id: cloud-month.");
	const id = idField && reader.name(idField, "cloud-month");
	const scopeField = fields.get("scope");
	const scope = scopeField ? reader.condition(scopeField, "job") : "true";
	const burnRate = fields.get("burnRateUsdPerHour");
	if (burnRate) reader.notYet(burnRate, "nothing holds spending an hour to a cap.", "Write a capUsd for a month instead.");
	const egress = fields.get("egressGiB");
	if (egress)
		reader.notYet(
			egress,
			"nothing counts the data that leave a cloud against a cap; their price counts in capUsd.",
			"Write a capUsd for a month instead.",
		);
	const atCap = readAtCap(reader, fields.get("atCap"));
	// a budget of an unsupported kind has its one message; asking for capUsd besides would only confuse
	if (burnRate || egress) return null;
	const periodField = reader.required(at, fields, "period", `Write period: ${BUDGET_PERIODS.join(", ")}.`);
	const period = periodField && reader.oneOf(periodField, BUDGET_PERIODS);
	const capField = reader.required(at, fields, "capUsd", "Write for example capUsd: 50000.");
	const capMicroUsd = capField && reader.microUsd(capField);
	if (id === null || scope === null || period === null || capMicroUsd === null || atCap === null) return null;
	return { budget: { id, scope, period, capMicroUsd, atCap, line: reader.lineOf(at.offset) }, idOffset: idField?.offset ?? at.offset };
}

function readAtCap(reader: PolicyReader, at: Field | undefined): BudgetRule["atCap"] | null {
	if (!at) return "hold";
	const reaction = reader.oneOf(at, CAP_REACTIONS);
	if (reaction === null || reaction === "hold") return reaction;
	return reader.notYet(
		at,
		`at its cap a budget holds new jobs; ${reaction} does nothing.`,
		"Write atCap: hold. The worst case of each placement is set aside before it starts, so that a cap is never passed.",
	);
}

/** What an hour's delay and a tonne of CO2 count beside dollars; 0 when not given: then only the price decides. */
export function readWeights(reader: PolicyReader, at: Field | undefined): Policy["weights"] | null {
	if (!at) return { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n };
	const fields = reader.fields(at, ["delayUsdPerHour", "carbonUsdPerTonne"]);
	if (!fields) return null;
	const weight = (name: string) => {
		const field = fields.get(name);
		return field ? reader.microUsd(field) : 0n;
	};
	const delayMicroUsdPerHour = weight("delayUsdPerHour");
	const carbonMicroUsdPerTonne = weight("carbonUsdPerTonne");
	return delayMicroUsdPerHour === null || carbonMicroUsdPerTonne === null ? null : { delayMicroUsdPerHour, carbonMicroUsdPerTonne };
}
