/** Items by job id, and a list of them that is rebuilt on the next change. An unchanged list is the same object. */
export class WorkList<T extends { jobId: string }> {
	readonly #places = new Map<string, number>();
	readonly #items: T[] = [];

	get size(): number {
		return this.#items.length;
	}

	get(jobId: string): T | undefined {
		const place = this.#places.get(jobId);
		return place === undefined ? undefined : this.#items[place];
	}

	/** Adds an item, or replaces the one of the same job. */
	set(item: T): void {
		const place = this.#places.get(item.jobId);
		if (place !== undefined) {
			this.#items[place] = item;
			return;
		}
		this.#places.set(item.jobId, this.#items.length);
		this.#items.push(item);
	}

	delete(jobId: string): void {
		const place = this.#places.get(jobId);
		if (place === undefined) return;
		const last = this.#items.pop();
		if (last === undefined) return;
		this.#places.delete(jobId);
		if (last.jobId === jobId) return;
		this.#items[place] = last;
		this.#places.set(last.jobId, place);
	}

	list(): T[] {
		return this.#items;
	}
}
