import type { Db } from "#server/db/client.ts";
import type { Clock } from "#server/kernel/clock.ts";
import type { CloudDriver, ClusterDriver } from "#server/providers/driver.ts";
import type { StoreBox } from "#server/services/capacity/store/box.ts";
import type { Timing } from "#server/services/core/timing.ts";
import type { LogStore } from "#server/services/work/log/store.ts";
import type { JobTracking } from "#server/services/work/metric/job-tracking.ts";
import type { SecretStore } from "#server/services/work/secret/store.ts";

/** The loop's dependencies. Tests pass fake drivers, a manual clock and a probe that kills. */
export interface LoopContext {
	db: Db;
	clock: Clock;
	timing: Timing;
	clusters: ReadonlyMap<string, ClusterDriver>;
	clouds: ReadonlyMap<string, CloudDriver>;
	/** The script that an instance executes at boot, with the one-time secret of this instance id. */
	userDataFor(input: {
		instanceId: string;
		expiresAtMs: number;
		lifeMs: number;
		warmMs?: number;
		bootsAgain?: "copied" | "repeated";
	}): string;
	/** SHA-256 (hex) of that secret, compared when the agent enrolls. */
	bootstrapHashFor(instanceId: string): string;
	/** Keeps the secrets of jobs. Absent: jobs with secrets cannot start. */
	secretStore?: SecretStore;
	/** Where jobs log their metrics. Absent: they get no address and token for it. */
	tracking?: JobTracking;
	/** Root folder of the checkpoint store on this host. */
	checkpointRoot: string;
	/** Root folder of the embedded artifact store on this host. */
	artifactRoot: string;
	/** Where lines of logs move to. Absent: they stay in the database. */
	logs?: LogStore;
	/** Stores of teams; null: everything is kept in the folders above. */
	stores?: StoreBox | null;
	log(level: "info" | "warn" | "error", message: string, facts?: Record<string, unknown>): void;
	/** Called between steps with an order that matters in a crash. Does nothing in production. */
	probe(step: ProbeStep): void;
}

/** The steps at which the kill test ends the process. */
export const PROBE_STEPS = [
	"launch:intent_written",
	"launch:request_marked",
	"launch:provider_answered",
	"launch:id_written",
	"prewarm:intent_written",
	"prewarm:given_up",
	"prewarm:stop_marked",
	"prewarm:stop_answered",
	"prewarm:stopped",
	"prewarm:start_marked",
	"prewarm:start_answered",
	"terminate:marked",
	"terminate:provider_answered",
	"terminate:seen",
	"terminate:written",
	"lease:over",
	"lease:fenced",
	"home:intent_written",
	"home:handed_over",
	"home:exit_seen",
	"home:outputs_kept",
	"home:exit_written",
	"move:intent_written",
	"move:begun",
	"adopt:offered",
	"adopt:hold_intended",
	"adopt:hold_answered",
	"adopt:held",
	"adopt:return_planned",
	"adopt:return_intended",
	"adopt:checkpoint_home",
	"adopt:release_answered",
	"adopt:released",
	"adopt:finish_intended",
	"adopt:output_written",
	"adopt:finish_answered",
	"pipeline:deciding",
	"pipeline:decided",
] as const;
export type ProbeStep = (typeof PROBE_STEPS)[number];
