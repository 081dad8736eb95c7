import { z } from "zod";
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

/** Every waiting time of the loop, ms, in one place, with its default for real clouds. */
export const timingSchema = z.strictObject({
	/** Time that a command gets between SIGTERM and SIGKILL to save a checkpoint. */
	stopGraceMs: z.number().default(90_000),
	/** From the launch until the agent must have called. */
	readyTimeoutMs: z.number().default(15 * 60_000),
	/** Silence of an agent after which its machine is given up. */
	agentSilentMs: z.number().default(5 * 60_000),
	/** Pause before the same launch or termination call is made again. */
	callRetryMs: z.number().default(10_000),
	/** How long a launch with unknown outcome is looked for before it counts as never happened. */
	launchForgetMs: z.number().default(5 * 60_000),
	/** How long an instance may be missing from the provider's answers before it counts as gone. */
	vanishMs: z.number().default(5 * 60_000),
	/** First pause after a capacity refusal; doubled with each one in a row, fading as time passes. */
	backoffBaseMs: z.number().default(60_000),
	backoffMaxMs: z.number().default(60 * 60_000),
	/** How long a job leaves an offer alone whose machine was taken from it or never came up. */
	offerCooldownMs: z.number().default(10 * 60_000),
	/** Prices older than this are stale. */
	priceMaxAgeMs: z.number().default(6 * 60 * 60_000),
	/** How often prices are read. */
	offersEveryMs: z.number().default(5 * 60_000),
	/** What a launch takes until the command runs, before any was measured. */
	cloudStartMs: z.strictObject({ p50Ms: z.number(), p90Ms: z.number() }).default({ p50Ms: 4 * 60_000, p90Ms: 6 * 60_000 }),
	/** Safety net under the notifications, and how often providers are looked at. */
	tickMs: z.number().default(1_000),
	syncMs: z.number().default(2_000),
	sweepMs: z.number().default(60_000),
	meterMs: z.number().default(30_000),
});
export type Timing = z.infer<typeof timingSchema>;
export const DEFAULT_TIMING: Timing = timingSchema.parse({});
