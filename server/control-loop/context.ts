import type { Db } from "#server/db/client.ts";
import type { Clock } from "#server/kernel/clock.ts";
import type { CloudDriver, ClusterDriver } from "#server/providers/driver.ts";

/** Everything the loop needs, given from outside: tests bring fake drivers, a manual clock and a probe that kills. */
export interface LoopContext {
	db: Db;
	clock: Clock;
	timing: Timing;
	clusters: ReadonlyMap<string, ClusterDriver>;
	clouds: ReadonlyMap<string, CloudDriver>;
	/** The script that an instance executes at boot, with the one-time secret of this instance id. */
	userDataFor(input: { instanceId: string; expiresAtMs: number }): string;
	/** sha256 (hex) of that secret, to be compared when the agent shows it. */
	bootstrapHashFor(instanceId: string): string;
	/** Root folder of the checkpoint store on this host. */
	checkpointRoot: string;
	log(level: "info" | "warn" | "error", message: string, facts?: Record<string, unknown>): void;
	/** Called between any two steps whose order matters when the process dies. Does nothing in production. */
	probe(step: ProbeStep): void;
}

/** The places at which the kill test ends the process. */
export const PROBE_STEPS = [
	"launch:intent_written",
	"launch:request_marked",
	"launch:provider_answered",
	"launch:id_written",
	"terminate:marked",
	"terminate:provider_answered",
	"terminate:seen",
	"terminate:written",
	"home:intent_written",
	"home:handed_over",
	"home:exit_seen",
	"home:exit_written",
] as const;
export type ProbeStep = (typeof PROBE_STEPS)[number];

/** Every waiting time of the loop, ms, in one place. */
export interface Timing {
	/** Time that a command gets between SIGTERM and SIGKILL to save a checkpoint. */
	stopGraceMs: number;
	/** From the launch until the agent must have called. */
	readyTimeoutMs: number;
	/** Silence of an agent after which its machine is given up. */
	agentSilentMs: number;
	/** Pause before the same launch or termination call is made again. */
	callRetryMs: number;
	/** How long a launch with unknown outcome is looked for before it counts as never happened. */
	launchForgetMs: number;
	/** How long an instance may be missing from the provider's answers before it counts as gone. */
	vanishMs: number;
	/** First pause after a capacity refusal; doubled with each one in a row, halved as time passes. */
	backoffBaseMs: number;
	backoffMaxMs: number;
	/** How long a job leaves an offer alone whose machine was taken from it or never came up. */
	offerCooldownMs: number;
	/** Prices older than this are stale. */
	priceMaxAgeMs: number;
	/** What a launch takes until the command runs, before any was measured. */
	cloudStartMs: { p50Ms: number; p90Ms: number };
}

export const DEFAULT_TIMING: Timing = {
	stopGraceMs: 90_000,
	readyTimeoutMs: 15 * 60_000,
	agentSilentMs: 5 * 60_000,
	callRetryMs: 10_000,
	launchForgetMs: 5 * 60_000,
	vanishMs: 5 * 60_000,
	backoffBaseMs: 60_000,
	backoffMaxMs: 60 * 60_000,
	offerCooldownMs: 10 * 60_000,
	priceMaxAgeMs: 6 * 60 * 60_000,
	cloudStartMs: { p50Ms: 4 * 60_000, p90Ms: 6 * 60_000 },
};
