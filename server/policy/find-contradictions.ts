import type { RuleEffect } from "#server/domain/policy.ts";
import type { CapacityType } from "#server/domain/vocabulary.ts";
import { globsOverlap } from "./match-pattern.ts";
import type { PolicyReader } from "./policy-reader.ts";
import type { PlacedRule } from "./read-rule.ts";

const CLOUD_CAPACITY: readonly CapacityType[] = ["reserved", "on_demand", "spot"];
type Places = Extract<RuleEffect, { kind: "deny" | "allow" }>;

/**
 * Rules that cannot both mean what they say, as far as the text alone shows it: where both hold for a job for certain
 * (no condition, or the very same one) it is an error, where they only may it is a warning.
 */
export function findContradictions(reader: PolicyReader, rules: readonly PlacedRule[]): void {
	for (const [index, later] of rules.entries()) {
		for (const earlier of rules.slice(0, index)) {
			findRequiredDenied(reader, earlier, later);
			findRequiredDenied(reader, later, earlier);
			findTwoRequirements(reader, earlier, later);
			findDisjointAllows(reader, earlier, later);
		}
	}
	findPointlessBursts(reader, rules);
	findHomelessAllows(reader, rules);
}

/** Whether `a` holds whenever `b` does, as far as the texts show. */
function holdsWith(a: PlacedRule, b: PlacedRule): boolean {
	return a.rule.when === null || a.rule.when.trim() === "true" || a.rule.when === b.rule.when;
}

function nameOf(placed: PlacedRule): string {
	return `${placed.rule.id} (line ${placed.rule.line})`;
}

/** The rule that requires a capacity type, against one that takes every place of this type away. */
function findRequiredDenied(reader: PolicyReader, requiring: PlacedRule, other: PlacedRule): void {
	const required = requiredType(requiring);
	const effect = other.rule.effect;
	if (required === null || (effect.kind !== "deny" && effect.kind !== "allow")) return;
	const removed =
		effect.kind === "deny"
			? effect.capacityTypes.includes(required)
			: effect.capacityTypes.length > 0 && !effect.capacityTypes.includes(required);
	if (!removed || !holdsWith(other, requiring)) return;
	const verb = effect.kind === "deny" ? "denies" : "does not allow";
	const message = `${requiring.rule.id} requires ${required}, which ${nameOf(other)} ${verb}: no cloud offer is left for its jobs.`;
	reader.report("error", requiring.offset, message, `Change one of them, or deny cloud where ${requiring.rule.id} holds.`);
}

function findTwoRequirements(reader: PolicyReader, earlier: PlacedRule, later: PlacedRule): void {
	const [a, b] = [requiredType(earlier), requiredType(later)];
	if (a === null || b === null || a === b) return;
	const sure = holdsWith(earlier, later) || holdsWith(later, earlier);
	// two different conditions may never hold for one job, which the texts do not show
	if (!sure) return;
	const certain = holdsWith(earlier, later) && holdsWith(later, earlier);
	const message = `${later.rule.id} requires ${b} and ${nameOf(earlier)} requires ${a}: a job that meets both finds no cloud offer.`;
	reader.report(certain ? "error" : "warning", later.offset, message, "Give each a condition that leaves the other's jobs out.");
}

function findDisjointAllows(reader: PolicyReader, earlier: PlacedRule, later: PlacedRule): void {
	const [a, b] = [earlier.rule.effect, later.rule.effect];
	if (a.kind !== "allow" || b.kind !== "allow") return;
	const certain = holdsWith(earlier, later) && holdsWith(later, earlier);
	if (!certain && !holdsWith(earlier, later) && !holdsWith(later, earlier)) return;
	for (const [what, overlap] of OVERLAPS) {
		const [x, y] = [a[what], b[what]];
		if (x.length === 0 || y.length === 0 || x.some((p) => y.some((q) => overlap(p, q)))) continue;
		const message = `${later.rule.id} and ${nameOf(earlier)} allow ${what} that have nothing in common: no cloud offer passes both.`;
		reader.report(certain ? "error" : "warning", later.offset, message, "Put what is allowed into one list.");
	}
}

const OVERLAPS: readonly [keyof Omit<Places, "kind">, (a: string, b: string) => boolean][] = [
	[
		"sites",
		(a, b) =>
			a === b ||
			(a === "cloud" && b !== "owned") ||
			(b === "cloud" && a !== "owned") ||
			(a === "owned" && b !== "cloud") ||
			(b === "owned" && a !== "cloud"),
	],
	["regions", globsOverlap],
	// p4d stands for p4d.24xlarge as well
	["instanceFamilies", (a, b) => globsOverlap(a, b) || globsOverlap(`${a}.*`, b) || globsOverlap(a, `${b}.*`)],
	["capacityTypes", (a, b) => a === b],
];

/** Burst rules in a policy that keeps every job at home, and a policy without any. */
function findPointlessBursts(reader: PolicyReader, rules: readonly PlacedRule[]): void {
	const always = rules.filter((r) => r.rule.when === null || r.rule.when.trim() === "true");
	const closing = always.find((r) => deniesAllCloud(r.rule.effect));
	const homeless = always.find((r) => r.rule.effect.kind === "deny" && r.rule.effect.sites.includes("owned"));
	if (closing && homeless) {
		const last = closing.offset > homeless.offset ? closing : homeless;
		reader.report(
			"error",
			last.offset,
			"Every place is denied, at home and in the clouds: no job can ever run.",
			"Give one of the denials a condition.",
		);
	}
	if (!closing) return;
	for (const { rule, offset } of rules) {
		if (rule.effect.kind !== "burst") continue;
		reader.report(
			"error",
			offset,
			`${rule.id} lets jobs burst, but ${nameOf(closing)} takes every cloud away from every job.`,
			`Give ${closing.rule.id} a condition, or take ${rule.id} away.`,
		);
	}
}

function deniesAllCloud(effect: RuleEffect): boolean {
	if (effect.kind === "deny") {
		return (
			effect.sites.includes("cloud") ||
			effect.regions.some(isOnlyStars) ||
			effect.instanceFamilies.some(isOnlyStars) ||
			CLOUD_CAPACITY.every((t) => effect.capacityTypes.includes(t))
		);
	}
	if (effect.kind !== "allow") return false;
	const onlyOwned = (list: readonly string[]) => list.length > 0 && list.every((entry) => entry === "owned");
	return onlyOwned(effect.sites) || onlyOwned(effect.capacityTypes);
}

function isOnlyStars(pattern: string): boolean {
	return /^\*+(:\*+)?$/.test(pattern);
}

/** `allow: { sites: [aws-main] }` closes home too, which few mean. */
function findHomelessAllows(reader: PolicyReader, rules: readonly PlacedRule[]): void {
	for (const { rule, offset } of rules) {
		if (rule.effect.kind !== "allow" || rule.effect.sites.length === 0 || rule.effect.sites.includes("owned")) continue;
		const message = `${rule.id} allows only ${rule.effect.sites.join(", ")}: its jobs run at home only on a site named there.`;
		reader.report("warning", offset, message, "Add owned to the list if home stays open to them.");
	}
}

function requiredType(placed: PlacedRule): CapacityType | null {
	return placed.rule.effect.kind === "require" ? placed.rule.effect.capacityType : null;
}
