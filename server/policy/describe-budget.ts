import type { BudgetRule, CapReaction, CapRule, Policy } from "#server/domain/policy.ts";
import { assertNever } from "#server/kernel/assert.ts";
import { describeCondition, grouping, type Segment, value, words } from "./describe-condition.ts";
import type { Description } from "./description.ts";
import { sentenceOf, usd } from "./sentence.ts";

export function describeBudget(budget: BudgetRule): Description {
	const scope = scopeOf(budget.scope, "total cloud spending is at most ", "cloud spending is at most ");
	return {
		id: budget.id,
		line: budget.line,
		group: "limit",
		sentence: sentenceOf([
			...scope,
			value(usd(budget.capMicroUsd)),
			words(" a "),
			value(budget.period),
			words(`. ${REACTIONS[budget.atCap]}`),
		]),
	};
}

const REACTIONS: Readonly<Record<CapReaction, string>> = {
	hold: "New bursts are held at the cap",
	"checkpoint-and-return": "At the cap new bursts are held, and running ones that no longer fit save a checkpoint and are queued again",
	terminate: "At the cap new bursts are held, and running ones that no longer fit are ended and queued again",
};

export function describeCap(cap: CapRule): Description {
	return {
		id: cap.id,
		line: cap.line,
		group: "limit",
		sentence: sentenceOf([...capOf(cap), words(". Jobs that would exceed it wait")]),
	};
}

function capOf(cap: CapRule): Segment[] {
	switch (cap.kind) {
		case "burn_rate":
			return [
				...scopeOf(cap.scope, "all cloud instances together cost at most ", "cloud instances cost at most "),
				value(usd(cap.microUsdPerHour)),
				words(" an hour"),
			];
		case "egress":
			return [
				...scopeOf(cap.scope, "total egress from the clouds is at most ", "egress from the clouds is at most "),
				value(`${grouping(String(cap.gib))} GiB`),
				words(" a "),
				value(cap.period),
			];
		case "instances":
			return [
				...scopeOf(cap.scope, "there are at most ", "there are at most "),
				value(grouping(String(cap.count))),
				words(cap.count === 1 ? " cloud instance at a time" : " cloud instances at a time"),
			];
		default:
			return assertNever(cap, "cap");
	}
}

function scopeOf(scope: string, all: string, some: string): Segment[] {
	return scope.trim() === "true" ? [words(all)] : [words("Where "), ...describeCondition(scope), words(`: ${some}`)];
}

/** One sentence for all shares; none without shares. */
export function describeShares(shares: Policy["shares"]): Description[] {
	if (shares.length === 0) return [];
	const parts = shares.flatMap(({ team, weight }, index): Segment[] => [
		words(index === 0 ? "Each team is entitled to a share of the GPUs by weight: " : ", "),
		value(team),
		words(" "),
		value(grouping(String(weight))),
	]);
	const rest = words(", every other team 1. Other teams may use what a team leaves idle");
	return [{ id: "shares", line: null, group: "room", sentence: sentenceOf([...parts, rest]) }];
}

/** How the queue favors small jobs; none without that weight. */
export function describeOrder({ pointsPerGpuHour = 0 }: Policy["weights"]): Description[] {
	if (pointsPerGpuHour === 0) return [];
	const sentence = sentenceOf([
		words("Smaller jobs come first in the queue: each GPU-hour of expected work counts as "),
		value(grouping(String(pointsPerGpuHour))),
		words(` ${pointsPerGpuHour === 1 ? "hour" : "hours"} less of waiting`),
	]);
	return [{ id: "order", line: null, group: "room", sentence }];
}

export function describeWeights(weights: Policy["weights"]): Description {
	const delay = weights.delayMicroUsdPerHour > 0n ? [words("an hour's delay counts as "), value(usd(weights.delayMicroUsdPerHour))] : [];
	const carbon =
		weights.carbonMicroUsdPerTonne > 0n ? [words("a tonne of CO2 counts as "), value(usd(weights.carbonMicroUsdPerTonne))] : [];
	const and = delay.length > 0 && carbon.length > 0 ? [words(" and ")] : [];
	const where = delay.length + carbon.length > 0 ? [words(", where ")] : [];
	return {
		id: "weights",
		line: null,
		group: "prefer",
		sentence: sentenceOf([words("The lowest total"), ...where, ...delay, ...and, ...carbon]),
	};
}
