import type { Policy, RuleEffect } from "#server/domain/policy.ts";
import { EFFECTS, type RuleFile } from "#server/domain/policy-schema.ts";
import { assertNever, defined } from "#server/kernel/assert.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";

/** The one effect of a valid rule, as plain data. */
export function buildEffect(rule: RuleFile): RuleEffect {
	const kind = defined(
		EFFECTS.find((name) => rule[name] !== undefined),
		"effect of a valid rule",
	);
	switch (kind) {
		case "deny":
		case "allow":
			return { kind, ...buildPlaces(defined(rule[kind], kind)) };
		case "burst":
			return buildBurst(defined(rule.burst, kind));
		case "require": {
			const { capacityType = null, approval = null } = defined(rule.require, kind);
			return { kind, capacityType, approval };
		}
		case "preempt": {
			const { classes, longerBy = null } = defined(rule.preempt, kind);
			return { kind, classes, longerBy };
		}
		case "move": {
			const { to, savingUsd = 0n } = defined(rule.move, kind);
			return { kind, to, savingMicroUsd: savingUsd };
		}
		case "defer": {
			const { to, within, at, percentPerHour } = defined(rule.defer, kind);
			return { kind, to, withinMs: within, ...(at && { at }), ...(percentPerHour !== undefined && { percentPerHour }) };
		}
		case "adopt": {
			const { team, sites = [], partitions = [], users = [], optIn } = defined(rule.adopt, kind);
			return { kind, team, sites, partitions, users, needsOptIn: optIn === "needed" };
		}
		case "prewarm":
			return buildPrewarm(defined(rule.prewarm, kind));
		case "limit":
			return buildLimit(defined(rule.limit, kind));
		default:
			return assertNever(kind, "effect");
	}
}

type Present<K extends keyof RuleFile> = NonNullable<RuleFile[K]>;

function buildPlaces({ sites = [], regions = [], instanceFamilies = [], capacityTypes = [] }: Present<"deny">) {
	return { sites, regions, instanceFamilies, capacityTypes };
}

function buildBurst({ after, or, always, only }: Present<"burst">): Extract<RuleEffect, { kind: "burst" }> {
	const triggers = { ...after, ...or };
	return {
		kind: "burst",
		forecastWaitMs: triggers.forecastWait ?? null,
		waitedMs: triggers.waited ?? null,
		deadlineSlackMs: triggers.deadlineSlack ?? null,
		queueLength: triggers.queueLength ?? null,
		...(triggers.waitingUsdPerGpuHour !== undefined && { waitingMicroUsdPerGpuHour: triggers.waitingUsdPerGpuHour }),
		always: always !== undefined,
		costAtMostMicroUsd: only?.costAtMostUsd ?? null,
		dataAtMostGiB: only?.dataAtMostGiB ?? null,
	};
}

/** Maximum idle time if the rule gives none: a stopped machine costs little. */
const IDLE_MINUTES = { stopped: 7 * 24 * 60, running: 30 } as const;

function buildPrewarm(file: Present<"prewarm">): Extract<RuleEffect, { kind: "prewarm" }> {
	const { machines, accelerator, gpus, state, sites = [], capacityType = null, monthlyUsd, hours, images, data } = file;
	return {
		...{ kind: "prewarm", machines, accelerator, gpusPerMachine: gpus, state, sites, capacityType },
		capMicroUsdPerMonth: monthlyUsd,
		idleMs: Math.floor((file.idleMinutes ?? IDLE_MINUTES[state]) * MINUTE_MS),
		waitingMicroUsdPerGpuHour: file.waitingUsdPerGpuHour ?? 0n,
		hours: hours ? { days: hours.days, fromMinute: hours.from, toMinute: hours.to } : null,
		...(images && { images }),
		...(data && { data }),
	};
}

function buildLimit({ instanceHours, idleMinutes, gpuUtilisationBelow: low }: Present<"limit">): Extract<RuleEffect, { kind: "limit" }> {
	return {
		kind: "limit",
		instanceMs: instanceHours === undefined ? null : Math.floor(instanceHours * HOUR_MS),
		idleMs: idleMinutes === undefined ? null : Math.floor(idleMinutes * MINUTE_MS),
		gpuUtilisationBelow: low ? { percent: low.percent, forMs: low.for } : null,
	};
}

export function buildWeights(
	file: { delayUsdPerHour?: bigint | undefined; carbonUsdPerTonne?: bigint | undefined; pointsPerGpuHour?: number | undefined } = {},
): Policy["weights"] {
	return {
		delayMicroUsdPerHour: file.delayUsdPerHour ?? 0n,
		carbonMicroUsdPerTonne: file.carbonUsdPerTonne ?? 0n,
		...(file.pointsPerGpuHour !== undefined && { pointsPerGpuHour: file.pointsPerGpuHour }),
	};
}
