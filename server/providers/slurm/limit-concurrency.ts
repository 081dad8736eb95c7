/** Runs at most `max` calls concurrently; the others wait in order. */
export function limitConcurrency(max: number): <T>(run: () => Promise<T>) => Promise<T> {
	let running = 0;
	const waiting: (() => void)[] = [];
	return async (run) => {
		if (running < max) running += 1;
		// A call that ends passes its place to the next.
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			return await run();
		} finally {
			const next = waiting.shift();
			if (next) next();
			else running -= 1;
		}
	};
}
