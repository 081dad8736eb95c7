import type { Site } from "./lead.ts";

type Slot = Site["pools"][number]["slots"][number];

export interface SlotHolder {
	jobId: string;
	jobName: string;
	team: string;
	gpus: number;
	/** "0 to 3, 6" */
	slots: string;
}

/** The jobs of a pool in the order of their first slots. */
export function holdersOf(slots: readonly Slot[]): SlotHolder[] {
	const byJob = new Map<string, { slot: Slot; numbers: number[] }>();
	for (const slot of slots) {
		if (slot.jobId === null) continue;
		const known = byJob.get(slot.jobId);
		if (known) known.numbers.push(slot.slot);
		else byJob.set(slot.jobId, { slot, numbers: [slot.slot] });
	}
	return [...byJob].map(([jobId, { slot, numbers }]) => ({
		jobId,
		jobName: slot.jobName ?? jobId,
		team: slot.team ?? "",
		gpus: numbers.length,
		slots: runsOf(numbers),
	}));
}

export function runsOf(numbers: readonly number[]): string {
	const runs: [number, number][] = [];
	for (const n of [...numbers].sort((a, b) => a - b)) {
		const last = runs.at(-1);
		if (last && n === last[1] + 1) last[1] = n;
		else runs.push([n, n]);
	}
	return runs.map(([a, b]) => (a === b ? String(a) : b === a + 1 ? `${a}, ${b}` : `${a} to ${b}`)).join(", ");
}
