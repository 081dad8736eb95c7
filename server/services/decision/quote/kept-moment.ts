/** Options of a KeptMoment; ages in ms by `nowMs`. */
interface Keeping<T> {
	read: () => Promise<T>;
	/** The same, in the background, with all preparation of the next answer; null: not worth keeping. */
	readBehind: () => Promise<T | null>;
	/** Whether it is worth keeping: reading it takes longer than asking. */
	isWorth: (moment: T) => boolean;
	/** Whether what is kept may still be answered from, however young it is. */
	isCurrent: (moment: T) => Promise<boolean>;
	nowMs: () => number;
	/** Processor time that was used so far. */
	cpuMs: () => number;
	/** Runs something later, and keeps no process alive for it. */
	later: (run: () => void, inMs: number) => void;
	/** The oldest moment that is answered from. */
	maxAgeMs: number;
	/** Pause after preparing a moment took `tookCpuMs` of processor time. `isAsked`: quotes are being requested. */
	restMs: (tookCpuMs: number, isAsked: boolean) => number;
	/** How long after the last question quotes count as being requested. */
	askedMs: number;
	/** How often it is looked whether it has become worth keeping. */
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
		// Two that read at once both take longer.
		if (this.#ageMs() > maxAgeMs) await this.#renewal;
		const kept = this.#ageMs() <= maxAgeMs ? this.#kept : null;
		if (kept && (await isCurrent(kept.moment))) return kept.moment;
		const [readAtMs, cpuBeganMs] = [nowMs(), cpuMs()];
		const moment = await read();
		this.#keep(moment, readAtMs);
		if (this.#kept) this.#watch(restMs(cpuMs() - cpuBeganMs, true));
		return moment;
	}

	/** Until `signal`, one is kept ready as soon as it is worth keeping, whether anybody asks or not. */
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

	/** Makes the next one ready after a while, unless that is going to happen anyway. */
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
			// The next question reads it itself, and hears why it cannot.
			this.#kept = null;
		}
	}
}
