import type { Offer } from "#server/domain/capacity.ts";
import type { DataRef } from "#server/domain/job.ts";
import type { Staging } from "#server/scheduling/data.ts";
import type { HomeNodes } from "./home-nodes.ts";
import type { RecordedJob, TraceJob } from "./types.ts";

/**
 * Why an attempt ended. `refused` never began; `expired`: its instance came to the end of its life; `withdrawn`: a person ended its
 * job; `cut_off`: the replay ended.
 */
export type RunEnd = "finished" | "interrupted" | "refused" | "evicted" | "moved" | "stopped" | "expired" | "withdrawn" | "cut_off";

/** One attempt of a job: in slots at home, or on instances of an offer. Times are UTC ms. */
export class Run {
	readonly job: SeenJob;
	readonly attemptNo: number;
	readonly home: { nodes: HomeNodes; slots: readonly number[] } | null;
	readonly offer: Offer | null;
	/** Machines, all of one kind. */
	readonly instances: number;
	/** When it was placed: its slots are held, or its instances billed, from here. */
	readonly placedAtMs: number;
	/** What it copies there first, from when its machines are up. */
	readonly staging: Staging;
	readonly stagingAtMs: number;
	/** When its command starts; with saved work it restores first. */
	readonly commandAtMs: number;
	/** From here on work is done. */
	readonly workAtMs: number;
	/** Work done in a ms. */
	readonly speed: number;
	/** Work that was saved when it began. */
	readonly savedBeforeMs: number;
	/** Its checkpoint is copied from another region first. */
	readonly movesCheckpoint: boolean;
	/** Infinite: it saves nothing. */
	readonly checkpointEveryMs: number;
	/** Set when its end was asked for: at that moment, and then for this reason. */
	stop: { atMs: number; why: RunEnd } | null = null;
	/** Its launch will be refused; no one knows before the answer comes. */
	refused = false;
	/** Its launch will be refused because the API got too many requests, which says nothing about capacity. */
	throttled = false;
	/** Its processes were asked to end: what is not saved is lost. */
	stopping = false;
	over = false;

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

	/** Share of its data that is copied by a moment. */
	stagedShare(atMs: number): number {
		if (atMs >= this.commandAtMs) return 1;
		return atMs <= this.stagingAtMs ? 0 : (atMs - this.stagingAtMs) / (this.commandAtMs - this.stagingAtMs);
	}

	/** Work of the job that is saved at a moment of this attempt. */
	savedAt(atMs: number): number {
		if (atMs <= this.workAtMs || this.checkpointEveryMs === Number.POSITIVE_INFINITY) return this.savedBeforeMs;
		const checkpoints = Math.floor((atMs - this.workAtMs) / this.checkpointEveryMs);
		return this.savedBeforeMs + checkpoints * this.checkpointEveryMs * this.speed;
	}

	/** The first checkpoint that is complete at or after a moment. */
	nextCheckpointAt(atMs: number): number {
		const sinceMs = Math.max(0, atMs - this.workAtMs);
		return this.workAtMs + Math.max(1, Math.ceil(sinceMs / this.checkpointEveryMs)) * this.checkpointEveryMs;
	}
}

/** `provider:region`. */
export function placeOf({ provider, region }: Pick<Offer, "provider" | "region">): string {
	return `${provider}:${region}`;
}

/** A job of a replay as strategies see it: what a live scheduler would know, never how long it will run. */
export interface SeenJob {
	/** Its place in the order of submission. */
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
	/** What it reads; the same list for all jobs that read the same. */
	readonly data: readonly DataRef[];
	/** What our own records contain about it; null: a job of a trace. */
	readonly recorded: RecordedJob | null;
	/** Work that is saved, ms on the recorded accelerator. */
	readonly savedMs: number;
	/** Where its newest checkpoint lies: `provider:region`; null: at home, or nothing is saved. */
	readonly savedAt: string | null;
	/** Attempts so far, refused launches included. */
	readonly attempts: number;
	/** UTC ms since which it waits; its submission at first. */
	readonly pendingSinceMs: number;
	/** Its live attempt, a launch that has no answer yet included. */
	readonly run: Run | null;
}
