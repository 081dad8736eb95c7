import { BUDGET_PERIODS, CAP_REACTIONS } from "#server/domain/policy.ts";
import { CAPACITY_TYPES, LABELS, ROLES } from "#server/domain/vocabulary.ts";
import type { FieldPath } from "./edit-field.ts";
import { type ListName, record } from "./edit-rules.ts";

export type Option = { value: string; label: string };

/** A field of a card: where its value stands below its rule, and how it is asked for. */
export interface CardField {
	label: string;
	path: FieldPath;
	as: "text" | "condition" | "list" | "number" | "choice" | "flag";
	options?: readonly Option[];
	placeholder?: string;
	/** Emptied, nothing is written until there is something again. */
	required?: boolean;
}

export const EFFECT_LABELS = {
	deny: "keeps away",
	allow: "allows only",
	burst: "bursts",
	require: "requires",
	preempt: "makes room",
	move: "moves",
	defer: "puts off",
	adopt: "adopts",
	limit: "limits",
} as const;
type EffectKind = keyof typeof EFFECT_LABELS;

export const effectOf = (value: Readonly<Record<string, unknown>>): EffectKind | null =>
	(Object.keys(EFFECT_LABELS) as EffectKind[]).find((kind) => kind in value) ?? null;

const choices = (values: readonly (keyof typeof LABELS)[]): Option[] => values.map((value) => ({ value, label: LABELS[value] }));
const plain = (values: readonly string[]): Option[] => values.map((value) => ({ value, label: value.replaceAll("-", " ") }));

const TRIGGERS = [
	["forecastWait", "Forecast wait longer than", "30m"],
	["waited", "Has waited longer than", "1h"],
	["deadlineSlack", "Less to spare than", "2h"],
	["queueLength", "More jobs waiting than", "50"],
] as const;

/** The fields of an entry, in the order in which they are read; ids and conditions first. */
export function fieldsOf(list: ListName, value: Readonly<Record<string, unknown>>): CardField[] {
	const id: CardField = { label: "Name", path: ["id"], as: "text", required: true };
	if (list === "budgets")
		return [id, { label: "Whose jobs", path: ["scope"], as: "condition", placeholder: "true" }, ...budgetFields(value)];
	const when: CardField = { label: "When", path: ["when"], as: "condition", placeholder: "always" };
	const kind = effectOf(value);
	return [id, when, ...(kind ? effectFields(kind, record(value[kind])) : [])];
}

function effectFields(kind: EffectKind, effect: Readonly<Record<string, unknown>>): CardField[] {
	switch (kind) {
		case "deny":
		case "allow":
			return [
				{ label: "Sites", path: [kind, "sites"], as: "list", placeholder: "cloud" },
				{ label: "Regions", path: [kind, "regions"], as: "list", placeholder: "aws:eu-*, gcp:europe-*" },
				{ label: "Instance families", path: [kind, "instanceFamilies"], as: "list", placeholder: "p5, Standard_ND96*" },
				{ label: "Capacity types", path: [kind, "capacityTypes"], as: "list", placeholder: "spot, on_demand" },
			];
		case "require":
			return "approval" in effect
				? [{ label: "Who says yes", path: [kind, "approval"], as: "choice", options: choices(ROLES) }]
				: [
						{
							label: "Capacity type",
							path: [kind, "capacityType"],
							as: "choice",
							options: choices(CAPACITY_TYPES.filter((t) => t !== "owned")),
						},
					];
		case "burst":
			return burstFields(effect);
		case "preempt":
			return [
				{ label: "Classes that give way", path: [kind, "classes"], as: "list", placeholder: "experimental", required: true },
				{ label: "Only of jobs so many times as long", path: [kind, "longerBy"], as: "number" },
			];
		case "move":
			return [
				{ label: "Where to", path: [kind, "to"], as: "list", placeholder: "home, cheaper", required: true },
				{ label: "For a saving of at least, USD", path: [kind, "savingUsd"], as: "number", placeholder: "0" },
			];
		case "defer":
			return [
				{ label: "To an hour that is", path: [kind, "to"], as: "choice", options: plain(["greener", "cheaper"]) },
				{ label: "Within", path: [kind, "within"], as: "text", placeholder: "12h", required: true },
			];
		case "adopt":
			return [
				{ label: "As the jobs of team", path: [kind, "team"], as: "text", required: true },
				{ label: "Clusters", path: [kind, "sites"], as: "list" },
				{ label: "Partitions or namespaces", path: [kind, "partitions"], as: "list", placeholder: "gpu*" },
				{ label: "Users", path: [kind, "users"], as: "list" },
				{ label: "Their owner's wish", path: [kind, "optIn"], as: "choice", options: plain(["needed", "not-needed"]) },
			];
		case "limit":
			return [
				{ label: "Longest life, hours", path: [kind, "instanceHours"], as: "number" },
				{ label: "Longest idle time, minutes", path: [kind, "idleMinutes"], as: "number" },
				{ label: "GPU use below, percent", path: [kind, "gpuUtilisationBelow", "percent"], as: "number" },
				{ label: "For so long", path: [kind, "gpuUtilisationBelow", "for"], as: "text", placeholder: "30m" },
			];
	}
}

/** The first trigger stands in `after`, all others in `or`. */
function burstFields(burst: Readonly<Record<string, unknown>>): CardField[] {
	const only: CardField[] = [
		{ label: "Only for at most, USD", path: ["burst", "only", "costAtMostUsd"], as: "number" },
		{ label: "Only with at most, GiB of data", path: ["burst", "only", "dataAtMostGiB"], as: "number" },
	];
	if ("always" in burst) return only;
	const after = record(burst["after"]);
	const none = Object.keys(after).length === 0;
	return [
		...TRIGGERS.map(
			([name, label, placeholder]): CardField => ({
				...{ label, placeholder, as: name === "queueLength" ? ("number" as const) : ("text" as const) },
				path: ["burst", name in after || none ? "after" : "or", name],
				// `after` must say something: what stands there is changed, not taken out.
				required: name in after,
			}),
		),
		...only,
	];
}

const AMOUNTS = [
	["capUsd", "Cap, USD"],
	["burnRateUsdPerHour", "Cap, USD an hour"],
	["egressGiB", "Cap, GiB out of clouds"],
	["instances", "Cap, machines"],
] as const;

function budgetFields(value: Readonly<Record<string, unknown>>): CardField[] {
	const [amount, label] = AMOUNTS.find(([name]) => name in value) ?? AMOUNTS[0];
	const cap: CardField = { label, path: [amount], as: "number", required: true };
	const period: CardField = { label: "Each", path: ["period"], as: "choice", options: plain(BUDGET_PERIODS) };
	if (amount === "capUsd") return [cap, period, { label: "At the cap", path: ["atCap"], as: "choice", options: plain(CAP_REACTIONS) }];
	return amount === "egressGiB" ? [cap, period] : [cap];
}

/** What stands at a path below an entry. */
export function valueAt(value: Readonly<Record<string, unknown>>, path: FieldPath): unknown {
	return path.reduce<unknown>((at, key) => record(at)[key], value);
}
