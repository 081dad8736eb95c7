/** What a KeptMoment is made with; ages in ms by `nowMs`. */
interface Keeping<T> {
	read: () => Promise<T>;
	/** The same while nobody waits for it, with whatever else makes the next answer quick. */
	readBehind: () => Promise<T>;
	/** Whether it is worth keeping: reading it takes longer than asking. */
	isWorth: (moment: T) => boolean;
	nowMs: () => number;
	/** Runs something later, and keeps no process alive for it. */
	later: (run: () => void, inMs: number) => void;
	/** The oldest moment that is answered from. */
	maxAgeMs: number;
	/** From this age on the next one is made ready. */
	renewMs: number;
	/** How long after the last question that goes on. */
	askedMs: number;
}

/**
 * Something that takes long to read, kept ready while somebody asks for it: it is renewed behind the answers until nobody has asked
 * for a while, then forgotten. Who asks gets one that is at most `maxAgeMs` old, or waits for one that is read now.
 */
export class KeptMoment<T> {
	readonly #keeping: Keeping<T>;
	#kept: { moment: T; readAtMs: number } | null = null;
	#renewal: Promise<void> | null = null;
	#askedAtMs = 0;
	#isWatched = false;

	constructor(keeping: Keeping<T>) {
		this.#keeping = keeping;
	}

	/** @throws what `read` throws. */
	async get(): Promise<T> {
		this.#askedAtMs = this.#keeping.nowMs();
		// Two that read at once both take longer.
		if (this.#ageMs() > this.#keeping.maxAgeMs) await this.#renewal;
		if (this.#kept && this.#ageMs() <= this.#keeping.maxAgeMs) return this.#kept.moment;
		const moment = await this.#read(this.#keeping.read);
		if (this.#kept && !this.#isWatched) this.#watch();
		return moment;
	}

	#ageMs(): number {
		return this.#kept ? this.#keeping.nowMs() - this.#kept.readAtMs : Number.POSITIVE_INFINITY;
	}

	async #read(read: () => Promise<T>): Promise<T> {
		const readAtMs = this.#keeping.nowMs();
		const moment = await read();
		this.#kept = this.#keeping.isWorth(moment) ? { moment, readAtMs } : null;
		return moment;
	}

	/** Looks again once this moment is due for renewal. */
	#watch(): void {
		this.#isWatched = true;
		this.#keeping.later(() => void this.#look(), Math.max(1, this.#keeping.renewMs - this.#ageMs()));
	}

	async #look(): Promise<void> {
		const { nowMs, askedMs, renewMs } = this.#keeping;
		if (nowMs() - this.#askedAtMs > askedMs) this.#kept = null;
		if (this.#kept && this.#ageMs() >= renewMs) {
			this.#renewal = this.#renew();
			await this.#renewal;
			this.#renewal = null;
		}
		if (this.#kept) this.#watch();
		else this.#isWatched = false;
	}

	async #renew(): Promise<void> {
		try {
			await this.#read(this.#keeping.readBehind);
		} catch {
			// The next question reads it itself, and hears why it cannot.
			this.#kept = null;
		}
	}
}
