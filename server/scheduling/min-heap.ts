/** A binary heap of numbers with keys, smallest key first; equal keys in any order. */
export class MinHeap {
	readonly #keys: number[] = [];
	readonly #values: number[] = [];

	/** The smallest key, infinite when the heap is empty. */
	get leastKey(): number {
		return this.#keys[0] ?? Number.POSITIVE_INFINITY;
	}

	push(key: number, value: number): void {
		this.#keys.push(key);
		this.#values.push(value);
		this.#rise(this.#keys.length - 1, key, value);
	}

	/** Removes a value with the smallest key. */
	pop(): number | undefined {
		const first = this.#values[0];
		const key = this.#keys.pop();
		const value = this.#values.pop();
		if (key !== undefined && value !== undefined && this.#keys.length > 0) this.#sink(key, value);
		return first;
	}

	/** Moves a hole from the end up to where the key belongs. */
	#rise(from: number, key: number, value: number): void {
		const keys = this.#keys;
		let hole = from;
		while (hole > 0) {
			const parent = (hole - 1) >> 1;
			const parentKey = keys[parent] ?? key;
			if (parentKey <= key) break;
			keys[hole] = parentKey;
			this.#values[hole] = this.#values[parent] ?? value;
			hole = parent;
		}
		keys[hole] = key;
		this.#values[hole] = value;
	}

	/** Moves a hole from the top down to where the key belongs. */
	#sink(key: number, value: number): void {
		const keys = this.#keys;
		const size = keys.length;
		let hole = 0;
		for (;;) {
			let child = 2 * hole + 1;
			if (child >= size) break;
			if (child + 1 < size && (keys[child + 1] ?? key) < (keys[child] ?? key)) child++;
			const childKey = keys[child] ?? key;
			if (childKey >= key) break;
			keys[hole] = childKey;
			this.#values[hole] = this.#values[child] ?? value;
			hole = child;
		}
		keys[hole] = key;
		this.#values[hole] = value;
	}
}
