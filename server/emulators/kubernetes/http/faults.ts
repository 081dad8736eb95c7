/** What goes wrong for a while, in the scripted order. */
export interface ApiFault {
	method?: string;
	/** A part of the path with its query. */
	path?: RegExp;
	/** An answer of this status; `cut`: the connection ends without one, after the request was carried out with `done`. */
	does: { status: number } | { cut: true; done?: boolean } | { delayMs: number };
	/** How often; default: until it is taken away. */
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
