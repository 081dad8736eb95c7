import type { Placement } from "./capacity.ts";

/** The stored trace context of a submission: W3C Trace Context of the caller, and when the request arrived. */
export interface TraceStart {
	/** 32 hex digits. */
	traceId: string;
	/** The caller's span, 16 hex digits; null when the trace starts here. */
	parentSpanId: string | null;
	/** The caller's `tracestate`, passed on unchanged. */
	traceState: string | null;
	receivedAtMs: number;
}

/** Decides whether the submission of a request is traced; null: no. Port of server/tracing. */
export type StartTrace = (headers: Readonly<Record<string, unknown>>, nowMs: number) => TraceStart | null;

export type TraceAttributes = Readonly<Record<string, string | number | boolean>>;

/**
 * A finished step of a job. Keys are unique within the job; span ids are derived from them, so that exporting again
 * gives the same span.
 */
export interface TraceStep {
	key: string;
	/** Key of the parent step; null for the first. */
	parent: string | null;
	name: "submit" | "decide" | "attempt" | "launch" | "boot" | "stage" | "run" | "charge";
	startMs: number;
	endMs: number;
	attributes: TraceAttributes;
	/** Reason code if it failed. */
	failure?: string | undefined;
}

export interface MachineFacts {
	rank: number;
	id: string;
	type: string;
	intendedAtMs: number;
	launchedAtMs: number | null;
	readyAtMs: number | null;
	stagedAtMs: number | null;
}

export interface AttemptFacts {
	number: number;
	placement: Placement;
	createdAtMs: number;
	handedOverAtMs: number | null;
	stagingAtMs: number | null;
	startedAtMs: number | null;
	finishedAtMs: number | null;
	succeeded: boolean;
	reasonCode: string | null;
	/** The decision that caused it. */
	policy: { name: string; version: number } | null;
	machines: readonly MachineFacts[];
	/** Its charges; null until all its time is charged. */
	charge: { atMs: number; microUsd: bigint } | null;
}

/** The recorded times of a job. */
export interface JobTraceFacts {
	jobId: string;
	team: string;
	class: string;
	receivedAtMs: number;
	submittedAtMs: number;
	attempts: readonly AttemptFacts[];
}

const SUBMIT = "submit";

/** The key of the step in which an attempt's command runs; spans created by the job itself are its children. */
export function runKey(attemptNumber: number): string {
	return `${attemptNumber}/run`;
}

/** Every finished step of a job, from its recorded times. Steps end when the next recorded time is known. */
export function traceSteps(job: JobTraceFacts): TraceStep[] {
	const base = { "spillway.job.id": job.jobId, "spillway.team": job.team, "spillway.class": job.class };
	const submit = step(SUBMIT, null, "submit", job.receivedAtMs, job.submittedAtMs, base);
	let waitingSinceMs = job.submittedAtMs;
	const rest = job.attempts.flatMap((attempt) => {
		const attributes = { ...base, ...attributesOf(attempt) };
		const steps = attemptSteps(attempt, waitingSinceMs, attributes);
		waitingSinceMs = attempt.finishedAtMs ?? waitingSinceMs;
		return steps;
	});
	return [submit, ...rest].filter((one) => one !== null);
}

function attemptSteps(attempt: AttemptFacts, waitingSinceMs: number, attributes: TraceAttributes): (TraceStep | null)[] {
	const { number, createdAtMs, startedAtMs, finishedAtMs, charge, policy } = attempt;
	const whole = `${number}`;
	const failure = attempt.succeeded ? undefined : (attempt.reasonCode ?? undefined);
	const decided = policy ? { ...attributes, "spillway.policy": policy.name, "spillway.policy.version": policy.version } : attributes;
	const cost = charge === null ? attributes : { ...attributes, "spillway.cost.usd": Number(charge.microUsd) / 1_000_000 };
	return [
		step(`${number}/decide`, SUBMIT, "decide", waitingSinceMs, createdAtMs, decided),
		step(whole, SUBMIT, "attempt", createdAtMs, finishedAtMs, attributes, failure),
		...(attempt.placement.capacityType === "owned" ? homeSteps(attempt, attributes) : cloudSteps(attempt, attributes)),
		step(runKey(number), whole, "run", startedAtMs, finishedAtMs, attributes, failure),
		step(`${number}/charge`, whole, "charge", finishedAtMs, charge?.atMs ?? null, cost),
	];
}

/** At home the cluster starts the machine: boot is the time until it reports the attempt's first step. */
function homeSteps(attempt: AttemptFacts, attributes: TraceAttributes): (TraceStep | null)[] {
	const { number, createdAtMs, handedOverAtMs, stagingAtMs, startedAtMs } = attempt;
	const whole = `${number}`;
	const upMs = stagingAtMs ?? startedAtMs;
	return [
		step(`${number}/launch`, whole, "launch", createdAtMs, handedOverAtMs, attributes),
		step(`${number}/boot`, whole, "boot", handedOverAtMs, upMs, attributes),
		step(`${number}/stage`, whole, "stage", upMs, startedAtMs, attributes),
	];
}

function cloudSteps(attempt: AttemptFacts, attributes: TraceAttributes): (TraceStep | null)[] {
	const { number, machines, startedAtMs } = attempt;
	return machines.flatMap(({ rank, id, type, intendedAtMs, launchedAtMs, readyAtMs, stagedAtMs }) => {
		const of = { ...attributes, "host.id": id, "host.type": type, "spillway.rank": rank };
		const key = (name: string): string => `${number}/${name}/${rank}`;
		const bootedFromMs = launchedAtMs ?? readyAtMs;
		return [
			step(key("launch"), `${number}`, "launch", intendedAtMs, bootedFromMs, of),
			step(key("boot"), `${number}`, "boot", bootedFromMs, readyAtMs, of),
			step(key("stage"), `${number}`, "stage", readyAtMs, stagedAtMs ?? startedAtMs, of),
		];
	});
}

/** Null while it has not ended. Times come from several clocks, so an end before the start is set to the start. */
function step(
	key: string,
	parent: string | null,
	name: TraceStep["name"],
	startMs: number | null,
	endMs: number | null,
	attributes: TraceAttributes,
	failure?: string,
): TraceStep | null {
	if (startMs === null || endMs === null) return null;
	return { key, parent, name, startMs, endMs: Math.max(startMs, endMs), attributes, failure };
}

function attributesOf({ number, placement }: AttemptFacts): TraceAttributes {
	const { siteId, provider, region, zone, capacityType } = placement;
	return {
		"spillway.attempt": number,
		"spillway.site": siteId,
		"spillway.capacity_type": capacityType,
		"cloud.provider": provider,
		...(region !== null && { "cloud.region": region }),
		...(zone !== null && { "cloud.availability_zone": zone }),
	};
}

/** A step in its exported form. */
export interface ExportedSpan extends Omit<TraceStep, "key" | "parent"> {
	traceId: string;
	spanId: string;
	parentSpanId: string | null;
	traceState: string | null;
}
