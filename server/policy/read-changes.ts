import { MOVE_KINDS, type RuleEffect } from "#server/domain/policy.ts";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { POLICY_LIMITS } from "./limits.ts";
import type { Field, PolicyReader } from "./policy-reader.ts";
import type { Measure } from "./types.ts";

type Effect<K extends RuleEffect["kind"]> = Extract<RuleEffect, { kind: K }>;

/** `preempt: { classes: [baseline] }` */
export function readPreempt(reader: PolicyReader, at: Field): Effect<"preempt"> | null {
	const fields = reader.fields(at, ["classes", "longerBy"]);
	if (!fields) return null;
	const longer = fields.get("longerBy");
	const longerBy = longer ? reader.number(longer, { above: 1, atMost: 1_000_000, whole: false, unit: "times" }) : null;
	if (longer && longerBy === null) return null;
	const list = fields.get("classes");
	if (!list)
		return reader.missing(at, fields, `${at.path} names no classes.`, "Write for example classes: [experimental, batch_inference].");
	const classes = readChoices(reader, list, WORKLOAD_CLASSES);
	return classes && { kind: "preempt", classes, longerBy };
}

/** `move: { to: [home, cheaper], savingUsd: 0.5 }`; any saving will do when none is given. */
export function readMove(reader: PolicyReader, at: Field): Effect<"move"> | null {
	const fields = reader.fields(at, ["to", "savingUsd"]);
	if (!fields) return null;
	const list = fields.get("to");
	if (!list) return reader.missing(at, fields, `${at.path} does not say where to.`, "Write for example to: [home].");
	const to = readChoices(reader, list, MOVE_KINDS);
	const saving = fields.get("savingUsd");
	const savingMicroUsd = saving ? reader.microUsd(saving) : 0n;
	return to && savingMicroUsd !== null ? { kind: "move", to, savingMicroUsd } : null;
}

/** `defer: { to: greener, within: 12h }` */
export function readDefer(reader: PolicyReader, measures: readonly Measure[], at: Field): Effect<"defer"> | null {
	const fields = reader.fields(at, ["to", "within"]);
	if (!fields) return null;
	const toField = reader.required(at, fields, "to", "Write to: greener, or to: cheaper.");
	const withinField = reader.required(at, fields, "within", "Say how long the start may be put off at most, for example within: 12h.");
	const to = toField && reader.oneOf(toField, ["cheaper", "greener"] as const);
	const withinMs = withinField && reader.durationMs(withinField);
	if (to === null || withinMs === null) return null;
	if (!measures.includes(to === "greener" ? "grid_forecast" : "price_forecast")) {
		const what = to === "greener" ? "how green the coming hours of the grid are" : "what an offer will cost in the coming hours";
		reader.report(
			"warning",
			at.keyOffset,
			`${at.path} puts nothing off until something tells ${what}, and nothing here does now: jobs start at once.`,
			to === "greener"
				? "It may stay; import the hours of its grid (spillway carbon import), or submit a job that must not start yet later."
				: "It may stay: a week of spot prices that were seen is enough. A job that must not start yet is submitted later.",
		);
	}
	return { kind: "defer", to, withinMs };
}

/** A list out of a closed set: at least one, and none twice. */
function readChoices<T extends string>(reader: PolicyReader, at: Field, allowed: readonly T[]): T[] | null {
	const items = reader.items(at, POLICY_LIMITS.listEntries);
	if (!items) return null;
	if (items.length === 0)
		return reader.error(at, `${at.path} is an empty list: the rule would do nothing.`, `Name some of: ${allowed.join(", ")}.`);
	const chosen = new Set<T>();
	let sound = true;
	for (const item of items) {
		const choice = reader.oneOf(item, allowed);
		if (choice === null) sound = false;
		else if (chosen.has(choice)) {
			reader.error(item, `${choice} is there twice.`, "Keep one of them.");
			sound = false;
		} else chosen.add(choice);
	}
	return sound ? [...chosen] : null;
}
