/** Options of a KeptMoment; ages in ms by `nowMs`. */
interface Keeping<T> {
	read: () => Promise<T>;
	/** The same in the background, including all preparation of the next answer; null when not worth caching. */
	readBehind: () => Promise<T | null>;
	/** Whether it is worth caching: reading takes longer than deciding. */
	isWorth: (moment: T) => boolean;
	/** Whether the cached moment may still be used, however recent. */
	isCurrent: (moment: T) => Promise<boolean>;
	nowMs: () => number;
	/** Processor time used so far. */
	cpuMs: () => number;
	/** Runs something later, without keeping the process alive. */
	later: (run: () => void, inMs: number) => void;
	/** Maximum age of the moment used for answers. */
	maxAgeMs: number;
	/** Pause after preparing a moment took `tookCpuMs` of processor time. `isAsked`: quotes are being requested. */
	restMs: (tookCpuMs: number, isAsked: boolean) => number;
	/** How long after the last question quotes count as being requested. */
	askedMs: number;
	/** How often to check whether it has become worth caching. */
	lookMs: number;
}

/**
 * Something slow to read, kept ready in the background: while callers request it, or permanently (`keepReady`). Callers
 * get one that is at most `maxAgeMs` old, or wait for a new read.
 */
export class KeptMoment<T> {
	readonly #keeping: Keeping<T>;
	#kept: { moment: T; readAtMs: number } | null = null;
	#renewal: Promise<void> | null = null;
	#askedAtMs = Number.NEGATIVE_INFINITY;
	#isWatched = false;
	#permanent = false;

	constructor(keeping: Keeping<T>) {
		this.#keeping = keeping;
	}

	/** @throws what `read` and `isCurrent` throw. */
	async get(): Promise<T> {
		const { nowMs, cpuMs, maxAgeMs, isCurrent, read, restMs } = this.#keeping;
		this.#askedAtMs = nowMs();
		// Two concurrent reads would both take longer.
		if (this.#ageMs() > maxAgeMs) await this.#renewal;
		const kept = this.#ageMs() <= maxAgeMs ? this.#kept : null;
		if (kept && (await isCurrent(kept.moment))) return kept.moment;
		const [readAtMs, cpuBeganMs] = [nowMs(), cpuMs()];
		const moment = await read();
		this.#keep(moment, readAtMs);
		if (this.#kept) this.#watch(restMs(cpuMs() - cpuBeganMs, true));
		return moment;
	}

	/** Keeps one ready until `signal` aborts, as soon as it is worth caching, with or without questions. */
	keepReady(signal: AbortSignal): void {
		this.#permanent = true;
		signal.addEventListener("abort", () => (this.#permanent = false));
		this.#watch(0);
	}

	#ageMs(): number {
		return this.#kept ? this.#keeping.nowMs() - this.#kept.readAtMs : Number.POSITIVE_INFINITY;
	}

	#keep(moment: T | null, readAtMs: number): void {
		this.#kept = moment !== null && this.#keeping.isWorth(moment) ? { moment, readAtMs } : null;
	}

	/** Prepares the next one after a pause, unless that is already scheduled. */
	#watch(inMs: number): void {
		if (this.#isWatched) return;
		this.#isWatched = true;
		this.#keeping.later(() => void this.#look(), inMs);
	}

	async #look(): Promise<void> {
		const { cpuMs, restMs, lookMs } = this.#keeping;
		if (this.#permanent || this.#isAsked()) {
			const cpuBeganMs = cpuMs();
			this.#renewal = this.#renew();
			await this.#renewal;
			this.#renewal = null;
			this.#isWatched = false;
			if (this.#kept) this.#watch(restMs(cpuMs() - cpuBeganMs, this.#isAsked()));
			else if (this.#permanent) this.#watch(lookMs);
		} else {
			this.#kept = null;
			this.#isWatched = false;
		}
	}

	#isAsked(): boolean {
		return this.#keeping.nowMs() - this.#askedAtMs <= this.#keeping.askedMs;
	}

	async #renew(): Promise<void> {
		const readAtMs = this.#keeping.nowMs();
		try {
			this.#keep(await this.#keeping.readBehind(), readAtMs);
		} catch {
			// The next question reads it itself and gets the error.
			this.#kept = null;
		}
	}
}
