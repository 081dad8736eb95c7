import type { MoveKind, RuleEffect } from "#server/domain/policy.ts";
import { type CapacityType, LABELS } from "#server/domain/vocabulary.ts";
import { assertNever } from "#server/kernel/assert.ts";
import { formatDuration } from "#server/kernel/units.ts";
import { grouping, listed, type Segment, value, words } from "./describe-condition.ts";
import type { RuleGroup } from "./description.ts";
import { alternatives, usd } from "./sentence.ts";

/** The effect of a rule, as a clause for the heading of its group. */
export function describeEffect(effect: RuleEffect): { group: RuleGroup; parts: Segment[] } {
	switch (effect.kind) {
		case "deny":
			return { group: "remove", parts: alternatives(placesOf(effect, false)) };
		case "allow":
			return { group: "remove", parts: alternatives(placesOf(effect, true)) };
		case "require":
			if (effect.approval !== null) return { group: "ask", parts: [value(LABELS[effect.approval]), words(" approves or rejects")] };
			return {
				group: "remove",
				parts: effect.capacityType === null ? [] : [words("the place is a cloud offer other than "), value(LABELS[effect.capacityType])],
			};
		case "burst":
			return { group: "burst", parts: triggersOf(effect) };
		case "preempt":
			return {
				group: "room",
				parts: [
					words(effect.longerBy === null ? "to meet a deadline, running jobs of class " : "rather than leave home, running jobs of class "),
					...listed(effect.classes.map((c) => LABELS[c])),
					words(" may be preempted"),
					...(effect.longerBy === null ? [] : [words(" if they take at least "), value(`${effect.longerBy} times`), words(" as long")]),
				],
			};
		case "move":
			return { group: "move", parts: moveOf(effect) };
		case "defer":
			return {
				group: "defer",
				parts: [
					words("a "),
					value(effect.to),
					words(" hour comes within "),
					value(formatDuration(effect.withinMs)),
					words(", in time for its deadline"),
					...(effect.percentPerHour ? [words(", and saves "), value(`${effect.percentPerHour}%`), words(" for each hour of delay")] : []),
					...(effect.at ? [words(effect.at === "cloud" ? ", for starts in the cloud" : ", for starts at home")] : []),
				],
			};
		case "adopt":
			return { group: "burst", parts: adoptionOf(effect) };
		case "prewarm":
			return { group: "limit", parts: prewarmOf(effect) };
		case "limit":
			return { group: "limit", parts: limitsOf(effect) };
		default:
			return assertNever(effect, "rule effect");
	}
}

function adoptionOf(effect: Extract<RuleEffect, { kind: "adopt" }>): Segment[] {
	const list = (before: string, names: readonly string[]) => (names.length === 0 ? [] : [words(before), ...listed(names)]);
	return [
		words("a job in a cluster's own queue"),
		...list(" at ", effect.sites),
		...list(" in partition ", effect.partitions),
		...list(" of user ", effect.users),
		words(effect.needsOptIn ? " opts in: it is adopted as team " : " may leave: it is adopted as team "),
		value(effect.team),
		words("'s, and the other rules then apply"),
	];
}

type Places = Extract<RuleEffect, { kind: "deny" | "allow" }>;

/** One clause for each given list. `outside`: the place is excluded because it is not in the list. */
function placesOf(places: Places, outside: boolean): Segment[][] {
	const clauses: Segment[][] = [];
	const add = (items: readonly string[], inside: string, not: string) => {
		if (items.length > 0) clauses.push([words(outside ? not : inside), ...listed(items)]);
	};
	add(places.sites.map(siteName), "the place is ", "the place is not ");
	add(places.regions, "the place is in ", "the place is a cloud offer outside ");
	add(places.instanceFamilies, "the instance family is ", "the place is a cloud offer of a family other than ");
	add(
		places.capacityTypes.map((type: CapacityType) => LABELS[type]),
		"the capacity is ",
		"the place is a cloud offer other than ",
	);
	return clauses;
}

function siteName(site: string): string {
	if (site === "cloud") return "in a cloud";
	return site === "owned" ? "at home" : `site ${site}`;
}

function triggersOf(effect: Extract<RuleEffect, { kind: "burst" }>): Segment[] {
	return [...dueOf(effect), ...boundsOf(effect)];
}

/** Limits of a burst on cost and data. */
function boundsOf(effect: Extract<RuleEffect, { kind: "burst" }>): Segment[] {
	const clauses: Segment[][] = [];
	if (effect.costAtMostMicroUsd !== null) clauses.push([words("for at most "), value(usd(effect.costAtMostMicroUsd))]);
	if (effect.dataAtMostGiB !== null)
		clauses.push([words("with at most "), value(`${grouping(String(effect.dataAtMostGiB))} GiB`), words(" of data")]);
	return clauses.flatMap((c, index) => [words(index === 0 ? "; but only " : " and "), ...c]);
}

