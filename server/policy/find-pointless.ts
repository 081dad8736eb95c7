import type { RuleEffect } from "#server/domain/policy.ts";
import { WORKLOAD_CLASSES, type WorkloadClass } from "#server/domain/vocabulary.ts";
import { formatDuration, MINUTE_MS } from "#server/kernel/units.ts";
import { type Finding, impliesWith, nameOf } from "./find-contradictions.ts";
import type { PlacedRule } from "./parse-entries.ts";
import { closesClouds, closesHome } from "./place-lists.ts";

type Of<K extends RuleEffect["kind"]> = PlacedRule & { rule: { effect: Extract<RuleEffect, { kind: K }> } };

/** Rules without effect next to the others: bursts without a destination, moves of jobs that never left. */
export function findPointless(finding: Finding): void {
	for (const placed of finding.rules) {
		if (finding.logic.never(placed.rule.when)) continue;
		if (isOf(placed, "burst")) findPointlessBurst(finding, placed);
		if (isOf(placed, "preempt")) findPointlessPreempt(finding, placed);
		if (isOf(placed, "move")) findPointlessMove(finding, placed);
		if (isOf(placed, "defer")) findPointlessDefer(finding, placed);
		if (isOf(placed, "require") && placed.rule.effect.approval !== null) findPointlessAsk(finding, placed);
		if (isOf(placed, "limit")) findShortLives(finding, placed);
		if (closesHome(placed.rule.effect)) findStranded(finding, placed);
	}
}

function isOf<K extends RuleEffect["kind"]>(placed: PlacedRule, kind: K): placed is Of<K> {
	return placed.rule.effect.kind === kind;
}

/** A boot of up to 10 minutes, a restore of 3 and a checkpoint every 15 leave nothing of a shorter lifetime. */
const SHORT_LIFE_MS = 30 * MINUTE_MS;

function findShortLives({ reader }: Finding, placed: Of<"limit">): void {
	const { id, effect } = placed.rule;
	if (effect.instanceMs === null || effect.instanceMs >= SHORT_LIFE_MS) return;
	const message = `${id} ends instances after ${formatDuration(effect.instanceMs)}, boot included: longer jobs without checkpoints in that time never finish.`;
	reader.report("warning", placed.offset, message, "Raise instanceHours to at least 0.5.");
}

/** The rule that excludes clouds, or home, for every job that `placed` holds for. */
function closedBy({ logic, rules }: Finding, placed: PlacedRule, closes: (effect: RuleEffect) => boolean): PlacedRule | undefined {
	return rules.find((other) => closes(other.rule.effect) && impliesWith(logic, other, placed));
}

function findPointlessBurst(finding: Finding, placed: Of<"burst">): void {
	const { reader, logic } = finding;
	const { id, when, effect } = placed.rule;
	const closing = closedBy(finding, placed, closesClouds);
	if (closing) {
		const jobs = logic.always(closing.rule.when) ? "every job" : "all of them";
		reader.report(
			"error",
			placed.offset,
			`${id} lets jobs burst, but ${nameOf(closing)} takes every cloud away from ${jobs}.`,
			`Give ${closing.rule.id} a condition${jobs === "every job" ? "" : " that leaves some out"}, or take ${id} away.`,
		);
	}
	const waits = effect.forecastWaitMs ?? effect.waitedMs ?? effect.queueLength ?? effect.waitingMicroUsdPerGpuHour ?? null;
	if (!effect.always && waits === null && logic.implies(when, "!job.hasDeadline")) {
		const message = `${id} bursts when a deadline draws near, and its jobs have none: it never lets one leave.`;
		reader.report("error", placed.offset, message, "Use forecastWait or waited, or change the condition.");
	}
	if (effect.costAtMostMicroUsd === 0n) {
		const message = `${id} lets jobs leave only to offers that cost nothing, which is reserved capacity at most.`;
		reader.report("warning", placed.offset, message, "Raise costAtMostUsd if they may cost anything.");
	}
}

