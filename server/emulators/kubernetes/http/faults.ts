/** A scripted temporary fault; faults apply in order. */
export interface ApiFault {
	method?: string;
	/** Matches part of the path with its query. */
	path?: RegExp;
	/**
	 * A response with this status, a cut connection, or a delay. `cut` closes the connection without a response; with `done`, after
	 * the request was executed.
	 */
	does: { status: number } | { cut: true; done?: boolean } | { delayMs: number };
	/** How often it applies; default: until it is removed. */
	times?: number;
}

export class ApiFaults {
	#list: ApiFault[] = [];

	add(fault: ApiFault): void {
		this.#list.push({ ...fault });
	}

	clear(): void {
		this.#list = [];
	}

	take(method: string, url: string): ApiFault["does"] | null {
		const found = this.#list.find((f) => (f.method ?? method) === method && (f.path?.test(url) ?? true));
		if (!found) return null;
		if (found.times !== undefined) {
			found.times -= 1;
			if (found.times <= 0) this.#list = this.#list.filter((f) => f !== found);
		}
		return found.does;
	}
}
