/**
 * Of calls that come while one is answered, all get the answer of the next one: it was begun after each of them. So many that ask at
 * once cost two.
 */
export function nextForAll<T>(run: () => Promise<T>): () => Promise<T> {
	let last: Promise<unknown> = Promise.resolve();
	let next: Promise<T> | null = null;
	const begin = () => {
		next = null;
		const answer = run();
		last = answer;
		return answer;
	};
	return () => {
		next ??= last.then(begin, begin);
		return next;
	};
}
