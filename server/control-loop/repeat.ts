import { pause } from "./leadership.ts";

export interface Repeating {
	/** Runs the task soon, or again after the current run. */
	wake(): void;
	/** Resolves when the task has stopped. */
	done: Promise<void>;
}

/**
 * Runs a task one at a time: when woken, and at least every `everyMs`. After each run it pauses for `minGapMs` plus a share
 * of the run's duration, so that frequent wake-ups cannot overload the machine. Errors go to `onError`, and the task
 * retries with a growing delay. A run that ends because of the signal is not an error.
 */
export function repeat(options: {
	everyMs: number;
	minGapMs: number;
	run: () => Promise<void>;
	onError: (error: unknown) => void;
	signal: AbortSignal;
}): Repeating {
	let woken = true;
	let ring: (() => void) | null = null;
	let failures = 0;
	const loop = async (): Promise<void> => {
		while (!options.signal.aborted) {
			if (!woken) await new Promise<void>((resolve) => waitForWake(resolve));
			if (options.signal.aborted) return;
			woken = false;
			const startedMs = performance.now();
			try {
				await options.run();
				failures = 0;
			} catch (error) {
				if (isAbort(error, options.signal)) return;
				failures++;
				// Not only when it is due again: prices that could not be read at the start are missing until then.
				woken = true;
				options.onError(error);
			}
			const tookMs = performance.now() - startedMs;
			await pause(
				failures > 0 ? Math.min(10_000, 200 * 2 ** failures) : Math.max(options.minGapMs, Math.min(tookMs, 1_000)),
				options.signal,
			);
		}
	};
	const waitForWake = (resolve: () => void): void => {
		const timer = setTimeout(finish, options.everyMs);
		function finish(): void {
			clearTimeout(timer);
			options.signal.removeEventListener("abort", finish);
			ring = null;
			woken = true;
			resolve();
		}
		ring = finish;
		options.signal.addEventListener("abort", finish);
	};
	return {
		wake: () => {
			woken = true;
			ring?.();
		},
		done: loop(),
	};
}

/** A task that fails for another reason while it is stopped still reports it. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
	return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
}
