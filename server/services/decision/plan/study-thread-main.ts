import { parentPort, workerData } from "node:worker_threads";
import { defined } from "#server/kernel/assert.ts";
import { findStudy, type StudyTask } from "#server/plan/find-study.ts";
import type { StudyMessage } from "./study-thread.ts";

/** The other side of study-thread.ts. */
const port = defined(parentPort, "the thread that began this one");
const send = (message: StudyMessage): void => port.postMessage(message);
send({ kind: "done", findings: findStudy(workerData as StudyTask, (progress) => send({ kind: "progress", progress })) });
