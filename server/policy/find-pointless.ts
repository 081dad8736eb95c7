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
			`${id} lets jobs burst, but ${nameOf(closing)} denies every cloud to ${jobs}.`,
			`Give ${closing.rule.id} a condition${jobs === "every job" ? "" : " that excludes some"}, or remove ${id}.`,
		);
	}
	const waits = effect.forecastWaitMs ?? effect.waitedMs ?? effect.queueLength ?? effect.waitingMicroUsdPerGpuHour ?? null;
	if (!effect.always && waits === null && logic.implies(when, "!job.hasDeadline")) {
		const message = `${id} bursts when a deadline is near, but its jobs have none: it never applies.`;
		reader.report("error", placed.offset, message, "Use forecastWait or waited, or change the condition.");
	}
	if (effect.costAtMostMicroUsd === 0n) {
		const message = `${id} lets jobs burst only to offers that cost nothing, so at most to reserved capacity.`;
		reader.report("warning", placed.offset, message, "Raise costAtMostUsd if they may cost anything.");
	}
}

function findPointlessPreempt(finding: Finding, placed: Of<"preempt">): void {
	if (placed.rule.effect.longerBy !== null) return;
	const { reader, logic, rules } = finding;
	const { id, when, effect } = placed.rule;
	if (logic.implies(when, "!job.hasDeadline")) {
		const message = `${id} makes room for jobs with a deadline, but its jobs have none: it has no effect.`;
		reader.report(
			"error",
			placed.offset,
			message,
			"Change the condition, for example to job.hasDeadline; without deadlines, priority and shares decide the order.",
		);
		return;
	}
	const homeless = closedBy(finding, placed, closesHome);
	if (homeless) {
		const message = `${id} makes room at home for jobs that ${nameOf(homeless)} keeps away from home.`;
		reader.report("warning", placed.offset, message, `Remove ${id}, or exclude its jobs in ${homeless.rule.id}.`);
		return;
	}
	const away = (c: WorkloadClass) => rules.some((r) => closesHome(r.rule.effect) && logic.implies(`job.class == "${c}"`, r.rule.when));
	if (effect.classes.every(away)) {
		const message = `${id} preempts ${effect.classes.join(", ")}, which no rule lets run at home: there is nothing to preempt.`;
		reader.report("warning", placed.offset, message, "Name classes that run at home.");
		return;
	}
	const named = `job.class in [${effect.classes.map((c) => `"${c}"`).join(", ")}]`;
	if (!logic.implies(when, named) || !logic.implies(named, when)) return;
	const all = effect.classes.length === WORKLOAD_CLASSES.length;
	const message = `${id} lets jobs preempt only their own kind: a preempted job may preempt the other in turn.`;
	const fix = all
		? "Give it a condition, for example when: job.hasDeadline."
		: "Name other classes, or add a condition that distinguishes them.";
	reader.report("warning", placed.offset, message, fix);
}

function findPointlessMove(finding: Finding, placed: Of<"move">): void {
	const { reader, logic, rules } = finding;
	const { id, when, effect } = placed.rule;
	if (!rules.some((r) => r.rule.effect.kind === "burst" && !logic.excludes(r.rule.when, when))) {
		const message = `${id} moves burst jobs, but no rule lets any of its jobs burst: it only affects jobs that burst earlier.`;
		reader.report("warning", placed.offset, message, "Add a burst rule for them, or remove the move when the last one is home.");
		return;
	}
	if (logic.implies(when, "!job.hasCheckpoint")) {
		const message = `${id} moves jobs at a checkpoint, but its jobs write none: it has no effect.`;
		reader.report("error", placed.offset, message, "Change the condition, for example to job.hasCheckpoint.");
		return;
	}
	const homeless = closedBy(finding, placed, closesHome);
	if (!homeless || !effect.to.includes("home")) return;
	const message = `${id} moves jobs home, but ${nameOf(homeless)} keeps them away from home.`;
	reader.report("warning", placed.offset, message, `Remove home from its list, or exclude its jobs in ${homeless.rule.id}.`);
}

/** At home an hour costs no cash; only offers have cheaper hours. */
function findPointlessDefer(finding: Finding, placed: Of<"defer">): void {
	const { reader, logic, rules } = finding;
	const { id, when, effect } = placed.rule;
	if (effect.to === "greener" || rules.some((r) => r.rule.effect.kind === "burst" && !logic.excludes(r.rule.when, when))) return;
	const message = `${id} waits for a cheaper hour, but no rule lets any of its jobs burst: at home every hour costs the same.`;
	reader.report("warning", placed.offset, message, "Use to: greener, or add a burst rule for them.");
}

/** An approval precedes leaving home, so it never applies where no job leaves. */
function findPointlessAsk(finding: Finding, placed: Of<"require">): void {
	const { reader, logic, rules } = finding;
	const { id, when } = placed.rule;
	const closing = closedBy(finding, placed, closesClouds);
	if (closing) {
		const message = `${id} requires approval before jobs leave home, but ${nameOf(closing)} denies every cloud to all of them: it never applies.`;
		reader.report("error", placed.offset, message, `Remove ${id}, or exclude its jobs in ${closing.rule.id}.`);
		return;
	}
	if (rules.some((r) => r.rule.effect.kind === "burst" && !logic.excludes(r.rule.when, when))) return;
	const message = `${id} requires approval before jobs leave home, but no rule lets any of its jobs burst: it never applies.`;
	reader.report("warning", placed.offset, message, "Add a burst rule for them, or remove it.");
}

/** Home is excluded for jobs that no rule lets leave it. */
function findStranded({ reader, logic, rules }: Finding, placed: PlacedRule): void {
	const leaves = rules.some((r) => r.rule.effect.kind === "burst" && !logic.excludes(r.rule.when, placed.rule.when));
	if (leaves) return;
	const message = `${placed.rule.id} closes home to jobs that no rule lets burst: these jobs fail.`;
	reader.report("warning", placed.offset, message, "Add a rule such as burst: { always: true } for them.");
}
