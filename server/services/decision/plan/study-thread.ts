import { Worker } from "node:worker_threads";
import type { StudyFindings, StudyTask } from "#server/plan/find-study.ts";
import type { StudyProgress } from "#server/plan/study.ts";

export type StudyMessage = { kind: "progress"; progress: StudyProgress } | { kind: "done"; findings: StudyFindings };

/** Replays all options of a study, and its claims, in a thread. */
export function studyInThread(
	task: StudyTask,
	{ signal, onProgress }: { signal: AbortSignal; onProgress(progress: StudyProgress): void },
): Promise<StudyFindings> {
	return new Promise((resolve, reject) => {
		const worker = new Worker(new URL("./study-thread-main.ts", import.meta.url), { workerData: task });
		const stop = (): void => void worker.terminate();
		signal.addEventListener("abort", stop, { once: true });
		if (signal.aborted) stop();
		worker.on("message", (message: StudyMessage) => {
			if (message.kind === "done") resolve(message.findings);
			else onProgress(message.progress);
		});
		worker.on("error", reject);
		worker.on("exit", () => {
			signal.removeEventListener("abort", stop);
			reject(new Error("The replay's thread ended before its result."));
		});
	});
}