function findPointlessPreempt(finding: Finding, placed: Of<"preempt">): void {
	if (placed.rule.effect.longerBy !== null) return;
	const { reader, logic, rules } = finding;
	const { id, when, effect } = placed.rule;
	if (logic.implies(when, "!job.hasDeadline")) {
		const message = `${id} makes room for jobs with a deadline, and its jobs have none: it does nothing.`;
		reader.report(
			"error",
			placed.offset,
			message,
			"Change the condition, for example to job.hasDeadline; who comes first without one is what priority and shares say.",
		);
		return;
	}
	const homeless = closedBy(finding, placed, closesHome);
	if (homeless) {
		const message = `${id} makes room at home for jobs that ${nameOf(homeless)} keeps away from there.`;
		reader.report("warning", placed.offset, message, `Take ${id} away, or let ${homeless.rule.id} leave its jobs out.`);
		return;
	}
	const away = (c: WorkloadClass) => rules.some((r) => closesHome(r.rule.effect) && logic.implies(`job.class == "${c}"`, r.rule.when));
	if (effect.classes.every(away)) {
		const message = `${id} takes the place of ${effect.classes.join(", ")}, which no rule lets run at home: there is no place to take.`;
		reader.report("warning", placed.offset, message, "Name classes that run at home.");
		return;
	}
	const named = `job.class in [${effect.classes.map((c) => `"${c}"`).join(", ")}]`;
	if (!logic.implies(when, named) || !logic.implies(named, when)) return;
	const all = effect.classes.length === WORKLOAD_CLASSES.length;
	const message = `${id} lets jobs preempt only their own kind: a preempted job may preempt the other in turn.`;
	const fix = all
		? "Give it a condition, for example when: job.hasDeadline."
		: "Name other classes, or add a condition that tells them apart.";
	reader.report("warning", placed.offset, message, fix);
}

function findPointlessMove(finding: Finding, placed: Of<"move">): void {
	const { reader, logic, rules } = finding;
	const { id, when, effect } = placed.rule;
	if (!rules.some((r) => r.rule.effect.kind === "burst" && !logic.excludes(r.rule.when, when))) {
		const message = `${id} moves burst jobs, and no rule lets any of its jobs burst: it only ends what burst before.`;
		reader.report("warning", placed.offset, message, "Add a burst rule for them, or take the move away when the last one is home.");
		return;
	}
	if (logic.implies(when, "!job.hasCheckpoint")) {
		const message = `${id} moves jobs at a checkpoint, and its jobs write none: it does nothing.`;
		reader.report("error", placed.offset, message, "Change the condition, for example to job.hasCheckpoint.");
		return;
	}
	const homeless = closedBy(finding, placed, closesHome);
	if (!homeless || !effect.to.includes("home")) return;
	const message = `${id} moves jobs home, from where ${nameOf(homeless)} keeps them away.`;
	reader.report("warning", placed.offset, message, `Take home out of its list, or let ${homeless.rule.id} leave its jobs out.`);
}

/** At home an hour costs no cash; only offers have cheaper hours. */
function findPointlessDefer(finding: Finding, placed: Of<"defer">): void {
	const { reader, logic, rules } = finding;
	const { id, when, effect } = placed.rule;
	if (effect.to === "greener" || rules.some((r) => r.rule.effect.kind === "burst" && !logic.excludes(r.rule.when, when))) return;
	const message = `${id} waits for a cheaper hour, and no rule lets any of its jobs burst: at home every hour costs the same.`;
	reader.report("warning", placed.offset, message, "Write to: greener, or add a burst rule for them.");
}

/** An approval precedes leaving home, so it never applies where no job leaves. */
function findPointlessAsk(finding: Finding, placed: Of<"require">): void {
	const { reader, logic, rules } = finding;
	const { id, when } = placed.rule;
	const closing = closedBy(finding, placed, closesClouds);
	if (closing) {
		const message = `${id} asks before jobs leave home, and ${nameOf(closing)} takes every cloud away from all of them: it never asks.`;
		reader.report("error", placed.offset, message, `Take ${id} away, or let ${closing.rule.id} leave its jobs out.`);
		return;
	}
	if (rules.some((r) => r.rule.effect.kind === "burst" && !logic.excludes(r.rule.when, when))) return;
	const message = `${id} asks before jobs leave home, and no rule lets any of its jobs burst: it never asks.`;
	reader.report("warning", placed.offset, message, "Add a burst rule for them, or take it away.");
}

/** Home is excluded for jobs that no rule lets leave it. */
function findStranded({ reader, logic, rules }: Finding, placed: PlacedRule): void {
	const leaves = rules.some((r) => r.rule.effect.kind === "burst" && !logic.excludes(r.rule.when, placed.rule.when));
	if (leaves) return;
	const message = `${placed.rule.id} closes home to jobs that no rule lets burst: these fail.`;
	reader.report("warning", placed.offset, message, "Add a rule such as burst: { always: true } for them.");
}
