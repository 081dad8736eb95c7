/**
 * Calls made during a request all share the response of the next one, which starts after each of them. Any number of simultaneous
 * calls therefore costs two requests.
 */
export function shareNextCall<T>(run: () => Promise<T>): () => Promise<T> {
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
