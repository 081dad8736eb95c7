/** A seeded source of numbers in [0, 1): the same seed gives the same sequence on every machine (mulberry32). */
export interface Random {
	next(): number;
	/** A whole number in [min, max]. */
	int(min: number, max: number): number;
	pick<T>(items: readonly T[]): T;
	/** An independent stream, so that one user of randomness does not shift another's. */
	fork(label: string): Random;
}

export function seededRandom(seed: number | string): Random {
	const root = typeof seed === "number" ? seed >>> 0 : hash32(seed);
	let state = root;
	const next = (): number => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = state;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
	return {
		next,
		int: (min, max) => min + Math.floor(next() * (max - min + 1)),
		pick: (items) => {
			const item = items[Math.floor(next() * items.length)];
			if (item === undefined) throw new RangeError("pick from an empty list");
			return item;
		},
		fork: (label) => seededRandom(hash32(`${root}/${label}`)),
	};
}

/** FNV-1a, 32 bits: a stable, non-cryptographic hash of a text. */
export function hash32(text: string): number {
	let h = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
	return h >>> 0;
}
