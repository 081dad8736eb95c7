/** Matches every team or every name. */
export const ANY = "*";

/** `fraud-v7` → `fraud-v`: runs of one pipeline share a pattern. */
export function namePatternOf(name: string): string {
	return name.replace(/[0-9]+$/, "");
}

/** Fields of a job that predict its run time. */
export interface RunTraits {
	name: string;
	team: string;
	nodes: number;
	/** Per node. */
	resources: { gpus: number };
	duration: { estimateMs: number | null };
	user?: string;
}

/** GPUs of a job, all nodes together, rounded up to a power of two: 3 and 4 GPUs behave alike, 1 and 8 do not. */
export function gpuBucketOf(spec: Pick<RunTraits, "nodes" | "resources">): number {
	return 2 ** Math.ceil(Math.log2(Math.max(1, spec.nodes * spec.resources.gpus)));
}

export interface HistoryKey {
	team: string;
	namePattern: string;
	/** null: any number. */
	gpus: number | null;
	/** Within the team; null: all users. */
	user: string | null;
}

/**
 * The groups of runs that a job belongs to, most specific first. The name predicts more than the user, and a user's own runs of a name more
 * than the team's.
 */
export function historyKeysOf(spec: RunTraits): HistoryKey[] {
	const namePattern = namePatternOf(spec.name);
	const gpus = gpuBucketOf(spec);
	const { team, user } = spec;
	const named: HistoryKey[] = [
		{ team, namePattern, gpus, user: null },
		{ team, namePattern, gpus: null, user: null },
	];
	const wide: HistoryKey[] = [
		{ team, namePattern: ANY, gpus, user: null },
		{ team, namePattern: ANY, gpus: null, user: null },
		{ team: ANY, namePattern: ANY, gpus, user: null },
		{ team: ANY, namePattern: ANY, gpus: null, user: null },
	];
	if (user === undefined) return [...named, ...wide];
	const own: HistoryKey[] = [
		{ team, namePattern: ANY, gpus, user },
		{ team, namePattern: ANY, gpus: null, user },
	];
	return [{ team, namePattern, gpus, user }, ...named, ...own, ...wide];
}

export function keyText(key: HistoryKey): string {
	return `${key.team}\n${key.namePattern}\n${key.gpus ?? ""}\n${key.user ?? ""}`;
}
