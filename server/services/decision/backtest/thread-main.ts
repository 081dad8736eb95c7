import { parentPort, workerData } from "node:worker_threads";
import { defined } from "#server/kernel/assert.ts";
import { replayHalf } from "#server/simulation/backtest/replay-half.ts";
import { lowerPriority } from "../background/priority.ts";
import type { ThreadMessage, ThreadTask } from "./replay-thread.ts";

/** The other side of replay-thread.ts. */
lowerPriority(0);
const port = defined(parentPort, "the thread that began this one");
const { history, policy } = workerData as ThreadTask;
const say = (message: ThreadMessage): void => port.postMessage(message);
const half = replayHalf(history, policy, {
	onProgress: (done, total) => say({ kind: "progress", share: total === 0 ? 1 : done / total }),
});
say({ kind: "done", half });
