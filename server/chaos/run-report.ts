import type { Outcome, Violations } from "./checkers.ts";
import type { Met } from "./kills.ts";
import type { Kill, Plan } from "./plan.ts";

export interface Struck extends Pick<Kill, "victim" | "step" | "how" | "inMove"> {
	/** By the run's clock: time until the loss was detected, and until the work resumed. null when nothing was lost. */
	detectedMs: number | null;
	recoveredMs: number | null;
}

export interface RunReport {
	seed: number;
	clouds: string[];
	tookMs: number;
	/** CPU time of the run's process, and of the machine processes that have ended. */
	processorMs: { own: number; machines: number };
	struck: Struck[];
	faults: string[];
	outage: boolean;
	/**
	 * Outcome when the first job's region was cut off: fenced machines, and commands that were paused and resumed. Older files
	 * do not contain it.
	 */
	cut?: { fenced: number; pauses: number; runAgainMs: number[] } | null;
	/** Whether its schedulers were separate processes. Absent in older files, where they were not. */
	schedulerProcess?: boolean;
	/** Where its first job was attracted; null: nowhere. */
	drawnTo: "home" | "cheaper" | null;
	/** Attempts that were stopped to continue at home or on cheaper capacity. */
	moved: { home: number; cheaper: number };
	violations: Violations;
	/** What was not over at the end; empty when everything was. */
	unrest: string[];
	machines: number;
	attempts: number;
	books: Books[];
	/** Charged minus billed time of each machine that did not vanish; negative when billed time is not charged. */
	overMs: number[];
	/** All observations of a run with a violation; else null. */
	evidence: Pick<Outcome, "attempts" | "instances" | "machines" | "audit"> | null;
}

/** One provider's bill compared with the ledger, in machine milliseconds. */
export interface Books {
	cloud: string;
	machines: number;
	succeeded: number;
	billedMs: number;
	chargedMs: number;
	/** The part of chargedMs that the provider may not bill, because the exact start or end was neither reported nor observed. */
	slackMs: number;
	/** Micro-dollars, for disks with a known price at launch. */
	diskBilledMicroUsd: number;
	diskChargedMicroUsd: number;
}

export function isBroken({ unrest, violations }: Pick<RunReport, "unrest" | "violations">): boolean {
	return unrest.length > 0 || Object.values(violations).some((list) => list.length > 0);
}

/** Builds a run's report from the plan, the parts of it that happened, and the final observations. */
export function reportOf(
	plan: Plan,
	seen: { met: readonly Met[]; outcome: Outcome; violations: Violations; unrest: string[] } & Pick<RunReport, "tookMs" | "processorMs">,
): RunReport {
	const { outcome, violations, unrest, met, tookMs, processorMs } = seen;
	const { attempts, instances, machines } = outcome;
	const count = (to: "home" | "cloud") => outcome.moved.filter((kind) => kind === to).length;
	return {
		...{ seed: plan.seed, clouds: plan.clouds, tookMs, processorMs, violations, unrest },
		struck: met.map((m) => timesOf(m, outcome)),
		faults: plan.faults.map(({ kind }) => kind),
		outage: plan.outage !== null,
		cut: plan.cut === null ? null : cutOf(outcome),
		schedulerProcess: plan.schedulerProcess !== null,
		drawnTo: plan.move?.to ?? null,
		moved: { home: count("home"), cheaper: count("cloud") },
		...{ machines: machines.length, attempts: attempts.length },
		books: plan.clouds.map((cloud) => booksOf(cloud, outcome)),
		overMs: machines.flatMap((m) => {
			const charged = instances.find((i) => i.id === m.ourInstance)?.charged;
			return charged && m.runningAt !== null && !m.vanished ? [charged.ms - m.billedMs] : [];
		}),
		evidence: isBroken({ unrest, violations }) ? { attempts, instances, machines, audit: outcome.audit } : null,
	};
}

/** `runAgainMs`: by the run's clock, from the fencing of each machine to its job's start elsewhere. */
function cutOf({ attempts, instances, pauses }: Outcome): NonNullable<RunReport["cut"]> {
	const fenced = instances.filter((i) => i.fencedMs !== null);
	const runAgainMs = fenced.flatMap((i) => {
		const lost = attempts.find((a) => a.id === i.attemptId);
		const next = attempts.find((a) => a.jobId === lost?.jobId && a.number > lost.number && a.startedAtMs !== null);
		return next?.startedAtMs == null ? [] : [next.startedAtMs - (i.fencedMs ?? 0)];
	});
	return { fenced: fenced.length, pauses, runAgainMs };
}

function timesOf({ kill, atMs, instanceId, backAtMs }: Met, outcome: Outcome): Struck {
	const { victim, step, how, inMove } = kill;
	const struck = { victim, step, how, inMove };
	if (victim !== "agent" || instanceId === null)
		return { ...struck, detectedMs: null, recoveredMs: backAtMs === null ? null : backAtMs - atMs };
	const row = outcome.instances.find((i) => i.id === instanceId);
	const attempt = outcome.attempts.find((a) => a.id === row?.attemptId);
	const detectedAtMs = attempt?.stopRequestedAtMs ?? attempt?.finishedAtMs ?? null;
	const next = outcome.attempts.find((a) => a.jobId === attempt?.jobId && a.number === (attempt?.number ?? 0) + 1);
	return {
		...struck,
		detectedMs: detectedAtMs === null || detectedAtMs < atMs ? null : detectedAtMs - atMs,
		recoveredMs: next?.startedAtMs == null ? null : next.startedAtMs - atMs,
	};
}

function booksOf(cloud: string, { machines, instances, attempts }: Outcome): Books {
	const made = machines.filter((m) => m.provider === cloud);
	const ids = new Set(made.map((m) => m.ourInstance));
	const rows = instances.filter((i) => ids.has(i.id));
	const priced = new Set(rows.filter((r) => r.diskMicroUsdPerMonth > 0).map((r) => r.id));
	const done = new Set(attempts.filter((a) => a.state === "succeeded").map((a) => a.id));
	const sum = (values: number[]) => values.reduce((total, ms) => total + ms, 0);
	return {
		...{ cloud, machines: made.length, succeeded: rows.filter((r) => done.has(r.attemptId)).length },
		billedMs: sum(made.map((m) => m.billedMs)),
		chargedMs: sum(rows.map((r) => r.charged?.ms ?? 0)),
		slackMs: sum(rows.filter((r) => r.charged).map((r) => r.fromSlackMs + r.untilSlackMs)),
		diskBilledMicroUsd: sum(made.filter((m) => priced.has(m.ourInstance)).map((m) => Number(m.disk?.billedMicroUsd ?? 0))),
		diskChargedMicroUsd: sum(rows.map((r) => r.charged?.diskMicroUsd ?? 0)),
	};
}
