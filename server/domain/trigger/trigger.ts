import type { PipelineState } from "../states.ts";

/** What to do with scheduled times that passed while no scheduler ran. */
export const MISSED_RULES = ["skip", "once", "all"] as const;
export type MissedRule = (typeof MISSED_RULES)[number];

export interface CronSource {
	kind: "cron";
	/** Five fields, as in crontab. */
	schedule: string;
	/** IANA time zone. */
	zone: string;
	missed: MissedRule;
}

export interface DataSource {
	kind: "data";
	uri: string;
	/** Fires when this many objects, or this many GiB, are new; with both set, either is enough. */
	files: number | null;
	sizeGiB: number | null;
	/** How long the location must be unchanged before it fires. */
	quietMs: number;
	everyMs: number;
	/** Whether objects present at the first check count as new. */
	existing: boolean;
}

export interface WebhookSource {
	kind: "webhook";
	/** CloudEvent types that fire it; empty: every type. */
	types: string[];
}

export interface AfterSource {
	kind: "after";
	pipeline: string;
	states: PipelineState[];
}

export type TriggerSource = CronSource | DataSource | WebhookSource | AfterSource;

/** Whether two sources watch the same thing, so that what a trigger has used stays used when it changes. */
export function watchesSame(a: TriggerSource, b: TriggerSource): boolean {
	return watchedBy(a) === watchedBy(b);
}

function watchedBy(source: TriggerSource): string {
	switch (source.kind) {
		case "cron":
			return JSON.stringify([source.kind, source.schedule, source.zone]);
		case "data":
			return JSON.stringify([source.kind, source.uri]);
		case "webhook":
			return source.kind;
		case "after":
			return JSON.stringify([source.kind, source.pipeline, source.states.toSorted()]);
	}
}

export interface TriggerSpec {
	name: string;
	team: string;
	source: TriggerSource;
	/** The pipeline or sweep to start, as a document. */
	pipeline: unknown;
	/** Values of its parameters; texts may contain `${{ firing.NAME }}`. */
	parameters: Record<string, string | number | boolean>;
}
