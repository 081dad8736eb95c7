import { expect } from "vitest";
import type { JobSpec } from "#server/domain/job.ts";
import type { AttemptObservation, ClusterDriver, LogLine, StartAttempt } from "../driver.ts";

/** What the contract lets a job do. Every harness says it in its site's own way: a script, a container, a fake. */
export interface JobBehaviour {
	print?: { stdout?: string[]; stderr?: string[] };
	/** How it ends after it has printed; null: it runs until it is stopped. */
	end: { code: number } | { signal: "SIGKILL" | "SIGSEGV" } | null;
	/** What SIGTERM does to it: the system's default, nothing, or its own end. */
	onTerm?: "die" | "ignore" | { exitCode: number };
}

/** A site to hold to the contract. The site outlives its drivers, as a real one does. */
export interface ClusterHarness {
	driver: ClusterDriver;
	poolId: string;
	accelerator: string;
	/** At least 4 slots are needed. */
	slots: number;
	command(behaviour: JobBehaviour): string[];
	/** Lets a little time pass: some milliseconds of the wall clock, or of a clock that only the harness moves. */
	passTime(): Promise<void>;
	nowMs(): number;
	/** A new driver of the same site, as after the scheduler was killed; the old one gets no chance to say goodbye. */
	restart(): Promise<ClusterDriver>;
	cleanup(): Promise<void>;
	/** Somebody else who uses the cluster, for drivers with a queue. */
	theirs?: {
		user: string;
		/** A job of one pool, on as many of its nodes as it needs; `briefly`: it ends with 0 as soon as it has begun. Answers its id. */
		submit(job: { gpus: number; runs: "long" | "briefly"; optIn?: boolean }): Promise<string>;
		/** As its owner, behind our back. */
		hold(id: string): Promise<void>;
		cancel(id: string): Promise<void>;
		/** Words that are in each of these jobs' scripts. */
		scriptHolds: string;
		/** Of the form that ids have here, and no one's. */
		unknownId: string;
	};
	features: {
		/** The command is an argv that a real system executes. */
		realProcesses: boolean;
		/** `start` copies `restoreFrom`, a folder of this host, into the checkpoint folder. */
		checkpointFolder: boolean;
		/** Secret files are folders of this host; secret variables are delivered everywhere with real processes. */
		secretFiles?: boolean;
		/** The site's own scheduler lets attempts wait, and this is its word for it where others have all GPUs. */
		letsWait?: string;
		/** Lines of stderr are separate from those of stdout; default true. Where they are not, all are reported as stdout. */
		separateStreams?: boolean;
		/** The site reports starts and ends in steps of so many ms; default 10, as file times may. */
		timeStepMs?: number;
	};
}

export type MakeClusterHarness = () => Promise<ClusterHarness>;

let attempts = 0;

/** A request of one slot with ids that no other test uses. */
export function aStart(harness: ClusterHarness, behaviour: JobBehaviour, changes: Partial<StartAttempt> = {}): StartAttempt {
	attempts += 1;
	const job = `contract${String(attempts).padStart(6, "0")}`;
	const slots = changes.slots ?? [0];
	return {
		attemptId: `att_${job}_001`,
		jobId: `job_${job}`,
		attemptNo: 1,
		spec: aSpec({ command: harness.command(behaviour), gpus: slots.length }),
		poolId: harness.poolId,
		restoreFrom: null,
		...changes,
		slots,
	};
}

export function aSpec({ command, gpus, ...changes }: { command: string[]; gpus: number } & Partial<JobSpec>): JobSpec {
	return {
		name: "contract",
		team: "platform",
		project: null,
		labels: {},
		class: "burst",
		image: null,
		command,
		env: {},
		nodes: 1,
		resources: { gpus, accelerators: [], cpus: null, memoryGiB: null },
		duration: { estimateMs: null, maxMs: null },
		deadlineMs: null,
		priority: 50,
		critical: false,
		checkpoint: null,
		data: [],
		...changes,
	};
}

const TRIES = 4_000;

/** Lets time pass until `look` finds something; the test fails with what was waited for. */
export async function eventually<T>(
	harness: Pick<ClusterHarness, "passTime">,
	what: string,
	look: () => Promise<T | null | undefined | false>,
): Promise<T> {
	for (let i = 0; i < TRIES; i++) {
		const found = await look();
		if (found !== null && found !== undefined && found !== false) return found;
		await harness.passTime();
	}
	throw new Error(`waited without success until ${what}`);
}

export async function find(driver: ClusterDriver, attemptId: string): Promise<AttemptObservation | undefined> {
	const seen = (await driver.observe()).attempts.filter((a) => a.attemptId === attemptId);
	expect(seen.length, "an attempt is listed at most once").toBeLessThanOrEqual(1);
	return seen[0];
}

export function untilPhase(
	harness: ClusterHarness,
	attemptId: string,
	phase: AttemptObservation["phase"],
	driver: ClusterDriver = harness.driver,
): Promise<AttemptObservation> {
	return eventually(harness, `${attemptId} is ${phase}`, async () => {
		const seen = await find(driver, attemptId);
		return seen?.phase === phase ? seen : null;
	});
}

/** Reads on from the beginning until nothing is new. */
export async function readAll(driver: ClusterDriver, attemptId: string, maxBytes = 65_536): Promise<LogLine[]> {
	let cursor = { stdout: 0, stderr: 0 };
	const lines: LogLine[] = [];
	for (;;) {
		const next = await driver.readLogs(attemptId, cursor, maxBytes);
		lines.push(...next.lines);
		if (next.cursor.stdout === cursor.stdout && next.cursor.stderr === cursor.stderr) return lines;
		cursor = next.cursor;
	}
}

/** Waits until the job has printed this line: from then on its answer to signals is in place. */
export async function untilPrinted(harness: ClusterHarness, attemptId: string, text: string): Promise<void> {
	await eventually(harness, `${attemptId} has printed ${text}`, async () =>
		(await readAll(harness.driver, attemptId)).some((line) => line.text === text),
	);
}

export const READY = "ready";
/** Runs until it is stopped and says `ready` as soon as a signal meets what `onTerm` says. */
export function untilStopped(onTerm: JobBehaviour["onTerm"] = "die"): JobBehaviour {
	return { print: { stdout: [READY] }, end: null, onTerm };
}
