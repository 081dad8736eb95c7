/** Lets at most `max` run at once; the others wait in their order. */
export function atOnce(max: number): <T>(run: () => Promise<T>) => Promise<T> {
	let running = 0;
	const waiting: (() => void)[] = [];
	return async (run) => {
		if (running < max) running += 1;
		// Anyone who ends hands its place over.
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
