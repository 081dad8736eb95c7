import { type ControlClient, messageOf, Refused } from "./client.ts";
import type { AgentClock } from "./clock.ts";
import type { GpuMinutes } from "./gpu-minutes.ts";
import { sampleGpus } from "./gpu-sampler.ts";
import type { Guard } from "./guard/guard.ts";
import { bootTimeMs } from "./lease.ts";
import { type Lifecycle, SAVING_MAX_MS } from "./lifecycle.ts";
import { type MachineMetadata, watchNotice } from "./metadata.ts";
import { type EnrollAnswer, GPU_MINUTES_PER_BEAT, type HeartbeatAnswer, heartbeatAnswer } from "./protocol.ts";
import { pause, pauseUntil } from "./wait.ts";

const BEAT_TIMEOUT_MS = 10_000;
/** Of a machine's whole life, what is at most kept for the orderly end. */
const LAST_SHARE = 0.25;

export interface Watched {
	client: ControlClient;
	clock: AgentClock;
	lifecycle: Lifecycle;
	metadata: MachineMetadata;
	metadataPollMs: number;
	terms: Pick<EnrollAnswer, "heartbeatMs" | "stopGraceMs" | "controlSilenceMs">;
	/** The dead man's time; a beat may move it. */
	life: { expiresAtMs: number };
	gpus: GpuMinutes;
	/** Holds the command to its lease, which beats renew; null: it has none. */
	guard: Guard | null;
	log(text: string): void;
}

/** Everything that can ask for a stop from outside the job, until the signal is aborted. */
export function startWatchers(w: Watched, signal: AbortSignal): { notice(): { atMs: number } | null; done: Promise<unknown> } {
	let notice: { atMs: number } | null = null;
	const beat = new Heartbeat(w, () => notice);
	const onNotice = (seen: { atMs: number }): void => {
		notice = seen;
		w.log(`the provider takes this machine at ${new Date(seen.atMs).toISOString()}`);
		w.lifecycle.requestStop({ cause: "notice", graceMs: w.terms.stopGraceMs, machineEndsAtMs: seen.atMs });
		beat.soon();
	};
	const watching = [
		beat.run(signal),
		watchNotice(w.metadata, { pollMs: w.metadataPollMs, signal, onNotice, log: w.log }),
		watchExpiry(w, signal),
		watchSilence(w, signal),
		watchGivingUp(w, signal),
		sampleGpus(w.gpus, { nowMs: () => w.clock.nowMs(), signal, log: w.log }),
	];
	return { notice: () => notice, done: Promise.all(watching) };
}

/** Reports to the control plane that the agent lives, and acts on its answer. */
class Heartbeat {
	readonly #w: Watched;
	readonly #notice: () => { atMs: number } | null;
	#soon = new AbortController();

	constructor(w: Watched, notice: () => { atMs: number } | null) {
		this.#w = w;
		this.#notice = notice;
	}

	soon(): void {
		this.#soon.abort();
	}

	async run(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			await this.#beat(signal);
			await pause(this.#w.terms.heartbeatMs, AbortSignal.any([signal, this.#soon.signal]));
			this.#soon = new AbortController();
		}
	}

	async #beat(signal: AbortSignal): Promise<void> {
		const { client, lifecycle, gpus, guard, log } = this.#w;
		const notice = this.#notice();
		const sentAtMs = bootTimeMs();
		try {
			const gpuMinutes = gpus.complete(GPU_MINUTES_PER_BEAT);
			const json = {
				phase: lifecycle.phase,
				...(notice ? { notice } : {}),
				...(gpuMinutes.length > 0 ? { gpuMinutes } : {}),
				...(guard?.holds ? { leaseMs: guard.lease.ms } : {}),
			};
			const answer = await client.once({
				method: "POST",
				path: "/heartbeat",
				json,
				answer: heartbeatAnswer,
				signal,
				timeoutMs: BEAT_TIMEOUT_MS,
			});
			gpus.forget(gpuMinutes);
			if (!answer.over) guard?.renew(sentAtMs);
			this.#obey(answer, notice);
		} catch (error) {
			if (signal.aborted) return;
			if (!(error instanceof Refused)) return;
			log(`the control plane refused: ${messageOf(error)}`);
			if (error.problem.code === "unauthenticated") lifecycle.requestStop({ cause: "over", graceMs: 0, machineEndsAtMs: null });
		}
	}

	#obey(answer: HeartbeatAnswer, notice: { atMs: number } | null): void {
		const { clock, lifecycle, life } = this.#w;
		clock.syncTo(answer.nowMs);
		life.expiresAtMs = answer.expiresAtMs;
		// After our own report the attempt is over as a matter of course.
		if (answer.over && lifecycle.phase !== "reporting" && lifecycle.phase !== "off") {
			lifecycle.requestStop({ cause: "over", graceMs: 0, machineEndsAtMs: null });
		} else if (answer.stop) {
			lifecycle.requestStop({ cause: "ordered", graceMs: answer.stop.graceMs, machineEndsAtMs: notice?.atMs ?? null });
		}
	}
}

/** Ends the job in good time before the machine's life is over: with its grace, and time to upload. */
async function watchExpiry(w: Watched, signal: AbortSignal): Promise<void> {
	const leadMs = Math.min(w.terms.stopGraceMs + SAVING_MAX_MS, (w.life.expiresAtMs - w.clock.nowMs()) * LAST_SHARE);
	if (
		!(await pauseUntil(
			() => w.life.expiresAtMs - leadMs,
			() => w.clock.nowMs(),
			signal,
		))
	)
		return;
	w.lifecycle.requestStop({ cause: "expired", graceMs: w.terms.stopGraceMs, machineEndsAtMs: w.life.expiresAtMs });
}

/** A control plane that is unavailable for too long may never come back: then no one would end this machine but us. */
async function watchSilence(w: Watched, signal: AbortSignal): Promise<void> {
	const deadAt = (): number => w.client.lastAnswerAt + w.terms.controlSilenceMs;
	if (!(await pauseUntil(deadAt, () => performance.now(), signal))) return;
	const endsAtMs = w.clock.nowMs() + w.terms.stopGraceMs + SAVING_MAX_MS;
	w.lifecycle.requestStop({ cause: "control_silent", graceMs: w.terms.stopGraceMs, machineEndsAtMs: endsAtMs });
}

async function watchGivingUp(w: Watched, signal: AbortSignal): Promise<void> {
	const at = (): number => w.lifecycle.plan?.giveUpAtMs ?? Number.POSITIVE_INFINITY;
	if (await pauseUntil(at, () => w.clock.nowMs(), signal)) w.lifecycle.giveUp();
}
