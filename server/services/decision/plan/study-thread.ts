import { Worker } from "node:worker_threads";
import type { PlanComparison } from "#server/plan/compare/types.ts";
import type { Study, StudyProgress } from "#server/plan/study.ts";

export type StudyMessage = { kind: "progress"; progress: StudyProgress } | { kind: "done"; comparison: PlanComparison };

/** Replays all options of a study in a thread. */
export function studyInThread(
	study: Study,
	{ signal, onProgress }: { signal: AbortSignal; onProgress(progress: StudyProgress): void },
): Promise<PlanComparison> {
	return new Promise((resolve, reject) => {
		const worker = new Worker(new URL("./study-thread-main.ts", import.meta.url), { workerData: study });
		const stop = (): void => void worker.terminate();
		signal.addEventListener("abort", stop, { once: true });
		if (signal.aborted) stop();
		worker.on("message", (message: StudyMessage) => {
			if (message.kind === "done") resolve(message.comparison);
			else onProgress(message.progress);
		});
		worker.on("error", reject);
		worker.on("exit", () => {
			signal.removeEventListener("abort", stop);
			reject(new Error("The replay's thread ended before its result."));
		});
	});
}
