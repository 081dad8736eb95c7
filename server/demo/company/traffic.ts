import type { Random } from "#server/kernel/random.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { Family } from "../history/synthetic/workload-families.ts";

/** Jobs a minute by hour of the day, UTC: few at night, most before noon and in the afternoon. Invented. */
const PER_MINUTE = [0.5, 0.4, 0.4, 0.4, 0.4, 0.6, 1, 2, 3, 3.5, 3.5, 3, 2.5, 3, 3.5, 3, 2.5, 2, 1.5, 1, 0.8, 0.7, 0.6, 0.5];
/** Live jobs sleep for minutes, where those in the history ran for hours. */
const HOURS_PER_MINUTE = 3;
const LONGEST_MS = 12 * MINUTE_MS;
const SHORTEST_MS = 20_000;

/** Time until the next submission, exponential around the hour's rate. */
export function pauseMs(random: Random, nowMs: number): number {
	const rate = PER_MINUTE[new Date(nowMs).getUTCHours()] ?? 1;
	return Math.min(10 * MINUTE_MS, (-Math.log(1 - random.next()) * MINUTE_MS) / rate);
}

export type TrafficJob = Record<string, unknown> & {
	metadata: { name: string; team: string; project: string; labels: Record<string, string> };
	spec: Record<string, unknown>;
};

/** A job of a random family, weighted by frequency, that sleeps on its GPUs. */
export function drawNextJob(random: Random, families: readonly Family[], nowMs: number): TrafficJob {
	const total = families.reduce((sum, family) => sum + family.perWorkday, 0);
	let at = random.next() * total;
	const family = families.find(({ perWorkday }) => {
		at -= perWorkday;
		return at < 0;
	});
	if (!family) throw new RangeError("no families");
	const medianMs = (family.medianMs / HOUR_MS / HOURS_PER_MINUTE) * MINUTE_MS;
	const lengthMs = Math.round(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, medianMs * (0.5 + random.next()))));
	const name = `${family.name}live-${suffixOf(nowMs)}`;
	return sleepingJob({ family, name, medianMs, lengthMs, fails: random.next() < family.failShare });
}

/** Jobs that one team submits together at fixed times, by day and night. */
export interface Batch {
	family: Family;
	everyMs: number;
	jobs: number;
	lengthMs: number;
	/** Deadline this long after submission; null: none. */
	deadlineMs: number | null;
}

/** The jobs of one batch, each slightly shorter or longer than the others. */
export function drawBatch(random: Random, batch: Batch, nowMs: number): TrafficJob[] {
	return Array.from({ length: batch.jobs }, (_, index) => {
		const lengthMs = Math.round(batch.lengthMs * (0.8 + 0.4 * random.next()));
		const name = `${batch.family.name}batch-${suffixOf(nowMs)}-${index + 1}`;
		const job = sleepingJob({ family: batch.family, name, medianMs: batch.lengthMs, lengthMs, fails: false });
		const deadline = batch.deadlineMs === null ? {} : { deadline: new Date(nowMs + batch.deadlineMs).toISOString() };
		return { ...job, spec: { ...job.spec, ...deadline } };
	});
}

function suffixOf(nowMs: number): number {
	return Math.floor(nowMs / 1_000) % 1_000_000;
}

interface Sleep {
	family: Family;
	name: string;
	/** The estimate. */
	medianMs: number;
	lengthMs: number;
	fails: boolean;
}

function sleepingJob({ family, name, medianMs, lengthMs, fails }: Sleep): TrafficJob {
	const seconds = Math.round(lengthMs / 1_000);
	return {
		...{ apiVersion: "spillway/v1", kind: "Job" },
		metadata: { name, team: family.team, project: family.project, labels: { demo: "traffic" } },
		spec: {
			...{ class: family.class, priority: family.priority },
			command: ["sh", "-c", `echo "sleeping ${seconds} s instead of training"; sleep ${seconds}; ${fails ? "exit 1" : "echo done"}`],
			resources: { gpus: family.gpus, accelerators: family.accelerators },
			duration: { estimate: `${Math.max(20, Math.round(medianMs / 1_000))}s`, max: "30m" },
		},
	};
}
