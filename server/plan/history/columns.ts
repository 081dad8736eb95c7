/** One recorded job, from a trace or from our own records. Times are ms; `submitMs` is UTC or from the trace's start. */
export interface HistoryRow {
	submitMs: number;
	durationMs: number;
	gpus: number;
	team: string;
	user: string | null;
	/** Name of the recurring work: a project or a job name; null: not recorded. */
	name: string | null;
	workloadClass: string;
	/** The GPU model that it ran on or required; several joined by " or "; null: not recorded. */
	gpuModel: string | null;
	/** From submission to start; null: not recorded. */
	waitMs: number | null;
	/** From submission; null: none. */
	deadlineMs: number | null;
	status: string | null;
	/** Facts that only our own records contain; null: not recorded. */
	savesCheckpoints: boolean | null;
	inputGiB: number | null;
	isSensitive: boolean | null;
}

/** A group of similar jobs: one team's jobs of one name (or user) and one size. */
export interface Family {
	team: string;
	/** Job name, else user; null: neither is recorded. */
	label: string | null;
	gpus: number;
	savesCheckpoints: boolean | null;
	isSensitive: boolean | null;
	/** Largest input of a job, GiB; null: not recorded. */
	inputGiB: number | null;
}

/** The name of a GPU model that is not recorded. */
export const UNKNOWN_MODEL = "(not recorded)";

const FIRST_ROOM = 1024;

/** A history as columns: about 64 bytes per job, so that a million jobs need little memory. Rows keep insertion order. */
export class JobColumns {
	length = 0;
	submitMs = new Float64Array(FIRST_ROOM);
	durationMs = new Float64Array(FIRST_ROOM);
	/** NaN: not recorded. */
	waitMs = new Float64Array(FIRST_ROOM);
	/** From submission; NaN: none. */
	deadlineMs = new Float64Array(FIRST_ROOM);
	gpus = new Int32Array(FIRST_ROOM);
	family = new Uint32Array(FIRST_ROOM);
	team = new Uint32Array(FIRST_ROOM);
	workloadClass = new Uint32Array(FIRST_ROOM);
	gpuModel = new Uint32Array(FIRST_ROOM);
	status = new Uint32Array(FIRST_ROOM);
	readonly families: Family[] = [];
	readonly teams = new Names();
	readonly users = new Names();
	readonly classes = new Names();
	readonly gpuModels = new Names();
	/** "" represents a status that is not recorded. */
	readonly statuses = new Names();
	readonly #familyOf = new Map<string, number>();

	add(row: HistoryRow): void {
		if (this.length === this.submitMs.length) this.#grow();
		const i = this.length++;
		this.submitMs[i] = row.submitMs;
		this.durationMs[i] = row.durationMs;
		this.waitMs[i] = row.waitMs ?? Number.NaN;
		this.deadlineMs[i] = row.deadlineMs ?? Number.NaN;
		this.gpus[i] = row.gpus;
		this.team[i] = this.teams.indexOf(row.team);
		this.workloadClass[i] = this.classes.indexOf(row.workloadClass);
		this.gpuModel[i] = this.gpuModels.indexOf(row.gpuModel ?? UNKNOWN_MODEL);
		this.status[i] = this.statuses.indexOf(row.status ?? "");
		if (row.user !== null) this.users.indexOf(row.user);
		this.family[i] = this.#family(row);
	}

	/** A column's value; a missing row is a bug in the caller. */
	at(column: ArrayLike<number>, i: number): number {
		return column[i] ?? Number.NaN;
	}

	/** Shifts all submissions by this amount. */
	shift(byMs: number): void {
		for (let i = 0; i < this.length; i++) this.submitMs[i] = this.at(this.submitMs, i) + byMs;
	}

