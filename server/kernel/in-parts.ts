/** A long computation that pauses between parts of a few milliseconds at most, so that its caller can do other work in between. */
export type InParts<T> = Generator<undefined, T, undefined>;

/** Runs all parts at once. */
export function complete<T>(work: InParts<T>): T {
	for (;;) {
		const part = work.next();
		if (part.done) return part.value;
	}
}
