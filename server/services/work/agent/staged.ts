import { and, asc, eq, isNull } from "drizzle-orm";
import type { StagedAnswer, StagedRequest } from "#server/agent/protocol.ts";
import { instance } from "#server/db/schema/instance.ts";
import { sliceEnvironment, tpuSliceOf } from "#server/domain/tpu-slice.ts";
import { newestCheckpoint } from "../checkpoint/store.ts";
import { type AgentIdentity, requireLiveAttempt } from "./authenticate.ts";
import { checkpointFor } from "./checkpoint-manifest.ts";
import type { AgentContext } from "./context.ts";

/** The port of rank 0, torchrun's default. It is free because a machine runs one job. */
const MASTER_PORT = 29_500;

/**
 * Records that a machine of a gang has everything its command needs. Returns the rendezvous address once all machines do, so that their
 * commands start within one heartbeat and none waits there for another one's data.
 * @throws SpillwayError `conflict` when the attempt is over.
 */
export async function reportStaged(
	ctx: AgentContext,
	agent: AgentIdentity,
	{ restored = null }: StagedRequest = {},
): Promise<StagedAnswer> {
	requireLiveAttempt(agent);
	const wanted = await newestCheckpoint(ctx.db, agent.jobId);
	// Another rank found the checkpoint broken after this one restored it. This cannot happen in the embedded store.
	if (restored !== null && wanted?.id !== restored) return { master: null, environment: {}, restore: await checkpointFor(ctx, agent) };
	await ctx.db
		.update(instance)
		.set({ stagedAt: new Date(ctx.clock.nowMs()), restoredCheckpoint: restored })
		.where(and(eq(instance.id, agent.instanceId), isNull(instance.stagedAt)));
	const members = await ctx.db
		.select({
			...{ rank: instance.rank, stagedAt: instance.stagedAt, privateAddress: instance.privateAddress },
			...{ provider: instance.provider, instanceType: instance.instanceType },
		})
		.from(instance)
		.where(eq(instance.attemptId, agent.attemptId))
		.orderBy(asc(instance.rank));
	const [first] = members;
	const whole = members.length === agent.nodes && members.every((m) => m.stagedAt !== null);
	const waiting = { master: null, environment: {} };
	if (!whole || !first?.privateAddress) return waiting;
	const master = { address: first.privateAddress, port: MASTER_PORT };
	const slice = tpuSliceOf(first);
	if (slice === null) return { master, environment: {} };
	const addresses = members.flatMap((m) => m.privateAddress ?? []);
	if (addresses.length < members.length) return waiting;
	return { master, environment: sliceEnvironment(slice, agent.rank, addresses) };
}
