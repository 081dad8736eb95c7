import type { RuleEffect } from "#server/domain/policy.ts";
import type { CapacityType } from "#server/domain/vocabulary.ts";
import { globsOverlap, matchesGlob } from "./match-pattern.ts";

export type Places = Extract<RuleEffect, { kind: "deny" | "allow" }>;
export type ListName = Exclude<keyof Places, "kind">;

export const LIST_NAMES: readonly ListName[] = ["sites", "regions", "instanceFamilies", "capacityTypes"];

const CLOUD_CAPACITY: readonly CapacityType[] = ["reserved", "on_demand", "spot"];

/** Whether both list entries can match the same place. */
export function entriesOverlap(list: ListName, a: string, b: string): boolean {
	switch (list) {
		case "sites":
			return a === b || kindsOverlap(a, b) || kindsOverlap(b, a);
		case "regions":
			return globsOverlap(a, b);
		case "instanceFamilies":
			// p4d also means p4d.24xlarge
			return globsOverlap(a, b) || globsOverlap(`${a}.*`, b) || globsOverlap(a, `${b}.*`);
		case "capacityTypes":
			return a === b;
	}
}

/** `cloud` and `owned` may match a site given by its id; the text does not show its kind. */
function kindsOverlap(kind: string, other: string): boolean {
	return (kind === "cloud" && other !== "owned") || (kind === "owned" && other !== "cloud");
}

/** Whether `wide` matches every place that `narrow` does, as far as the text shows: a star only fits into a star. */
export function entryCovers(list: ListName, wide: string, narrow: string): boolean {
	if (list === "sites" || list === "capacityTypes") return wide === narrow;
	if (matchesGlob(wide, narrow)) return true;
	return list === "instanceFamilies" && matchesGlob(wide, narrow.split(".", 1)[0] ?? narrow) && !narrow.startsWith("*");
}

/** Excludes every cloud for the jobs it holds for. */
export function closesClouds(effect: RuleEffect): boolean {
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

/** Excludes home for the jobs it holds for. */
export function closesHome(effect: RuleEffect): boolean {
	if (effect.kind === "deny") return effect.sites.includes("owned") || effect.capacityTypes.includes("owned");
	return effect.kind === "allow" && effect.sites.length > 0 && effect.sites.every((site) => site === "cloud");
}

function isOnlyStars(pattern: string): boolean {
	return /^\*+(:\*+)?$/.test(pattern);
}
