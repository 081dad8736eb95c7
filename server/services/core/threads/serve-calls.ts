import { parentPort } from "node:worker_threads";
import { defined } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ThreadAnswer, ThreadCall } from "./pool.ts";

/** The thread's side of WorkerPool: runs the received calls from a table of tasks. */
export function serveCalls(tasks: Readonly<Record<string, (input: never) => unknown>>): void {
	const port = defined(parentPort, "the thread that began this one");
	port.on("message", async ({ task, input }: ThreadCall) => {
		port.postMessage(await answerOf(tasks, task, input));
	});
}

async function answerOf(tasks: Parameters<typeof serveCalls>[0], task: string, input: unknown): Promise<ThreadAnswer> {
	try {
		const compute = tasks[task];
		if (!compute) throw new Error(`there is no task ${task}`);
		return { ok: true, output: await compute(input as never) };
	} catch (error) {
		const known = error instanceof SpillwayError ? { code: error.code, fix: error.fix, fields: error.fields } : null;
		return { ok: false, error: error instanceof Error ? error : new Error(String(error)), known };
	}
}
