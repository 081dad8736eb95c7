import type { BookedInstance } from "#server/emulators/shared/booked-instance.ts";

/** Violations by guarantee. Each entry is a sentence that describes one violation. */
export interface Violations {
	orphans: string[];
	doubles: string[];
	lostJobs: string[];
	/** Jobs that ended after their deadline. */
	late: string[];
	lostLines: string[];
	seconds: string[];
	disks: string[];
	/** Guarantees about rows that were violated during the run. */
	promises: string[];
}

/** State of a run after all work has ended. */
export interface Outcome {
	jobs: { id: string; name: string; state: string; reason: string; finishedAtMs: number | null; deadlineMs: number | null }[];
	attempts: {
		id: string;
		jobId: string;
		number: number;
		state: string;
		/** Whether the agent reported the command's end. */
		reported: boolean;
		createdAtMs: number;
		startedAtMs: number | null;
		stopRequestedAtMs: number | null;
		finishedAtMs: number | null;
		reason: string | null;
	}[];
	instances: {
		id: string;
		attemptId: string;
		state: string;
		providerInstanceId: string | null;
		/** Billed time as recorded by the control plane. Slack: possible excess because the exact time was not observed. */
		fromMs: number | null;
		fromSlackMs: number;
		untilMs: number | null;
		untilSlackMs: number;
		/** Last contact from its agent. */
		heardMs: number | null;
		/** When the machine was fenced: its command is paused, must not resume, and counts as ended. */
		fencedMs: number | null;
		/** Disk price from its offer; 0: unknown. */
		diskMicroUsdPerMonth: number;
		/** Total machine time and disk cost of its charges. */
		charged: { ms: number; diskMicroUsd: number } | null;
	}[];
	/** Numbers in the stored lines of each attempt's standard output, in storage order. */
	stored: ReadonlyMap<string, number[]>;
	said: ReadonlyMap<string, number[]>;
	/** Machines in the providers' records, each with our instance id. */
	machines: (BookedInstance & { ourInstance: string; provider: string })[];
	/** The control plane's audit records of actions. */
	audit: { atMs: number; action: string; subject: string; after: unknown }[];
	/** Commands that their lease paused and that then resumed. */
	pauses: number;
	/** Duplicate runs that the commands detected themselves. */
	doubleCommands: string[];
	/** Where moved attempts resumed. */
	moved: ("home" | "cloud")[];
}

/** Tolerance for two processes' clocks and for providers' rounding to whole seconds. */
const SECOND_MS = 1_000;

/**
 * Longest time, by the run's clock, that a busy host may take to complete a call still in progress when the machine's last
 * process ended.
 */
const LAST_CALL_MS = 30_000;

export function check(seen: Outcome): Omit<Violations, "promises"> {
	return {
		orphans: orphans(seen),
		doubles: doubles(seen),
		lostJobs: seen.jobs.filter((j) => j.state !== "succeeded").map((j) => `${j.name} is ${j.state}: ${j.reason}`),
		late: seen.jobs
			.filter((j) => j.deadlineMs !== null && (j.finishedAtMs ?? Number.POSITIVE_INFINITY) > j.deadlineMs)
			.map((j) => `${j.name} is late`),
		lostLines: seen.attempts.flatMap((a) => lostLines(a, seen)),
		seconds: seconds(seen),
		disks: disks(seen),
	};
}

/** Machines still alive after the run, and machines without a row. */
function orphans({ machines, instances }: Outcome): string[] {
	const rows = new Map(instances.map((i) => [i.id, i]));
	return machines.flatMap((m) => {
		if (m.state !== "terminated" && !m.vanished) return [`${m.provider} ${m.instanceId} of ${m.ourInstance} is still ${m.state}`];
		return rows.has(m.ourInstance) ? [] : [`${m.provider} ${m.instanceId} was made for ${m.ourInstance}, which has no row`];
	});
}

function doubles({ machines, attempts, doubleCommands }: Outcome): string[] {
	const twice = [...Map.groupBy(machines.filter(isSecond), (m) => m.ourInstance)].filter(([, of]) => of.length > 1);
	const overlapping = attempts.flatMap((a) =>
		attempts
			.filter((b) => b.jobId === a.jobId && b.number > a.number && b.createdAtMs < (a.finishedAtMs ?? Number.POSITIVE_INFINITY))
			.map((b) => `attempt ${b.id} was made while ${a.id} was alive`),
	);
	return [...twice.map(([id, of]) => `${of.length} machines were made for ${id}`), ...overlapping, ...doubleCommands];
}

/**
 * Whether another machine for the same intent is a duplicate of this one. Not if this machine never ran or vanished: without
 * a sign that it was created, requesting another one is correct.
 */
function isSecond(machine: Outcome["machines"][number]): boolean {
	return !machine.vanished && machine.runningAt !== null;
}

/**
 * An attempt's lines must be stored in order, once each, without gaps, and completely if its agent reported its end. A killed
 * agent or machine may lose its last output.
 */
function lostLines(attempt: Outcome["attempts"][number], { stored, said }: Outcome): string[] {
	const kept = stored.get(attempt.id) ?? [];
	const printed = said.get(attempt.id) ?? [];
	const first = printed[0] ?? kept[0];
	const gap = kept.findIndex((n, i) => n !== (first ?? 1) + i);
	if (gap >= 0) return [`${attempt.id}: the ${gap + 1}th stored line is ${kept[gap]} instead of ${(first ?? 1) + gap}`];
	const missing = printed.length - kept.length;
	// The command may be killed after it prints a line and before it records the line.
	if (kept.length > printed.length + 1) return [`${attempt.id}: ${kept.length} lines are stored of ${printed.length} printed`];
	return attempt.reported && missing > 0 ? [`${attempt.id}: ${missing} of ${printed.length} printed lines are not stored`] : [];
}