	/** These rows, in this order. Indexes of names and families stay the same. */
	pick(rows: ArrayLike<number>): JobColumns {
		const picked = new JobColumns();
		picked.length = rows.length;
		for (const name of ["submitMs", "durationMs", "waitMs", "deadlineMs"] as const)
			picked[name] = pickFrom(this[name], rows, new Float64Array(rows.length));
		picked.gpus = pickFrom(this.gpus, rows, new Int32Array(rows.length));
		for (const name of ["family", "team", "workloadClass", "gpuModel", "status"] as const)
			picked[name] = pickFrom(this[name], rows, new Uint32Array(rows.length));
		picked.families.push(...this.families);
		for (const name of ["teams", "users", "classes", "gpuModels", "statuses"] as const)
			for (const each of this[name].list) picked[name].indexOf(each);
		return picked;
	}

	/** Keeps only the families that have rows. Their indexes change. */
	dropUnusedFamilies(): this {
		const indexes = new Map<number, number>();
		const used: Family[] = [];
		for (let i = 0; i < this.length; i++) {
			const before = this.at(this.family, i);
			let index = indexes.get(before);
			if (index === undefined) {
				index = used.length;
				indexes.set(before, index);
				const family = this.families[before];
				if (family) used.push(family);
			}
			this.family[i] = index;
		}
		this.families.length = 0;
		for (const family of used) this.families.push(family);
		return this;
	}

	#family(row: HistoryRow): number {
		const label = row.name ?? row.user;
		const key = `${this.teams.indexOf(row.team)}/${row.gpus}/${label ?? ""}`;
		const known = this.#familyOf.get(key);
		if (known === undefined) {
			const { gpus, savesCheckpoints, isSensitive, inputGiB } = row;
			this.families.push({
				team: copyOf(row.team),
				label: label === null ? null : copyOf(label),
				gpus,
				savesCheckpoints,
				isSensitive,
				inputGiB,
			});
			this.#familyOf.set(copyOf(key), this.families.length - 1);
			return this.families.length - 1;
		}
		const family = this.families[known];
		if (family) mergeFacts(family, row);
		return known;
	}

	#grow(): void {
		const to = this.submitMs.length * 2;
		this.submitMs = grown(this.submitMs, new Float64Array(to));
		this.durationMs = grown(this.durationMs, new Float64Array(to));
		this.waitMs = grown(this.waitMs, new Float64Array(to));
		this.deadlineMs = grown(this.deadlineMs, new Float64Array(to));
		this.gpus = grown(this.gpus, new Int32Array(to));
		this.family = grown(this.family, new Uint32Array(to));
		this.team = grown(this.team, new Uint32Array(to));
		this.workloadClass = grown(this.workloadClass, new Uint32Array(to));
		this.gpuModel = grown(this.gpuModel, new Uint32Array(to));
		this.status = grown(this.status, new Uint32Array(to));
	}
}

/** A family saves checkpoints if all its jobs do, and is sensitive if any of them is. */
function mergeFacts(family: Family, row: HistoryRow): void {
	if (row.savesCheckpoints !== null) family.savesCheckpoints = (family.savesCheckpoints ?? true) && row.savesCheckpoints;
	if (row.isSensitive !== null) family.isSensitive = (family.isSensitive ?? false) || row.isSensitive;
	if (row.inputGiB !== null) family.inputGiB = Math.max(family.inputGiB ?? 0, row.inputGiB);
}

/** Maps texts to numbers. */
export class Names {
	readonly #indexOf = new Map<string, number>();
	readonly list: string[] = [];

	indexOf(name: string): number {
		const known = this.#indexOf.get(name);
		if (known !== undefined) return known;
		const own = copyOf(name);
		this.list.push(own);
		this.#indexOf.set(own, this.list.length - 1);
		return this.list.length - 1;
	}
}

/** Copies the text: a slice of a larger one would keep all of that in memory. */
export function copyOf(text: string): string {
	return Buffer.from(text, "utf8").toString("utf8");
}

/** A plain loop: typed arrays' own `from` calls a function for each row, which takes several times as long. */
function pickFrom<T extends Float64Array | Int32Array | Uint32Array>(column: T, rows: ArrayLike<number>, into: T): T {
	for (let at = 0; at < rows.length; at++) into[at] = column[rows[at] ?? -1] ?? Number.NaN;
	return into;
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
	to.set(from);
	return to;
}
