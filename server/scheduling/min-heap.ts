/** A binary heap of numbers with keys, smallest key first; equal keys in any order. */
export class MinHeap {
	readonly #keys: number[] = [];
	readonly #values: number[] = [];

	/** The smallest key, infinite when the heap is empty. */
	get leastKey(): number {
		return this.#keys[0] ?? Number.POSITIVE_INFINITY;
	}

	push(key: number, value: number): void {
		const keys = this.#keys;
		let i = keys.length;
		keys.push(key);
		this.#values.push(value);
		while (i > 0) {
			const parent = (i - 1) >> 1;
			if ((keys[parent] ?? 0) <= key) break;
			this.#swap(i, parent);
			i = parent;
		}
	}

	/** Takes out a value with the smallest key. */
	pop(): number | undefined {
		const first = this.#values[0];
		const key = this.#keys.pop();
		const value = this.#values.pop();
		if (first === undefined || key === undefined || value === undefined || this.#keys.length === 0) return first;
		this.#keys[0] = key;
		this.#values[0] = value;
		this.#sink();
		return first;
	}

	#sink(): void {
		const keys = this.#keys;
		const keyAt = (i: number): number => keys[i] ?? Number.POSITIVE_INFINITY;
		let i = 0;
		for (;;) {
			const left = 2 * i + 1;
			const child = keyAt(left + 1) < keyAt(left) ? left + 1 : left;
			if (keyAt(child) >= keyAt(i)) return;
			this.#swap(i, child);
			i = child;
		}
	}

	#swap(i: number, j: number): void {
		const { [i]: key = 0, [j]: otherKey = 0 } = this.#keys;
		const { [i]: value = 0, [j]: otherValue = 0 } = this.#values;
		this.#keys[i] = otherKey;
		this.#keys[j] = key;
		this.#values[i] = otherValue;
		this.#values[j] = value;
	}
}
