import type { PipelineState } from "../states.ts";

/** What happens with times of a schedule that passed while no scheduler ran. */
export const MISSED_RULES = ["skip", "once", "all"] as const;
export type MissedRule = (typeof MISSED_RULES)[number];

export interface CronSource {
	kind: "cron";
	/** Five fields, as crontab has them. */
	schedule: string;
	/** IANA time zone. */
	zone: string;
	missed: MissedRule;
}

export interface DataSource {
	kind: "data";
	uri: string;
	/** Fires when so many objects are new, or so many GiB; with both, either is enough. */
	files: number | null;
	sizeGiB: number | null;
	/** Nothing may have changed at the location for so long. */
	quietMs: number;
	everyMs: number;
	/** Whether objects that are there at the first check count as new. */
	existing: boolean;
}

export interface WebhookSource {
	kind: "webhook";
	/** Types of CloudEvents that fire; empty: every type. */
	types: string[];
}

export interface AfterSource {
	kind: "after";
	pipeline: string;
	states: PipelineState[];
}

export type TriggerSource = CronSource | DataSource | WebhookSource | AfterSource;

export interface TriggerSpec {
	name: string;
	team: string;
	source: TriggerSource;
	/** The pipeline or sweep to start, as a document. */
	pipeline: unknown;
	/** Values of its parameters; texts may contain `${{ firing.NAME }}`. */
	parameters: Record<string, string | number | boolean>;
}
