import type { CapacityType } from "#server/domain/vocabulary.ts";
import type { ConditionLogic } from "./condition-logic.ts";
import type { PlacedRule } from "./parse-entries.ts";
import { closesClouds, closesHome, entriesOverlap, entryCovers, LIST_NAMES } from "./place-lists.ts";
import type { PlaceWork } from "./place-work.ts";
import type { PolicyText } from "./policy-text.ts";

/** Shared state of the checks between rules. */
export interface Finding {
	reader: PolicyText;
	logic: ConditionLogic;
	work: PlaceWork;
	rules: readonly PlacedRule[];
}

/**
 * Contradictory rules, found from the text alone. A contradiction for all jobs of a rule is an error, for only some of
 * them a warning.
 */
export function findContradictions(finding: Finding): void {
	const { rules } = finding;
	for (const [index, later] of rules.entries()) {
		for (const earlier of rules.slice(0, index)) {
			findRequiredDenied(finding, earlier, later);
			findRequiredDenied(finding, later, earlier);
			findTwoRequirements(finding, earlier, later);
			findDisjointAllows(finding, earlier, later);
			findAllowedDenied(finding, earlier, later);
			findAllowedDenied(finding, later, earlier);
			findNowhere(finding, earlier, later);
		}
	}
	findHomelessAllows(finding);
}

export function nameOf(placed: PlacedRule): string {
	return `${placed.rule.id} (line ${placed.rule.line})`;
}

/** Whether `a` holds for every job that `b` holds for. */
export function impliesWith(logic: ConditionLogic, a: PlacedRule, b: PlacedRule): boolean {
	return logic.implies(b.rule.when, a.rule.when);
}

/** The rule that requires a capacity type, and one that excludes every place of this type. */
function findRequiredDenied({ reader, logic, rules }: Finding, requiring: PlacedRule, other: PlacedRule): void {
	const required = requiredType(requiring);
	const effect = other.rule.effect;
	if (required === null || (effect.kind !== "deny" && effect.kind !== "allow")) return;
	const removed =
		effect.kind === "deny"
			? effect.capacityTypes.includes(required)
			: effect.capacityTypes.length > 0 && !effect.capacityTypes.includes(required);
	if (!removed || logic.excludes(requiring.rule.when, other.rule.when)) return;
	const verb = effect.kind === "deny" ? "denies" : "does not allow";
	const what = `${requiring.rule.id} requires ${required}, which ${nameOf(other)} ${verb}`;
	if (impliesWith(logic, other, requiring)) {
		const fix = `Change one of them, or deny cloud where ${requiring.rule.id} holds.`;
		reader.report("error", requiring.offset, `${what}: no cloud offer is left for its jobs.`, fix);
		return;
	}
	if (rules.some((r) => closesClouds(r.rule.effect) && r !== other && (impliesWith(logic, r, other) || impliesWith(logic, r, requiring))))
		return;
	const fix = "Exclude the other's jobs in one of the conditions; to keep them at home, deny cloud where both hold.";
	reader.report("warning", requiring.offset, `${what}: a job that meets both finds no cloud offer.`, fix);
}

function findTwoRequirements({ reader, logic }: Finding, earlier: PlacedRule, later: PlacedRule): void {
	const [a, b] = [requiredType(earlier), requiredType(later)];
	if (a === null || b === null || a === b || logic.excludes(earlier.rule.when, later.rule.when)) return;
	const certain = impliesWith(logic, earlier, later) && impliesWith(logic, later, earlier);
	const message = `${later.rule.id} requires ${b} and ${nameOf(earlier)} requires ${a}: a job that meets both finds no cloud offer.`;
	reader.report(certain ? "error" : "warning", later.offset, message, "Give each a condition that excludes the other's jobs.");
}

/**
 * Two lists for overlapping jobs are common (data of two areas) and correctly end at home, so only certain
 * contradictions are reported.
 */
function findDisjointAllows({ reader, logic, work }: Finding, earlier: PlacedRule, later: PlacedRule): void {
	const [a, b] = [earlier.rule.effect, later.rule.effect];
	if (a.kind !== "allow" || b.kind !== "allow" || !LIST_NAMES.every((list) => work.affords(a[list], b[list]))) return;
	const disjoint = LIST_NAMES.filter(
		(list) => a[list].length > 0 && b[list].length > 0 && !a[list].some((x) => b[list].some((y) => entriesOverlap(list, x, y))),
	);
	if (disjoint.length === 0) return;
	const [earlierHolds, laterHolds] = [impliesWith(logic, earlier, later), impliesWith(logic, later, earlier)];
	if (!earlierHolds && !laterHolds) return;
	for (const list of disjoint) {
		const message = `${later.rule.id} and ${nameOf(earlier)} allow ${list} that have nothing in common: no cloud offer passes both.`;
		reader.report(earlierHolds && laterHolds ? "error" : "warning", later.offset, message, "Combine what is allowed in one list.");
	}
}

/** Everything that one rule allows is denied by another. */
function findAllowedDenied({ reader, logic, work }: Finding, allowing: PlacedRule, denying: PlacedRule): void {
	const [a, d] = [allowing.rule.effect, denying.rule.effect];
	if (a.kind !== "allow" || d.kind !== "deny" || !LIST_NAMES.every((list) => work.affords(a[list], d[list]))) return;
	const list = LIST_NAMES.find((name) => a[name].length > 0 && a[name].every((x) => d[name].some((y) => entryCovers(name, y, x))));
	if (list === undefined) return;
	const always = impliesWith(logic, denying, allowing);
	if (!always && !impliesWith(logic, allowing, denying)) return;
	const message = `${allowing.rule.id} allows only ${list} that ${nameOf(denying)} denies: no cloud offer is left${always ? "" : " where both hold"}.`;
	reader.report(
		always ? "error" : "warning",
		allowing.offset,
		message,
		"Remove what is allowed from the denial, or give the denial a condition.",
	);
}

/** One rule excludes the clouds and another home: a job that meets both can never run. */
function findNowhere({ reader, logic }: Finding, earlier: PlacedRule, later: PlacedRule): void {
	const [a, b] = [earlier.rule.effect, later.rule.effect];
	if (!((closesClouds(a) && closesHome(b)) || (closesHome(a) && closesClouds(b)))) return;
	if (logic.excludes(earlier.rule.when, later.rule.when)) return;
	if (logic.always(earlier.rule.when) && logic.always(later.rule.when)) {
		const message = "Every place is denied, at home and in the clouds: no job can ever run.";
		reader.report("error", later.offset, message, "Give one of the denials a condition.");
		return;
	}
	const message = `${later.rule.id} and ${nameOf(earlier)} deny every place, at home and in the clouds, to the jobs that meet both: these jobs fail.`;
	reader.report("warning", later.offset, message, "Exclude the other's jobs in one of the conditions.");
}

/** `allow: { sites: [aws-main] }` excludes home too, which is rarely intended. */
function findHomelessAllows({ reader, rules }: Finding): void {
	for (const { rule, offset } of rules) {
		if (rule.effect.kind !== "allow" || rule.effect.sites.length === 0 || rule.effect.sites.includes("owned")) continue;
		const message = `${rule.id} allows only ${rule.effect.sites.join(", ")}: its jobs run at home only on a site named there.`;
		reader.report("warning", offset, message, "Add owned to the list if they may also run at home.");
	}
}

function requiredType(placed: PlacedRule): CapacityType | null {
	return placed.rule.effect.kind === "require" ? placed.rule.effect.capacityType : null;
}
