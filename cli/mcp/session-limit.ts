import { jobSchema } from "#server/contract/outputs/job.ts";
import { isFinal, JOB_TRANSITIONS } from "#server/domain/states.ts";
import { readAs } from "../client.ts";
import type { CommandContext } from "../command.ts";

const MICRO_PER_USD = 1_000_000n;

/**
 * What jobs of this process may still spend without approval. An active job counts with its allowance, an ended job with its cost.
 * The server enforces each allowance, as `approvalAboveUsd` of the job.
 */
export class SessionLimit {
	readonly limitMicroUsd: bigint;
	readonly #client: CommandContext["client"];
	readonly #allowances = new Map<string, { microUsd: bigint; ended: boolean }>();
	#turn: Promise<unknown> = Promise.resolve();

	/** @param limitUsd USD with at most six decimals */
	constructor(client: CommandContext["client"], limitUsd: number) {
		this.#client = client;
		this.limitMicroUsd = BigInt(Math.round(limitUsd * Number(MICRO_PER_USD)));
	}

	/** Cost of ended jobs plus allowances of active ones. Sends one request per active job. */
	async usedMicroUsd(): Promise<bigint> {
		let used = 0n;
		for (const [id, allowance] of this.#allowances) {
			if (!allowance.ended) await this.#update(id, allowance);
			used += allowance.microUsd;
		}
		return used;
	}

	async #update(id: string, allowance: { microUsd: bigint; ended: boolean }): Promise<void> {
		const job = readAs(jobSchema, await this.#client.get(`/jobs/${id}`), "job");
		const cost = BigInt(job.costMicroUsd);
		allowance.ended = isFinal(JOB_TRANSITIONS, job.state);
		// An approved job may cost more than its allowance.
		allowance.microUsd = allowance.ended || cost > allowance.microUsd ? cost : allowance.microUsd;
	}

	/**
	 * Submits a job with an allowance: its estimated cost, or the rest of the limit. One submission at a time.
	 * @returns the job's id and its allowance
	 */
	submit(estimateMicroUsd: bigint, send: (allowanceUsd: number) => Promise<string>): Promise<{ id: string; allowanceMicroUsd: bigint }> {
		const submitted = this.#turn.then(async () => {
			const left = this.limitMicroUsd - (await this.usedMicroUsd());
			const most = left > 0n ? left : 0n;
			const microUsd = estimateMicroUsd < most ? estimateMicroUsd : most;
			const id = await send(Number(microUsd) / Number(MICRO_PER_USD));
			this.#allowances.set(id, { microUsd, ended: false });
			return { id, allowanceMicroUsd: microUsd };
		});
		this.#turn = submitted.catch(() => undefined);
		return submitted;
	}
}

/** Formats micro-dollars as dollars. */
export function usdOf(microUsd: bigint): string {
	return `$${(Number(microUsd) / Number(MICRO_PER_USD)).toFixed(microUsd % 10_000n === 0n ? 2 : 6)}`;
}
