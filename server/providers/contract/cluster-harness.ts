import { expect } from "vitest";
import type { JobSpec } from "#server/domain/job.ts";
import type { AttemptObservation, ClusterDriver, LogLine, StartAttempt } from "../driver.ts";

/** Behavior of a job in the contract tests. Each harness implements it for its site: as a script, a container or a fake. */
export interface JobBehaviour {
	print?: { stdout?: string[]; stderr?: string[] };
	/** How it ends after printing; null: it runs until it is stopped. */
	end: { code: number } | { signal: "SIGKILL" | "SIGSEGV" } | null;
	/** Its reaction to SIGTERM: the system's default, none, or an exit code. */
	onTerm?: "die" | "ignore" | { exitCode: number };
}

/** A site for the contract tests. The site outlives its drivers, as a real one does. */
export interface ClusterHarness {
	driver: ClusterDriver;
	poolId: string;
	accelerator: string;
	/** At least 4 slots are needed. */
	slots: number;
	command(behaviour: JobBehaviour): string[];
	/** Lets a short time pass: some milliseconds of the wall clock, or of a clock that only the harness advances. */
	passTime(): Promise<void>;
	nowMs(): number;
	/** A new driver of the same site, as after the scheduler was killed; the old one cannot shut down cleanly. */
	restart(): Promise<ClusterDriver>;
	cleanup(): Promise<void>;
	/** Another user of the cluster, for drivers with a queue. */
	theirs?: {
		user: string;
		/**
		 * Submits a job of one pool, on as many of its nodes as it needs. `briefly`: it exits with 0 right after it starts. Returns its
		 * id.
		 */
		submit(job: { gpus: number; runs: "long" | "briefly"; optIn?: boolean }): Promise<string>;
		/** Acts as the job's owner, without the driver's knowledge. */
		hold(id: string): Promise<void>;
		cancel(id: string): Promise<void>;
		/** Text that each of these jobs' scripts contains. */
		scriptHolds: string;
		/** A well-formed id that belongs to no job. */
		unknownId: string;
	};
	features: {
		/** Whether commands are argvs that a real system executes. */
		realProcesses: boolean;
		/** `start` copies `restoreFrom`, a folder of this host, into the checkpoint folder. */
		checkpointFolder: boolean;
		/** Secret files are folders of this host; secret variables are delivered everywhere with real processes. */
		secretFiles?: boolean;
		/** The site's own scheduler lets attempts wait; this is its reason when others have all GPUs. */
		letsWait?: string;
		/** Whether lines of stderr are separate from those of stdout; default true. Otherwise all are reported as stdout. */
		separateStreams?: boolean;
		/** Resolution of the site's start and end times, in ms; default 10, like file times. */
		timeStepMs?: number;
	};
}

export type MakeClusterHarness = () => Promise<ClusterHarness>;

let attempts = 0;

/** A request for one slot with unique ids. */
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

/** Lets time pass until `look` returns a value. Otherwise the test fails with a description of what was expected. */
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

/** Reads from the beginning until nothing is new. */
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

/** Waits until the job has printed this line. After that its signal handler is in place. */
export async function untilPrinted(harness: ClusterHarness, attemptId: string, text: string): Promise<void> {
	await eventually(harness, `${attemptId} has printed ${text}`, async () =>
		(await readAll(harness.driver, attemptId)).some((line) => line.text === text),
	);
}

export const READY = "ready";
/** Runs until it is stopped, and prints `ready` once the handler of `onTerm` is installed. */
export function untilStopped(onTerm: JobBehaviour["onTerm"] = "die"): JobBehaviour {
	return { print: { stdout: [READY] }, end: null, onTerm };
}
