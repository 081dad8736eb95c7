import type { RuleEffect } from "#server/domain/policy.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { POLICY_LIMITS } from "./limits.ts";
import type { Field, PolicyReader } from "./policy-reader.ts";
import type { Measure } from "./types.ts";

type Limit = Extract<RuleEffect, { kind: "limit" }>;

/** `limit: { instanceHours, idleMinutes, gpuUtilisationBelow }`. `measures`: what this installation measures of an instance. */
export function readLimit(reader: PolicyReader, measures: readonly Measure[], at: Field): Limit | null {
	const fields = reader.fields(at, ["instanceHours", "idleMinutes", "gpuUtilisationBelow"]);
	if (!fields) return null;
	if (fields.size === 0) return reader.missing(at, fields, `${at.path} limits nothing.`, "Write for example instanceHours: 24.");
	const hours = fields.get("instanceHours");
	const idle = fields.get("idleMinutes");
	const utilisation = fields.get("gpuUtilisationBelow");
	const instanceMs = hours ? readLife(reader, hours) : null;
	const idleMs = idle ? readIdle(reader, idle) : null;
	const gpuUtilisationBelow = utilisation ? readUtilisation(reader, utilisation) : null;
	if (idle && idleMs !== null && !measures.includes("idle")) warnUnmeasured(reader, idle, "whether an instance is idle");
	if (utilisation && gpuUtilisationBelow !== null && !measures.includes("gpu_utilisation"))
		warnUnmeasured(reader, utilisation, "how busy the GPUs of an instance are");
	if ((hours && instanceMs === null) || (idle && idleMs === null) || (utilisation && gpuUtilisationBelow === null)) return null;
	return { kind: "limit", instanceMs, idleMs, gpuUtilisationBelow };
}

function readLife(reader: PolicyReader, at: Field): number | null {
	const hours = reader.number(at, { above: 0, atMost: POLICY_LIMITS.durationMs / HOUR_MS, whole: false, unit: "hours" });
	if (hours === null) return null;
	const ms = Math.floor(hours * HOUR_MS);
	return ms >= MINUTE_MS ? ms : reader.error(at, "An instance that lives less than a minute cannot run anything.", "Write at least 0.02.");
}

function readIdle(reader: PolicyReader, at: Field): number | null {
	const minutes = reader.number(at, { above: 0, atMost: POLICY_LIMITS.durationMs / MINUTE_MS, whole: false, unit: "minutes" });
	if (minutes === null) return null;
	const ms = Math.floor(minutes * MINUTE_MS);
	return ms > 0 ? ms : reader.error(at, "That is less than a thousandth of a second.", "Write for example idleMinutes: 10.");
}

function readUtilisation(reader: PolicyReader, at: Field): Limit["gpuUtilisationBelow"] {
	const fields = reader.fields(at, ["percent", "for"]);
	if (!fields) return null;
	const percentField = reader.required(at, fields, "percent", "Write for example percent: 5.");
	const forField = reader.required(at, fields, "for", "Say for how long, for example for: 30m.");
	const percent = percentField && reader.number(percentField, { above: 0, atMost: 100, whole: false, unit: "percent" });
	const forMs = forField && reader.durationMs(forField);
	return percent !== null && forMs !== null ? { percent, forMs } : null;
}

/** A limit promises no sum of money, so that it may stand before it is measured; but nobody may rely on it unawares. */
function warnUnmeasured(reader: PolicyReader, at: Field, what: string): void {
	reader.report(
		"warning",
		at.keyOffset,
		`${at.path} is not enforced until something measures ${what}, which nothing here does yet.`,
		"Give instanceHours as well: it always holds, and bounds what a forgotten instance can cost.",
	);
}
