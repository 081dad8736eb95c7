import type { BookedInstance } from "#server/emulators/shared/booked-instance.ts";

/** One promise each; every entry is a sentence that says what broke it. */
export interface Violations {
	orphans: string[];
	doubles: string[];
	lostJobs: string[];
	lostLines: string[];
	seconds: string[];
}

/** What has come of a run when it rests. */
export interface Outcome {
	jobs: { id: string; name: string; state: string; reason: string; finished: boolean }[];
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
	}[];
	instances: {
		id: string;
		attemptId: string;
		state: string;
		providerInstanceId: string | null;
		launchedAtMs: number | null;
		terminatedAtMs: number | null;
		/** Time of the machine in all of its charges together, and the interval that they cover. */
		charged: { ms: number; fromMs: number; toMs: number } | null;
	}[];
	/** Numbers in the stored lines of each attempt's standard output, in the order of storage. */
	stored: ReadonlyMap<string, number[]>;
	said: ReadonlyMap<string, number[]>;
	/** Machines of the providers' own books, each with our instance's id. */
	machines: (BookedInstance & { ourInstance: string; provider: string })[];
	/** What commands saw themselves. */
	doubleCommands: string[];
}

/** The clocks of two processes and the rounding of a provider's word to whole seconds. */
const SECOND_MS = 1_000;

export function check(seen: Outcome): Violations {
	return {
		orphans: orphans(seen),
		doubles: doubles(seen),
		lostJobs: seen.jobs.filter((j) => j.state !== "succeeded").map((j) => `${j.name} is ${j.state}: ${j.reason}`),
		lostLines: seen.attempts.flatMap((a) => lostLines(a, seen)),
		seconds: seconds(seen),
	};
}

/** Machines that live although everything is over, and machines that no row tells of. */
function orphans({ machines, instances }: Outcome): string[] {
	const rows = new Map(instances.map((i) => [i.id, i]));
	return machines.flatMap((m) => {
		if (m.state !== "terminated" && !m.vanished) return [`${m.provider} ${m.instanceId} of ${m.ourInstance} is still ${m.state}`];
		return rows.has(m.ourInstance) ? [] : [`${m.provider} ${m.instanceId} was made for ${m.ourInstance}, of which there is no row`];
	});
}

function doubles({ machines, attempts, doubleCommands }: Outcome): string[] {
	const twice = [...Map.groupBy(machines, (m) => m.ourInstance)].filter(([, of]) => of.length > 1);
	const overlapping = attempts.flatMap((a) =>
		attempts
			.filter((b) => b.jobId === a.jobId && b.number > a.number && b.createdAtMs < (a.finishedAtMs ?? Number.POSITIVE_INFINITY))
			.map((b) => `attempt ${b.id} was made while ${a.id} was alive`),
	);
	return [...twice.map(([id, of]) => `${of.length} machines were made for ${id}`), ...overlapping, ...doubleCommands];
}

/**
 * The lines of an attempt are stored in order, each once, without a gap; and all of them when its agent told its end.
 * What an agent or a machine that was killed had printed last nobody can have.
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

/** The ledger against the provider's book: each machine's billed time is charged once, and nothing else is. */
function seconds({ machines, instances }: Outcome): string[] {
	const rows = new Map(instances.map((i) => [i.id, i]));
	const charged = instances.flatMap((row) => {
		if (row.charged === null || row.launchedAtMs === null || row.terminatedAtMs === null) return [];
		const livedMs = row.terminatedAtMs - row.launchedAtMs;
		return row.charged.ms === livedMs ? [] : [`${row.id}: ${row.charged.ms} ms are charged of ${livedMs} ms`];
	});
	const unpaid = machines.flatMap((m) => {
		const row = rows.get(m.ourInstance);
		if (m.runningAt === null) return [];
		const endMs = m.runningAt + m.runningMs;
		if (!row?.charged) return [`${m.provider} ${m.instanceId} ran ${m.runningMs} ms and nothing is charged`];
		const before = row.charged.fromMs - m.runningAt;
		const after = endMs - row.charged.toMs;
		if (before > SECOND_MS) return [`${m.provider} ${m.instanceId}: its first ${before} ms are not charged`];
		return after > SECOND_MS ? [`${m.provider} ${m.instanceId}: its last ${after} ms are not charged`] : [];
	});
	return [...charged, ...unpaid];
}
