import type { Db } from "#server/db/client.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import type { ImportInput } from "../import/import-job.ts";
import { recordImport } from "../import/record-import.ts";
import { insertJobs, type Submission } from "./insert.ts";
import { checkSubmission } from "./submit.ts";
import { withTokenLimit } from "./token-limit.ts";

/** Maximum jobs per statement. */
const GATHERED_MAX = 200;

interface Waiting extends Submission {
	resolve(id: string): void;
	reject(error: unknown): void;
}

/**
 * Submits one job. Jobs that arrive while others are being written share the next statement, so that many clients cost few commits; a
 * single job does not wait. Each caller is answered once its job is durable.
 * @param script as in submitJobs.
 * @throws SpillwayError as submitJobs.
 */
export async function submitJob(ctx: ServiceContext, spec: JobSpec, script?: ImportInput): Promise<string> {
	await checkSubmission(ctx, [spec]);
	const imported = script ? await recordImport(ctx, script, [spec]) : null;
	const queue = queues.get(ctx.db) ?? new SubmitQueue(ctx.db);
	queues.set(ctx.db, queue);
	const { actor, requestId, source = null, trace = null } = ctx;
	const submission = { spec: withTokenLimit(ctx.actor, spec), actor, requestId, source, trace, imported };
	return queue.add(submission, () => ctx.clock.nowMs());
}

const queues = new WeakMap<Db, SubmitQueue>();

class SubmitQueue {
	readonly #db: Db;
	#waiting: Waiting[] = [];
	#writing = false;
	constructor(db: Db) {
		this.#db = db;
	}

	add(submission: Submission, nowMs: () => number): Promise<string> {
		return new Promise((resolve, reject) => {
			this.#waiting.push({ ...submission, resolve, reject });
			if (!this.#writing) void this.#write(nowMs);
		});
	}

	async #write(nowMs: () => number): Promise<void> {
		this.#writing = true;
		while (this.#waiting.length > 0) {
			const batch = this.#waiting.splice(0, GATHERED_MAX);
			try {
				const ids = await insertJobs(this.#db, batch, nowMs());
				for (const [i, one] of batch.entries()) one.resolve(ids[i] ?? "");
			} catch (error) {
				for (const one of batch) one.reject(error);
			}
		}
		this.#writing = false;
	}
}
