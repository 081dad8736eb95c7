import { setImmediate as yieldToEvents } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Policy } from "#server/domain/policy.ts";
import type { RecordedHistory } from "#server/simulation/backtest/history.ts";
import { type BacktestHalf, replayHalf } from "#server/simulation/backtest/replay-half.ts";
import { WHOLE_JOBS_MAX } from "./sample-span.ts";
import type { ReplayOptions } from "./work.ts";

/** Input and messages of a thread. */
export interface ThreadTask {
	history: RecordedHistory;
	policy: Policy;
}
export type ThreadMessage = { kind: "progress"; share: number } | { kind: "done"; half: BacktestHalf };

/** Replays one policy: short histories in this thread, since starting another takes longer, and others in their own thread. */
export async function replayByLength(history: RecordedHistory, policy: Policy, options: ReplayOptions): Promise<BacktestHalf> {
	if (history.jobs.length > WHOLE_JOBS_MAX) return replayInThread(history, policy, options);
	await yieldToEvents();
	options.signal.throwIfAborted();
	const half = replayHalf(history, policy);
	options.onProgress(1);
	return half;
}

/** Replays one policy in its own thread, at low priority. */
export function replayInThread(history: RecordedHistory, policy: Policy, { signal, onProgress }: ReplayOptions): Promise<BacktestHalf> {
	return new Promise((resolve, reject) => {
		const worker = new Worker(new URL("./thread-main.ts", import.meta.url), { workerData: { history, policy } satisfies ThreadTask });
		const stop = (): void => void worker.terminate();
		signal.addEventListener("abort", stop, { once: true });
		if (signal.aborted) stop();
		worker.on("message", (message: ThreadMessage) => {
			if (message.kind === "progress") onProgress(message.share);
			else resolve(message.half);
		});
		worker.on("error", reject);
		worker.on("exit", () => {
			signal.removeEventListener("abort", stop);
			reject(new Error("The replay was stopped."));
		});
	});
}
