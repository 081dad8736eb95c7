import type { BookedInstance } from "#server/emulators/shared/booked-instance.ts";

/** One promise each; every entry is a sentence that says what broke it. */
export interface Violations {
	orphans: string[];
	doubles: string[];
	lostJobs: string[];
	/** Jobs that ended after their deadline. */
	late: string[];
	lostLines: string[];
	seconds: string[];
	disks: string[];
}

/** What has come of a run when it rests. */
export interface Outcome {
	jobs: { id: string; name: string; state: string; reason: string; finishedAtMs: number | null; deadlineMs: number | null }[];
	attempts: {
		id: string;
		jobId: string;
		number: number;
		state: string;
		/** The command's end was reported by its agent. */
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
		/** When it was billed as the control plane knows it, and how much too long that may be because no one looked. */
		fromMs: number | null;
		fromSlackMs: number;
		untilMs: number | null;
		untilSlackMs: number;
		/** When its agent was heard last. */
		heardMs: number | null;
		/** Since when it counts as standing still permanently. */
		fencedMs: number | null;
		/** Price of its disk as its offer knew it; 0: not known. */
		diskMicroUsdPerMonth: number;
		/** Time of the machine in all of its charges together, and what its disk was charged. */
		charged: { ms: number; diskMicroUsd: number } | null;
	}[];
	/** Numbers in the stored lines of each attempt's standard output, in the order of storage. */
	stored: ReadonlyMap<string, number[]>;
	said: ReadonlyMap<string, number[]>;
	/** Machines of the providers' own books, each with our instance's id. */
	machines: (BookedInstance & { ourInstance: string; provider: string })[];
	/** What the control plane recorded about its own actions. */
	audit: { atMs: number; action: string; subject: string; after: unknown }[];
	/** Commands that were paused by their lease, and resumed. */
	pauses: number;
	/** What commands saw themselves. */
	doubleCommands: string[];
	/** Where the attempts went on that were stopped to go on elsewhere. */
	moved: ("home" | "cloud")[];
}

/** The clocks of two processes and the rounding of a provider's word to whole seconds. */
const SECOND_MS = 1_000;

/**
 * By the run's clock: how long a busy host may take for a call that was under way when the last process of its machine no longer
 * existed.
 */
const LAST_CALL_MS = 30_000;

export function check(seen: Outcome): Violations {
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

/** Machines that live although everything is over, and machines without a row. */
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
 * Whether one more machine of its intent is one too many. It is not beside one that there was no room for, nor after one that
 * vanished: where nothing shows that it was ever made, asking for it again is right.
 */
function isSecond(machine: Outcome["machines"][number]): boolean {
	return !machine.vanished && machine.runningAt !== null;
}

/**
 * The lines of an attempt are stored in order, each once, without a gap; and all of them when its agent reported its end. The last
 * output of a killed agent or machine is lost.
 */
function lostLines(attempt: Outcome["attempts"][number], { stored, said }: Outcome): string[] {
	const kept = stored.get(attempt.id) ?? [];
	const printed = said.get(attempt.id) ?? [];
	const first = printed[0] ?? kept[0];
	const gap = kept.findIndex((n, i) => n !== (first ?? 1) + i);
	if (gap >= 0) return [`${attempt.id}: the ${gap + 1}th stored line is ${kept[gap]} instead of ${(first ?? 1) + gap}`];
	const missing = printed.length - kept.length;
	// One line may have been printed when the command was cut off before it wrote that down.
	if (kept.length > printed.length + 1) return [`${attempt.id}: ${kept.length} lines are stored of ${printed.length} printed`];
	return attempt.reported && missing > 0 ? [`${attempt.id}: ${missing} of ${printed.length} printed lines are not stored`] : [];
}

/** The ledger against the provider's book: the time that it bills of each machine is charged once, and no other. */
function seconds({ machines, instances }: Outcome): string[] {
	const rows = new Map(instances.map((i) => [i.id, i]));
	const charged = instances.flatMap((row) => {
		const billedMs = (row.untilMs ?? 0) - (row.fromMs ?? 0);
		const chargedMs = row.charged?.ms ?? 0;
		return chargedMs === billedMs ? [] : [`${row.id}: ${chargedMs} ms are charged of ${billedMs} ms`];
	});
	return [...charged, ...lastOfEach(machines).flatMap((m) => secondsOf(m, rows.get(m.ourInstance)))];
}

/** The row describes the last one; an earlier one vanished, or is reported as a duplicate. */
function lastOfEach(machines: Outcome["machines"]): Outcome["machines"] {
	return [...new Map(machines.toSorted((a, b) => a.launchTime - b.launchTime).map((m) => [m.ourInstance, m])).values()];
}

/** No month is shorter: a second of a disk costs no more than in this one. */
const SHORTEST_MONTH_MS = 28 * 86_400_000;

/** No provider's disk costs less than a minute of it when it costs anything: Amazon's. */
const LEAST_DISK_MS = 60_000;

/** The ledger's disks against the provider's book: what it bills of each by its own list, but for the time that no one could see. */
function disks({ machines, instances }: Outcome): string[] {
	const rows = new Map(instances.map((i) => [i.id, i]));
	return lastOfEach(machines).flatMap((machine) => {
		const row = rows.get(machine.ourInstance);
		const billed = machine.disk?.billedMicroUsd ?? null;
		// Machines that were never seen are reported above. A disk with an unreadable price is not counted, and the offer says so.
		if (billed === null || row?.fromMs == null || row.untilMs === null || row.diskMicroUsdPerMonth === 0) return [];
		const name = `${machine.provider} ${machine.instanceId} of ${machine.ourInstance}`;
		const over = (row.charged?.diskMicroUsd ?? 0) - Number(billed);
		const slackMs = row.fromSlackMs + row.untilSlackMs;
		// A machine that may never have run at all is charged the least that a disk costs, or nothing.
		const leastMs = (row.charged?.ms ?? 0) <= slackMs ? LEAST_DISK_MS : 0;
		// Two ends, and the rounding to whole seconds on both sides.
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
	// One that vanished before anybody had seen it is no one's, and its intent's machine another one.
	if (row?.fromMs == null) return machine.vanished ? [] : [`${name} ran ${billedMs} ms and nothing is charged`];
	const late = at.after - spokeAfterEndMs(machine, row);
	return [
		...(at.unpaidBefore > SECOND_MS ? [`${name}: its first ${at.unpaidBefore} ms are not charged`] : []),
		...(at.before > SECOND_MS ? [`${name}: ${at.before} ms before it ran are charged`] : []),
		...(at.unpaidAfter > SECOND_MS ? [`${name}: its last ${at.unpaidAfter} ms are not charged`] : []),
		...(late > SECOND_MS ? [`${name}: ${late} ms after its end are charged`] : []),
	];
}

/** The processes of a machine that is billed no more live for a moment, on a busy host for a long one, and their agent's word counts. */
function spokeAfterEndMs(
	{ runningAt, billedMs, silentAt, terminatedAt }: Outcome["machines"][number],
	row: Outcome["instances"][number],
): number {
	if (runningAt === null || row.heardMs === null) return 0;
	const endMs = runningAt + billedMs;
	const silentMs = Math.max(endMs, silentAt ?? terminatedAt ?? endMs) + LAST_CALL_MS;
	return Math.max(0, Math.min(row.heardMs, silentMs) - endMs);
}

/** Milliseconds that are charged and not billed at its two ends, beyond what no one could see; and those that are not charged. */
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
