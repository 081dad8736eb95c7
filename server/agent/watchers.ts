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
/** Largest share of a machine's lifetime that is kept for an orderly end. */
const LAST_SHARE = 0.25;

export interface Watched {
	client: ControlClient;
	clock: AgentClock;
	lifecycle: Lifecycle;
	metadata: MachineMetadata;
	metadataPollMs: number;
	terms: Pick<EnrollAnswer, "heartbeatMs" | "stopGraceMs" | "controlSilenceMs">;
	/** When the dead man's switch fires; a heartbeat may change it. */
	life: { expiresAtMs: number };
	gpus: GpuMinutes;
	/** Lease of the command, renewed by heartbeats; null if there is none. */
	guard: Guard | null;
	log(text: string): void;
}

/** Watches everything outside the job that can request a stop, until the signal is aborted. */
export function startWatchers(w: Watched, signal: AbortSignal): { notice(): { atMs: number } | null; done: Promise<unknown> } {
	let notice: { atMs: number } | null = null;
	const beat = new Heartbeat(w, () => notice);
	const onNotice = (seen: { atMs: number }): void => {
		notice = seen;
		w.log(`the provider reclaims this instance at ${new Date(seen.atMs).toISOString()}`);
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

/** Sends heartbeats to the control plane and acts on the responses. */
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
			log(`the control plane rejected the heartbeat: ${messageOf(error)}`);
			if (error.problem.code === "unauthenticated") lifecycle.requestStop({ cause: "over", graceMs: 0, machineEndsAtMs: null });
		}
	}

	#obey(answer: HeartbeatAnswer, notice: { atMs: number } | null): void {
		const { clock, lifecycle, life } = this.#w;
		clock.syncTo(answer.nowMs);
		life.expiresAtMs = answer.expiresAtMs;
		// After the agent's own report, an ended attempt is expected.
		if (answer.over && lifecycle.phase !== "reporting" && lifecycle.phase !== "off") {
			lifecycle.requestStop({ cause: "over", graceMs: 0, machineEndsAtMs: null });
		} else if (answer.stop) {
			lifecycle.requestStop({ cause: "ordered", graceMs: answer.stop.graceMs, machineEndsAtMs: notice?.atMs ?? null });
		}
	}
}

/** Stops the job early enough before the machine's expiry for its grace period and the upload. */
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

/** A control plane that is unavailable for too long may never return, and nothing else would end this machine. */
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
