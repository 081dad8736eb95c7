import type { Site } from "./lead.ts";

export interface SlotHolder {
	jobId: string;
	jobName: string;
	team: string;
	gpus: number;
	/** "0 to 3, 6" */
	slots: string;
}

/** The jobs of a pool with their slot ranges. */
export function holdersOf(holders: Site["pools"][number]["holders"]): SlotHolder[] {
	return holders.map(({ slots, ...job }) => ({ ...job, gpus: slots.length, slots: runsOf(slots) }));
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
