import type { LineageFacts } from "../lineage.ts";
import type { FinalAttemptState } from "../outcome.ts";

/** The tag that identifies a forwarded run in MLflow, so that it is not created twice. */
export const FORWARDED_RUN_TAG = "spillway.run_id";

/** Limits of MLflow's log-batch request. */
export const MLFLOW_BATCH = { metrics: 1_000, params: 100, tags: 100 } as const;

export type MlflowStatus = "FINISHED" | "FAILED" | "KILLED";

export interface MlflowTag {
	key: string;
	value: string;
}

const REPORTED: readonly string[] = ["FINISHED", "FAILED", "KILLED"] satisfies MlflowStatus[];

/** The status of a run that its job or attempt left open. */
export function statusOfEnd(state: LineageFacts["state"] | FinalAttemptState): MlflowStatus {
	if (state === "succeeded") return "FINISHED";
	return state === "failed" ? "FAILED" : "KILLED";
}

/** The status that the run reported itself, else the one of its job. */
export function mlflowStatus(reported: string | null, state: LineageFacts["state"]): MlflowStatus {
	const own = REPORTED.find((status) => status === reported) as MlflowStatus | undefined;
	return own ?? statusOfEnd(state);
}

/** What Spillway knows about the job of a run, as tags. Cost includes owned hardware. */
export function mlflowTags(runId: string, facts: LineageFacts): MlflowTag[] {
	const { placement, policy } = facts;
	const place = placement && `${placement.provider}:${placement.region ?? placement.siteId}`;
	const values: Record<string, string | null> = {
		[FORWARDED_RUN_TAG]: runId,
		"spillway.job_id": facts.id,
		"spillway.team": facts.team,
		"spillway.cost_usd": (Number(facts.costMicroUsd) / 1e6).toFixed(6),
		"spillway.cost_is_complete": String(facts.isCharged),
		"spillway.emissions_grams": String(Number(facts.emissionsMilligrams) / 1_000),
		"spillway.attempts": String(facts.attempts),
		"spillway.place": place,
		"spillway.instance_type": placement?.instanceType ?? null,
		"spillway.capacity_type": placement?.capacityType ?? null,
		"spillway.policy": policy?.name ?? null,
		"spillway.policy_version": policy ? String(policy.version) : null,
	};
	return Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ key, value }]));
}

/** A value as MLflow's JSON writes it: NaN and infinities are text. */
export function mlflowValue(value: number): number | string {
	return Number.isFinite(value) ? value : String(value);
}
