import { BUDGET_PERIODS, CAP_REACTIONS } from "#server/domain/policy.ts";
import { type ListName, record } from "#server/domain/policy-entries.ts";
import { CAPACITY_TYPES, LABELS, ROLES } from "#server/domain/vocabulary.ts";
import type { FieldPath } from "./edit-field.ts";

export type Option = { value: string; label: string };

/** A card field: the path of its value in the rule, and its input type. */
export interface CardField {
	label: string;
	path: FieldPath;
	as: "text" | "condition" | "list" | "number" | "choice" | "flag";
	options?: readonly Option[];
	placeholder?: string;
	/** While empty, nothing is written. */
	required?: boolean;
}

export const EFFECT_LABELS = {
	deny: "excludes",
	allow: "allows only",
	burst: "bursts",
	require: "requires",
	preempt: "preempts",
	move: "moves",
	defer: "defers",
	adopt: "adopts",
	prewarm: "prewarms",
	limit: "limits",
} as const;
type EffectKind = keyof typeof EFFECT_LABELS;

export const effectOf = (value: Readonly<Record<string, unknown>>): EffectKind | null =>
	(Object.keys(EFFECT_LABELS) as EffectKind[]).find((kind) => kind in value) ?? null;

const choices = (values: readonly (keyof typeof LABELS)[]): Option[] => values.map((value) => ({ value, label: LABELS[value] }));
const plain = (values: readonly string[]): Option[] => values.map((value) => ({ value, label: value.replaceAll("-", " ") }));

const TRIGGERS = [
	["forecastWait", "Forecast wait above", "30m"],
	["waited", "Queued for more than", "1h"],
	["deadlineSlack", "Deadline slack below", "2h"],
	["queueLength", "Queued jobs above", "50"],
	["waitingUsdPerGpuHour", "Waiting budget ($/GPU-h)", "2"],
] as const;

/** Fields in reading order; ID and condition first. */
export function fieldsOf(list: ListName, value: Readonly<Record<string, unknown>>): CardField[] {
	const id: CardField = { label: "Name", path: ["id"], as: "text", required: true };
	if (list === "budgets") return [id, { label: "Scope", path: ["scope"], as: "condition", placeholder: "true" }, ...budgetFields(value)];
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
				? [{ label: "Approver", path: [kind, "approval"], as: "choice", options: choices(ROLES) }]
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
				{ label: "Preemptible classes", path: [kind, "classes"], as: "list", placeholder: "experimental", required: true },
				{ label: "Minimum run time ratio", path: [kind, "longerBy"], as: "number" },
			];
		case "move":
			return [
				{ label: "Destination", path: [kind, "to"], as: "list", placeholder: "home, cheaper", required: true },
				{ label: "Minimum saving ($)", path: [kind, "savingUsd"], as: "number", placeholder: "0" },
			];
		case "defer":
			return [
				{ label: "Preferred hour", path: [kind, "to"], as: "choice", options: plain(["greener", "cheaper"]) },
				{ label: "Within", path: [kind, "within"], as: "text", placeholder: "12h", required: true },
				{ label: "Only starts in", path: [kind, "at"], as: "choice", options: plain(["cloud", "owned"]) },
				{ label: "Minimum saving per hour (%)", path: [kind, "percentPerHour"], as: "number", placeholder: "0" },
			];
		case "adopt":
			return [
				{ label: "Run as team", path: [kind, "team"], as: "text", required: true },
				{ label: "Clusters", path: [kind, "sites"], as: "list" },
				{ label: "Partitions or namespaces", path: [kind, "partitions"], as: "list", placeholder: "gpu*" },
				{ label: "Users", path: [kind, "users"], as: "list" },
				{ label: "Owner opt-in", path: [kind, "optIn"], as: "choice", options: plain(["needed", "not-needed"]) },
			];
		case "prewarm":
			return [
				{ label: "Machines", path: [kind, "machines"], as: "number", required: true },
				{ label: "GPU model", path: [kind, "accelerator"], as: "text", placeholder: "A100-80GB", required: true },
				{ label: "GPUs per machine", path: [kind, "gpus"], as: "number", required: true },
				{ label: "State", path: [kind, "state"], as: "choice", options: plain(["stopped", "running"]) },
				{ label: "Sites", path: [kind, "sites"], as: "list" },
				{ label: "Monthly budget ($)", path: [kind, "monthlyUsd"], as: "number", required: true },
				{ label: "Maximum idle time (min)", path: [kind, "idleMinutes"], as: "number" },
				{ label: "Value of waiting ($/GPU-h)", path: [kind, "waitingUsdPerGpuHour"], as: "number" },
				{ label: "Images", path: [kind, "images"], as: "list" },
				{ label: "Data", path: [kind, "data"], as: "list" },
			];
		case "limit":
			return [
				{ label: "Maximum lifetime (h)", path: [kind, "instanceHours"], as: "number" },
				{ label: "Maximum idle time (min)", path: [kind, "idleMinutes"], as: "number" },
				{ label: "GPU use below (%)", path: [kind, "gpuUtilisationBelow", "percent"], as: "number" },
				{ label: "For at least", path: [kind, "gpuUtilisationBelow", "for"], as: "text", placeholder: "30m" },
			];
	}
}

/** The first trigger is in `after`, the rest in `or`. */
function burstFields(burst: Readonly<Record<string, unknown>>): CardField[] {
	const only: CardField[] = [
		{ label: "Maximum cost ($)", path: ["burst", "only", "costAtMostUsd"], as: "number" },
		{ label: "Maximum data (GiB)", path: ["burst", "only", "dataAtMostGiB"], as: "number" },
	];
	if ("always" in burst) return only;
	const after = record(burst["after"]);
	const none = Object.keys(after).length === 0;
	return [
		...TRIGGERS.map(
			([name, label, placeholder]): CardField => ({
				...{ label, placeholder, as: name === "queueLength" || name === "waitingUsdPerGpuHour" ? ("number" as const) : ("text" as const) },
				path: ["burst", name in after || none ? "after" : "or", name],
				// `after` must not be empty, so its value is replaced rather than removed.
				required: name in after,
			}),
		),
		...only,
	];
}

const AMOUNTS = [
	["capUsd", "Cap ($)"],
	["burnRateUsdPerHour", "Cap ($/h)"],
	["egressGiB", "Cap (GiB egress)"],
	["instances", "Cap (machines)"],
] as const;

function budgetFields(value: Readonly<Record<string, unknown>>): CardField[] {
	const [amount, label] = AMOUNTS.find(([name]) => name in value) ?? AMOUNTS[0];
	const cap: CardField = { label, path: [amount], as: "number", required: true };
	const period: CardField = { label: "Period", path: ["period"], as: "choice", options: plain(BUDGET_PERIODS) };
	if (amount === "capUsd") return [cap, period, { label: "At the cap", path: ["atCap"], as: "choice", options: plain(CAP_REACTIONS) }];
	return amount === "egressGiB" ? [cap, period] : [cap];
}

/** The value at a path in an entry. */
export function valueAt(value: Readonly<Record<string, unknown>>, path: FieldPath): unknown {
	return path.reduce<unknown>((at, key) => record(at)[key], value);
}