/** Compares the ledger with the provider's records: billed machine time must be charged exactly once, and no other time. */
function seconds({ machines, instances }: Outcome): string[] {
	const rows = new Map(instances.map((i) => [i.id, i]));
	const charged = instances.flatMap((row) => {
		const billedMs = (row.untilMs ?? 0) - (row.fromMs ?? 0);
		const chargedMs = row.charged?.ms ?? 0;
		return chargedMs === billedMs ? [] : [`${row.id}: ${chargedMs} ms are charged of ${billedMs} ms`];
	});
	return [...charged, ...lastOfEach(machines).flatMap((m) => secondsOf(m, rows.get(m.ourInstance)))];
}

/** The row describes the last machine; earlier ones vanished or are reported as duplicates. */
function lastOfEach(machines: Outcome["machines"]): Outcome["machines"] {
	return [...new Map(machines.toSorted((a, b) => a.launchTime - b.launchTime).map((m) => [m.ourInstance, m])).values()];
}

/** The shortest month has the highest disk price per second. */
const SHORTEST_MONTH_MS = 28 * 86_400_000;

/** Minimum billed time of a disk with a nonzero price, at every provider. Amazon's minimum is the lowest. */
const LEAST_DISK_MS = 60_000;

/** Compares disk charges with the provider's list-price billing, except for time that could not be observed. */
function disks({ machines, instances }: Outcome): string[] {
	const rows = new Map(instances.map((i) => [i.id, i]));
	return lastOfEach(machines).flatMap((machine) => {
		const row = rows.get(machine.ourInstance);
		const billed = machine.disk?.billedMicroUsd ?? null;
		// `secondsOf` reports machines without billed time. Disks with an unknown price are not charged.
		if (billed === null || row?.fromMs == null || row.untilMs === null || row.diskMicroUsdPerMonth === 0) return [];
		const name = `${machine.provider} ${machine.instanceId} of ${machine.ourInstance}`;
		const over = (row.charged?.diskMicroUsd ?? 0) - Number(billed);
		const slackMs = row.fromSlackMs + row.untilSlackMs;
		// A machine that may never have run is charged the disk minimum or nothing.
		const leastMs = (row.charged?.ms ?? 0) <= slackMs ? LEAST_DISK_MS : 0;
		// Both ends, each rounded to whole seconds on both sides.
		const unseenMs = slackMs + 4 * SECOND_MS + spokeAfterEndMs(machine, row) + leastMs;
		const wrong = Math.abs(over) > (row.diskMicroUsdPerMonth * unseenMs) / SHORTEST_MONTH_MS + 1;
		return wrong ? [`${name}: ${over} µ$ are charged for its disk beyond the ${billed} µ$ that are billed`] : [];
	});
}

function secondsOf(machine: Outcome["machines"][number], row: Outcome["instances"][number] | undefined): string[] {
	const { runningAt, billedMs, provider, instanceId } = machine;
	const at = wrongSecondsAt(machine, row);
	const name = `${provider} ${instanceId} of ${machine.ourInstance}`;
	if (runningAt === null) return at.before > SECOND_MS ? [`${name} never ran and ${at.before} ms are charged`] : [];
	// A machine that vanished before it was observed has no charge; another machine serves its intent.
	if (row?.fromMs == null) return machine.vanished ? [] : [`${name} ran ${billedMs} ms and nothing is charged`];
	const late = at.after - spokeAfterEndMs(machine, row);
	return [
		...(at.unpaidBefore > SECOND_MS ? [`${name}: its first ${at.unpaidBefore} ms are not charged`] : []),
		...(at.before > SECOND_MS ? [`${name}: ${at.before} ms before it ran are charged`] : []),
		...(at.unpaidAfter > SECOND_MS ? [`${name}: its last ${at.unpaidAfter} ms are not charged`] : []),
		...(late > SECOND_MS ? [`${name}: ${late} ms after its end are charged`] : []),
	];
}

/** Processes outlive the end of billing briefly, longer on a busy host. Reports from their agent still count. */
function spokeAfterEndMs(
	{ runningAt, billedMs, silentAt, terminatedAt }: Outcome["machines"][number],
	row: Outcome["instances"][number],
): number {
	if (runningAt === null || row.heardMs === null) return 0;
	const endMs = runningAt + billedMs;
	const silentMs = Math.max(endMs, silentAt ?? terminatedAt ?? endMs) + LAST_CALL_MS;
	return Math.max(0, Math.min(row.heardMs, silentMs) - endMs);
}

/** Milliseconds charged but not billed at each end, beyond the slack, and milliseconds billed but not charged. */
function wrongSecondsAt({ runningAt, billedMs }: Outcome["machines"][number], row: Outcome["instances"][number] | undefined) {
	const none = { before: 0, after: 0, unpaidBefore: 0, unpaidAfter: 0 };
	if (row?.fromMs == null || row.untilMs === null) return none;
	if (runningAt === null) return { ...none, before: row.untilMs - row.fromMs - row.fromSlackMs - row.untilSlackMs };
	const endMs = runningAt + billedMs;
	return {
		before: runningAt - row.fromMs - row.fromSlackMs,
		unpaidBefore: row.fromMs - runningAt,
		after: row.untilMs - endMs - row.untilSlackMs,
		unpaidAfter: endMs - row.untilMs,
	};
}
