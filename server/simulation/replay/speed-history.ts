import type { JobSpec } from "#server/domain/job.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { ThroughputBook } from "#server/scheduling/throughput/throughput-book.ts";
import type { ThroughputView } from "#server/scheduling/throughput/types.ts";
import type { Run } from "./run.ts";
import type { ReplayThroughput } from "./types.ts";

/** Shorter runs show no speed. */
const LEAST_RUN_MS = MINUTE_MS;
/** How often decisions get newly learned speeds, as a live cycle reads its history. */
const READ_EVERY_MS = MINUTE_MS;

/** Speeds of a replay's jobs, as a live scheduler would have measured them from reported progress. */
export class SpeedHistory {
	readonly #book = new ThroughputBook();
	#view: ThroughputView;
	#readAtMs = Number.NEGATIVE_INFINITY;

	constructor({ recordedOn, prior }: ReplayThroughput) {
		this.#view = { anchor: { accelerator: recordedOn, speed: 1 }, prior, stats: [] };
	}

	/** Records a finished attempt: its work ÷ its time. */
	add(job: JobSpec, run: Run, endMs: number): void {
		const accelerator = run.offer?.accelerator ?? run.home?.nodes.pool.accelerator;
		if (run.refused || accelerator === undefined || endMs - run.workAtMs < LEAST_RUN_MS) return;
		this.#book.add({ job, accelerator, kind: "rate", ratePerHour: run.speed * HOUR_MS });
	}

	view(nowMs: number): ThroughputView {
		if (nowMs - this.#readAtMs < READ_EVERY_MS) return this.#view;
		this.#readAtMs = nowMs;
		const stats = this.#book.read();
		if (stats !== this.#view.stats) this.#view = { ...this.#view, stats };
		return this.#view;
	}
}
