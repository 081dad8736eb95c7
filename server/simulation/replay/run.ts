import type { Offer } from "#server/domain/capacity.ts";
import type { DataRef } from "#server/domain/job.ts";
import type { Staging } from "#server/scheduling/data.ts";
import type { HomeNodes } from "./home-nodes.ts";
import type { RecordedJob, TraceJob } from "./types.ts";

/**
 * Why an attempt ended. `refused`: it never started. `expired`: its instance reached the end of its life. `withdrawn`: its job was
 * cancelled. `cut_off`: the replay ended.
 */
export type RunEnd = "finished" | "interrupted" | "refused" | "evicted" | "moved" | "stopped" | "expired" | "withdrawn" | "cut_off";

/** One attempt of a job: in slots at home, or on instances of an offer. Times are UTC ms. */
export class Run {
	readonly job: SeenJob;
	readonly attemptNo: number;
	readonly home: { nodes: HomeNodes; slots: readonly number[] } | null;
	readonly offer: Offer | null;
	/** Machines, all of the same type. */
	readonly instances: number;
	/** When it was placed. Its slots are held, or its instances billed, from here. */
	readonly placedAtMs: number;
	/** Data that it copies there first, from when its machines are up. */
	readonly staging: Staging;
	readonly stagingAtMs: number;
	/** When its command starts. With saved work, it restores first. */
	readonly commandAtMs: number;
	/** When work starts. */
	readonly workAtMs: number;
	/** Work done per ms. */
	readonly speed: number;
	/** Work already saved when it started. */
	readonly savedBeforeMs: number;
	/** Its checkpoint must first be copied from another region. */
	readonly movesCheckpoint: boolean;
	/** Infinite: saves nothing. */
	readonly checkpointEveryMs: number;
	/** Set when its end is requested: when it ends and why. */
	stop: { atMs: number; why: RunEnd } | null = null;
	/** Its launch will be refused; strategies learn this only with the answer. */
	refused = false;
	/** Its launch will be throttled, which says nothing about capacity. */
	throttled = false;
	/** Its processes were asked to stop; unsaved work is lost. */
	stopping = false;
	over = false;
	/** It runs on machines that were kept for jobs: no new start is billed. */
	continues = false;

	constructor(given: {
		job: SeenJob;
		home: Run["home"];
		offer: Offer | null;
		placedAtMs: number;
		bootMs: number;
		staging: Staging;
		restoreMs: number;
		speed: number;
		checkpointEveryMs: number;
	}) {
		this.job = given.job;
		this.attemptNo = given.job.attempts;
		this.home = given.home;
		this.offer = given.offer;
		this.instances = given.job.nodes;
		this.placedAtMs = given.placedAtMs;
		this.staging = given.staging;
		this.stagingAtMs = given.placedAtMs + given.bootMs;
		this.commandAtMs = this.stagingAtMs + Math.ceil(given.staging.ms);
		this.workAtMs = this.commandAtMs + (given.job.savedMs > 0 ? given.restoreMs : 0);
		this.speed = given.speed;
		this.savedBeforeMs = given.job.savedMs;
		this.movesCheckpoint = given.offer !== null && given.job.savedAt !== null && given.job.savedAt !== placeOf(given.offer);
		this.checkpointEveryMs = given.checkpointEveryMs;
	}

	/** Share of its data copied by a moment. */
	stagedShare(atMs: number): number {
		if (atMs >= this.commandAtMs) return 1;
		return atMs <= this.stagingAtMs ? 0 : (atMs - this.stagingAtMs) / (this.commandAtMs - this.stagingAtMs);
	}

	/** Work of the job saved by a moment of this attempt. */
	savedAt(atMs: number): number {
		if (atMs <= this.workAtMs || this.checkpointEveryMs === Number.POSITIVE_INFINITY) return this.savedBeforeMs;
		const checkpoints = Math.floor((atMs - this.workAtMs) / this.checkpointEveryMs);
		return this.savedBeforeMs + checkpoints * this.checkpointEveryMs * this.speed;
	}

	/** When the first checkpoint at or after a moment is complete. */
	nextCheckpointAt(atMs: number): number {
		const sinceMs = Math.max(0, atMs - this.workAtMs);
		return this.workAtMs + Math.max(1, Math.ceil(sinceMs / this.checkpointEveryMs)) * this.checkpointEveryMs;
	}
}

/** `provider:region`. */
export function placeOf({ provider, region }: Pick<Offer, "provider" | "region">): string {
	return `${provider}:${region}`;
}

/** A job as strategies see it: what a live scheduler would know, never how long it will run. */
export interface SeenJob {
	/** Position in submission order: first the jobs of the trace, then those of pipelines. */
	readonly index: number;
	readonly id: string;
	readonly team: string;
	readonly user: string | null;
	readonly accelerators: readonly string[];
	/** All nodes together. */
	readonly gpus: number;
	readonly nodes: number;
	readonly gpusPerNode: number;
	/** UTC ms. */
	readonly submittedAtMs: number;
	readonly deadlineAtMs: number | null;
	readonly deadlineKind: TraceJob["deadlineKind"];
	readonly limitMs: number | null;
	/** The pipeline that it is a run of. */
	readonly pipelineId: string | null;
	/** Data it reads; the same list for all jobs that read the same data. */
	readonly data: readonly DataRef[];
	/** What our own records contain about it; null for a job from a trace. */
	readonly recorded: RecordedJob | null;
	/** Saved work, ms on the recorded accelerator. */
	readonly savedMs: number;
	/** Location of its newest checkpoint: `provider:region`; null: at home, or nothing is saved. */
	readonly savedAt: string | null;
	/** Attempts so far, refused launches included. */
	readonly attempts: number;
	/** UTC ms since which it has been waiting; initially its submission. */
	readonly pendingSinceMs: number;
	/** Its live attempt, including an unanswered launch. */
	readonly run: Run | null;
	/** It was cancelled, or no strategy can ever run it. */
	readonly givenUp: boolean;
}
