import type { RuleEffect } from "#server/domain/policy.ts";
import { POLICY_LIMITS } from "./limits.ts";
import type { Field, PolicyReader } from "./policy-reader.ts";

const TRIGGERS = ["forecastWait", "waited", "deadlineSlack", "queueLength"] as const;
type Trigger = (typeof TRIGGERS)[number];
type Burst = Extract<RuleEffect, { kind: "burst" }>;
type Only = Pick<Burst, "costAtMostMicroUsd" | "dataAtMostGiB">;

/** `burst: { after, or, only }` or `burst: { always: true, only }`. */
export function readBurst(reader: PolicyReader, at: Field): Burst | null {
	const fields = reader.fields(at, ["after", "or", "always", "only"]);
	if (!fields) return null;
	const onlyField = fields.get("only");
	const only = onlyField ? readOnly(reader, onlyField) : { costAtMostMicroUsd: null, dataAtMostGiB: null };
	const always = fields.get("always");
	const after = fields.get("after");
	const or = fields.get("or");
	if (always) {
		if (after || or)
			return reader.report(
				"error",
				always.keyOffset,
				"always stands alone: what bursts at once does not wait for anything.",
				"Take after and or away.",
			);
		const none = { forecastWaitMs: null, waitedMs: null, deadlineSlackMs: null, queueLength: null };
		return reader.oneOf(always, ["true"]) && only && { kind: "burst", ...none, always: true, ...only };
	}
	if (!after) return reader.error(at, `${at.path} does not say when.`, "Write for example after: { forecastWait: 30m }.");
	const triggers = readAfterAndOr(reader, after, or);
	if (!triggers || !only) return null;
	const value = (name: Trigger) => triggers.get(name) ?? null;
	return {
		kind: "burst",
		forecastWaitMs: value("forecastWait"),
		waitedMs: value("waited"),
		deadlineSlackMs: value("deadlineSlack"),
		queueLength: value("queueLength"),
		always: false,
		...only,
	};
}

function readAfterAndOr(reader: PolicyReader, after: Field, or: Field | undefined): Map<Trigger, number> | null {
	const first = readTriggers(reader, after);
	const others = or ? readTriggers(reader, or) : new Map<Trigger, number>();
	if (!first || !others) return null;
	if (first.size > 1) {
		return reader.error(
			after,
			"after takes one trigger: two could mean both or either.",
			"Keep one, and write the others in or: a job bursts when any of them is met.",
		);
	}
	for (const name of others.keys())
		if (or && first.has(name)) return reader.error(or, `${name} is in after and in or.`, "Keep one of them.");
	return new Map([...first, ...others]);
}

function readTriggers(reader: PolicyReader, at: Field): Map<Trigger, number> | null {
	const fields = reader.fields(at, TRIGGERS);
	if (!fields) return null;
	const triggers = new Map<Trigger, number>();
	let sound = fields.size > 0;
	if (fields.size === 0) reader.missing(at, fields, `${at.path} names no trigger.`, `Give it one of: ${TRIGGERS.join(", ")}.`);
	for (const name of TRIGGERS) {
		const field = fields.get(name);
		if (!field) continue;
		const value =
			name === "queueLength"
				? reader.number(field, { above: 0, atMost: POLICY_LIMITS.queueLength, whole: true, unit: "waiting jobs" })
				: reader.durationMs(field);
		if (value === null) sound = false;
		else triggers.set(name, value);
	}
	return sound ? triggers : null;
}

/** What a burst may cost and carry along at most, however due it is. */
function readOnly(reader: PolicyReader, at: Field): Only | null {
	const fields = reader.fields(at, ["costAtMostUsd", "dataAtMostGiB"]);
	if (!fields) return null;
	const cost = fields.get("costAtMostUsd");
	const data = fields.get("dataAtMostGiB");
	if (!cost && !data) return reader.missing(at, fields, `${at.path} restricts nothing.`, "Write for example costAtMostUsd: 50.");
	const costAtMostMicroUsd = cost ? reader.microUsd(cost) : null;
	const dataAtMostGiB = data ? reader.number(data, { atLeast: 0, atMost: POLICY_LIMITS.gib, whole: false, unit: "GiB" }) : null;
	if ((cost && costAtMostMicroUsd === null) || (data && dataAtMostGiB === null)) return null;
	return { costAtMostMicroUsd, dataAtMostGiB };
}
