import type { RuleEffect } from "#server/domain/policy.ts";
import { type Finding, impliesWith, nameOf } from "./find-contradictions.ts";
import { closesClouds, entryCovers, LIST_NAMES, type Places } from "./place-lists.ts";
import type { PlaceWork } from "./place-work.ts";

/** Rules that no job can ever meet, conditions that every job meets, and rules that another one makes pointless. */
export function findUnreachable(finding: Finding): void {
	const { reader, logic, rules } = finding;
	for (const { rule, whenOffset } of rules) {
		if (logic.never(rule.when)) {
			const message = `No job can meet this condition: ${rule.id} would never apply.`;
			reader.report("error", whenOffset, message, "Change the condition; to disable the rule, put # before its lines.");
		} else if (rule.when !== null && rule.when.trim() !== "true" && logic.always(rule.when)) {
			reader.report("warning", whenOffset, `Every job meets this condition: ${rule.id} always applies.`, "Omit when, or change it.");
		}
	}
	findShadowed(finding);
}

function findShadowed({ reader, logic, work, rules }: Finding): void {
	for (const [index, placed] of rules.entries()) {
		if (logic.never(placed.rule.when)) continue;
		const wider = rules.find((other, at) => {
			if (at === index || !isAtLeastAsStrict(work, other.rule.effect, placed.rule.effect) || !impliesWith(logic, other, placed))
				return false;
			// of two equivalent rules, the later one is superfluous
			return at < index || !(isAtLeastAsStrict(work, placed.rule.effect, other.rule.effect) && impliesWith(logic, placed, other));
		});
		if (!wider) continue;
		const message = `${placed.rule.id} changes nothing: ${nameOf(wider)} applies whenever it does, and does the same or more.`;
		reader.report("warning", placed.offset, message, "Remove it, or make it do something the other does not.");
	}
}

/** Whether everything that `b` does is done when `a` holds; a "no" may also mean that it could not be determined. */
function isAtLeastAsStrict(work: PlaceWork, a: RuleEffect, b: RuleEffect): boolean {
	switch (b.kind) {
		case "deny":
			return a.kind === "deny" && affordsAll(work, a, b) && deniesAtLeast(a, b);
		case "allow":
			return a.kind === "allow" && affordsAll(work, a, b) && LIST_NAMES.every((l) => b[l].length === 0 || within(l, a[l], b[l]));
		case "require":
			return a.kind === "require" && a.capacityType === b.capacityType && a.approval === b.approval;
		case "burst":
			return a.kind === "burst" && burstsAsSoon(a, b) && burstsAsFar(a, b);
		case "preempt":
			return (
				a.kind === "preempt" &&
				(a.longerBy === null ? b.longerBy === null : b.longerBy !== null && a.longerBy <= b.longerBy) &&
				b.classes.every((c) => a.classes.includes(c))
			);
		case "move":
			return a.kind === "move" && b.to.every((to) => a.to.includes(to)) && a.savingMicroUsd <= b.savingMicroUsd;
		case "defer":
			return a.kind === "defer" && defersAtLeast(a, b);
		case "adopt":
			return a.kind === "adopt" && adoptsAtLeast(a, b);
		// Two rules for the same machines keep more of them than one.
		case "prewarm":
			return false;
		case "limit":
			return a.kind === "limit" && limitsAtLeast(a, b);
	}
}

type Adopt = Extract<RuleEffect, { kind: "adopt" }>;

function adoptsAtLeast(a: Adopt, b: Adopt): boolean {
	const holds = (wide: readonly string[], list: readonly string[]) =>
		wide.length === 0 || (list.length > 0 && list.every((entry) => wide.includes(entry)));
	const sameTeam = a.team === b.team && (b.needsOptIn || !a.needsOptIn);
	return sameTeam && holds(a.sites, b.sites) && holds(a.partitions, b.partitions) && holds(a.users, b.users);
}

function affordsAll(work: PlaceWork, a: Places, b: Places): boolean {
	return LIST_NAMES.every((list) => work.affords(a[list], b[list]));
}

function deniesAtLeast(a: Places, b: Places): boolean {
	const onlyCloud = b.sites.every((site) => site === "cloud") && !b.capacityTypes.includes("owned");
	if (onlyCloud && closesClouds(a)) return true;
	return LIST_NAMES.every((list) => b[list].every((entry) => a[list].some((wide) => entryCovers(list, wide, entry))));
}

/** Everything that passes the list `a` also passes `b`. */
function within(list: (typeof LIST_NAMES)[number], a: readonly string[], b: readonly string[]): boolean {
	return a.length > 0 && a.every((entry) => b.some((wide) => entryCovers(list, wide, entry)));
}

type Defer = Extract<RuleEffect, { kind: "defer" }>;

function defersAtLeast(a: Defer, b: Defer): boolean {
	const placesCovered = a.at === undefined || a.at === b.at;
	return a.to === b.to && a.withinMs >= b.withinMs && placesCovered && (a.percentPerHour ?? 0) <= (b.percentPerHour ?? 0);
}

type Burst = Extract<RuleEffect, { kind: "burst" }>;

function burstsAsSoon(a: Burst, b: Burst): boolean {
	if (a.always) return true;
	if (b.always) return false;
	// a longer wait is reached later, and so is a smaller slack
	const sooner = (x: number | null, y: number | null) => y === null || (x !== null && x <= y);
	return (
		sooner(a.forecastWaitMs, b.forecastWaitMs) &&
		sooner(a.waitedMs, b.waitedMs) &&
		sooner(a.queueLength, b.queueLength) &&
		waitsNoLonger(a, b) &&
		(b.deadlineSlackMs === null || (a.deadlineSlackMs !== null && a.deadlineSlackMs >= b.deadlineSlackMs))
	);
}

/** A higher value of an hour leaves sooner. Waiting is compared under a budget only, so a rule with one does not cover a rule without. */
function waitsNoLonger(a: Burst, b: Burst): boolean {
	if (b.waitingMicroUsdPerGpuHour === undefined) return true;
	return a.waitingMicroUsdPerGpuHour !== undefined && a.waitingMicroUsdPerGpuHour >= b.waitingMicroUsdPerGpuHour;
}

function burstsAsFar(a: Burst, b: Burst): boolean {
	const cost = a.costAtMostMicroUsd === null || (b.costAtMostMicroUsd !== null && a.costAtMostMicroUsd >= b.costAtMostMicroUsd);
	return cost && (a.dataAtMostGiB === null || (b.dataAtMostGiB !== null && a.dataAtMostGiB >= b.dataAtMostGiB));
}

type Limit = Extract<RuleEffect, { kind: "limit" }>;

function limitsAtLeast(a: Limit, b: Limit): boolean {
	const tighter = (x: number | null, y: number | null) => y === null || (x !== null && x <= y);
	const [low, other] = [a.gpuUtilisationBelow, b.gpuUtilisationBelow];
	const busier = other === null || (low !== null && low.percent >= other.percent && low.forMs <= other.forMs);
	return tighter(a.instanceMs, b.instanceMs) && tighter(a.idleMs, b.idleMs) && busier;
}