function dueOf(effect: Extract<RuleEffect, { kind: "burst" }>): Segment[] {
	if (effect.always) return [words("there is "), value("an allowed offer"), words(", without waiting for home")];
	const clauses: Segment[][] = [];
	if (effect.forecastWaitMs !== null)
		clauses.push([words("the job's forecast wait at home exceeds "), value(formatDuration(effect.forecastWaitMs))]);
	if (effect.waitedMs !== null) clauses.push([words("the job has waited longer than "), value(formatDuration(effect.waitedMs))]);
	if (effect.deadlineSlackMs !== null)
		clauses.push([
			words("the job would have less than "),
			value(formatDuration(effect.deadlineSlackMs)),
			words(" to spare before its deadline"),
		]);
	if (effect.queueLength !== null)
		clauses.push([
			words("more than "),
			value(grouping(String(effect.queueLength))),
			words(effect.queueLength === 1 ? " job waits" : " jobs wait"),
		]);
	if (effect.waitingMicroUsdPerGpuHour !== undefined)
		clauses.push([
			words("waiting for home, at "),
			value(usd(effect.waitingMicroUsdPerGpuHour)),
			words(" per GPU-hour, costs more than the cloud"),
		]);
	return alternatives(clauses);
}

const MOVES: Readonly<Record<MoveKind, string>> = { home: "at home", cheaper: "on cheaper capacity" };

function moveOf(effect: Extract<RuleEffect, { kind: "move" }>): Segment[] {
	const saving = effect.savingMicroUsd === 0n ? [words("anything")] : [words("at least "), value(usd(effect.savingMicroUsd))];
	return [
		words("continuing "),
		...listed(effect.to.map((to) => MOVES[to])),
		words(" saves "),
		...saving,
		words(" after what the move costs"),
	];
}

function prewarmOf(effect: Extract<RuleEffect, { kind: "prewarm" }>): Segment[] {
	const {
		machines,
		accelerator,
		gpusPerMachine,
		state,
		sites,
		capacityType,
		capMicroUsdPerMonth,
		idleMs,
		hours,
		images = [],
		data = [],
	} = effect;
	const clock = (minutes: number): string => [Math.floor(minutes / 60), minutes % 60].map((n) => String(n).padStart(2, "0")).join(":");
	const when =
		hours === null
			? [
					words(" when the forecast expects a need, at "),
					value(usd(effect.waitingMicroUsdPerGpuHour)),
					words(" for an hour of waiting per GPU"),
				]
			: [words(" on "), ...listed(hours.days), value(` ${clock(hours.fromMinute)} to ${clock(hours.toMinute)}`)];
	return [
		words("at most "),
		value(grouping(String(machines))),
		words(machines === 1 ? " machine without a job is kept " : " machines without a job are kept "),
		value(state),
		words(", each with "),
		value(`${gpusPerMachine} ${accelerator}`),
		...(sites.length > 0 ? [words(" at "), ...listed(sites)] : []),
		...(capacityType === null ? [] : [words(", "), value(LABELS[capacityType])]),
		words(","),
		...when,
		words(", for at most "),
		value(formatDuration(idleMs)),
		words(" each and "),
		value(usd(capMicroUsdPerMonth)),
		words(" a month"),
		...(images.length > 0 ? [words(", with image "), ...listed(images)] : []),
		...(data.length > 0 ? [words(", with data "), ...listed(data)] : []),
	];
}

function limitsOf(effect: Extract<RuleEffect, { kind: "limit" }>): Segment[] {
	const clauses: Segment[][] = [];
	if (effect.instanceMs !== null) clauses.push([words("a cloud instance runs at most "), value(formatDuration(effect.instanceMs))]);
	if (effect.idleMs !== null) clauses.push([words("a cloud instance is idle at most "), value(formatDuration(effect.idleMs))]);
	const low = effect.gpuUtilisationBelow;
	if (low !== null)
		clauses.push([
			words("its GPUs are used less than "),
			value(`${low.percent}%`),
			words(" for at most "),
			value(formatDuration(low.forMs)),
		]);
	const measured = effect.idleMs !== null || low !== null ? [words(". Idle time and utilization count only where they are measured")] : [];
	return [...clauses.flatMap((c, index) => (index === 0 ? c : [words(", "), ...c])), ...measured];
}
