import { BUDGET_PERIODS, type BudgetPeriod, type BudgetRule, CAP_REACTIONS, type CapRule } from "#server/domain/policy.ts";
import { POLICY_LIMITS } from "./limits.ts";
import type { Field, PolicyReader } from "./policy-reader.ts";
import type { Measure } from "./types.ts";

/** What an entry of `spec.budgets` caps: money over a period, money an hour, traffic over a period, or machines. */
const AMOUNTS = ["capUsd", "burnRateUsdPerHour", "egressGiB", "instances"] as const;
type Amount = (typeof AMOUNTS)[number];

/** An entry of `spec.budgets` together with where its parts stand. */
export type PlacedBudget = { offset: number; idOffset: number; scopeOffset: number } & (
	| { budget: BudgetRule; cap: null }
	| { budget: null; cap: CapRule }
);

type Fields = Map<string, Field>;
type Common = { id: string; scope: string; line: number };

/** One entry of `spec.budgets`; null when it has an error, which is reported. */
export function readBudget(reader: PolicyReader, measures: readonly Measure[], at: Field): PlacedBudget | null {
	const fields = reader.fields(at, ["id", "scope", "period", "atCap", ...AMOUNTS]);
	if (!fields) return null;
	const idField = reader.required(at, fields, "id", "Give the budget a name, for example id: cloud-month.");
	const id = idField && reader.name(idField, "cloud-month");
	const scopeField = fields.get("scope");
	const scope = scopeField ? reader.condition(scopeField, "job") : "true";
	const [amount, second] = AMOUNTS.filter((name) => fields.has(name));
	const secondField = second && fields.get(second);
	if (secondField)
		return reader.report(
			"error",
			secondField.keyOffset,
			`${at.path} has both ${amount} and ${second}; a budget caps one thing.`,
			`Move ${second} to a budget of its own.`,
		);
	const common = id === null || scope === null ? null : { id, scope, line: reader.lineOf(at.offset) };
	const places = { offset: at.offset, idOffset: idField?.offset ?? at.offset, scopeOffset: scopeField?.offset ?? at.offset };
	if (amount === undefined || amount === "capUsd") {
		const budget = readMoney(reader, at, fields, common);
		return budget && { ...places, budget, cap: null };
	}
	const cap = readCap(reader, measures, at, fields, amount, common);
	return cap && { ...places, budget: null, cap };
}

function readMoney(reader: PolicyReader, at: Field, fields: Fields, common: Common | null): BudgetRule | null {
	const atCapField = fields.get("atCap");
	const atCap = atCapField ? reader.oneOf(atCapField, CAP_REACTIONS) : "hold";
	const period = readPeriod(reader, at, fields);
	const capField = fields.get("capUsd");
	const capMicroUsd = capField
		? reader.microUsd(capField)
		: reader.missing(
				at,
				fields,
				`${at.path} caps nothing.`,
				"Write for example capUsd: 50000; or burnRateUsdPerHour, egressGiB or instances.",
			);
	if (common === null || period === null || capMicroUsd === null || atCap === null) return null;
	return { ...common, period, capMicroUsd, atCap };
}

function readPeriod(reader: PolicyReader, at: Field, fields: Fields): BudgetPeriod | null {
	const field = reader.required(at, fields, "period", `Write period: ${BUDGET_PERIODS.join(", ")}.`);
	return field && reader.oneOf(field, BUDGET_PERIODS);
}

function readCap(
	reader: PolicyReader,
	measures: readonly Measure[],
	at: Field,
	fields: Fields,
	amount: Exclude<Amount, "capUsd">,
	common: Common | null,
): CapRule | null {
	const field = fields.get(amount);
	const reacts = readsHold(reader, fields.get("atCap"), amount);
	if (!field) return null;
	if (amount === "egressGiB") {
		if (!measures.includes("egress"))
			return reader.notYet(
				field,
				"what a run will send home is not known before it starts, so that the cap could not be held; its price counts in capUsd.",
				"Write a capUsd for a month instead.",
			);
		const period = readPeriod(reader, at, fields);
		const gib = reader.number(field, { atLeast: 0, atMost: POLICY_LIMITS.gib, whole: false, unit: "GiB" });
		return common && period !== null && gib !== null && reacts ? { ...common, kind: "egress", period, gib } : null;
	}
	const period = fields.get("period");
	if (period)
		return reader.report(
			"error",
			period.keyOffset,
			`${amount} is held at every moment and has no period.`,
			"Take period away; a sum over a period is a capUsd.",
		);
	if (amount === "burnRateUsdPerHour") {
		const microUsdPerHour = reader.microUsd(field);
		return common && microUsdPerHour !== null && reacts ? { ...common, kind: "burn_rate", microUsdPerHour } : null;
	}
	const count = reader.number(field, { atLeast: 0, atMost: POLICY_LIMITS.instances, whole: true, unit: "instances" });
	return common && count !== null && reacts ? { ...common, kind: "instances", count } : null;
}

/** Only money over a period can be at its cap while jobs run: what would pass another cap never starts. */
function readsHold(reader: PolicyReader, at: Field | undefined, amount: Amount): boolean {
	if (!at) return true;
	const reaction = reader.oneOf(at, CAP_REACTIONS);
	if (reaction === null || reaction === "hold") return reaction !== null;
	reader.report(
		"error",
		at.keyOffset,
		`${amount} cannot ${reaction}: what would pass it waits, so that running jobs never do.`,
		"Take atCap away, or write it at a capUsd.",
	);
	return false;
}
