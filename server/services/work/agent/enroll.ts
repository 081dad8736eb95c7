import { eq } from "drizzle-orm";
import type { EnrollAnswer, EnrollRequest } from "#server/agent/protocol.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { remotesFor } from "#server/domain/data-remotes.ts";
import { ATTEMPT_TRANSITIONS, isFinal } from "#server/domain/states.ts";
import { assert } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { markCopiesUsed, withNearestCopies } from "#server/services/capacity/data-set/nearest-copies.ts";
import { readSiteMounts } from "#server/services/capacity/site/mounts.ts";
import { adoptionsOf } from "../adoption/read.ts";
import { markStaging } from "../attempt/advance.ts";
import { withTracking } from "../metric/job-tracking.ts";
import { deliverSecrets, NO_SECRETS } from "../secret/deliver.ts";
import { withTraceParent } from "../trace/environment.ts";
import { agentTokenOf, bootstrapSecretOf, sameSum, sha256Of } from "./bootstrap.ts";
import { checkIdentity } from "./check-identity.ts";
import { checkpointFor } from "./checkpoint-manifest.ts";
import type { AgentContext } from "./context.ts";
import { ordersFor } from "./orders.ts";

type Row = {
	instance: typeof instance.$inferSelect;
	attempt: typeof attempt.$inferSelect;
	spec: (typeof job.$inferSelect)["spec"];
	submittedAt: Date;
};

/**
 * Enrolls the agent of an instance, once: the secret is spent, the instance becomes `ready` and its attempt `staging`. An agent that did
 * not get its answer repeats the call with the same nonce and gets it again. This call also identifies an instance with a lost launch
 * answer, since only its machine has the secret.
 * @throws SpillwayError `unauthenticated` for a wrong secret, and for a provider document of another machine; `unavailable` before the
 * launch is recorded, and where a document is required and cannot be obtained or checked now; `conflict` for a used secret, for a second
 * machine of the same intent, and for an instance or attempt that is no longer wanted.
 */
export async function enrollAgent(ctx: AgentContext, input: EnrollRequest): Promise<EnrollAnswer> {
	const token = agentTokenOf(ctx.secretKey, input.instanceId, input.nonce);
	const tokenHash = sha256Of(token);
	if (!isSecretValid(ctx, input)) throw wrongSecret();
	await checkIdentity(ctx, input);
	const row = await ctx.db.transaction(async (tx) => {
		const found = await readForUpdate(tx, input.instanceId);
		if (!found) throw wrongSecret();
		const usedBy = found.instance.agentTokenHash;
		const isRetry = usedBy !== null && sameSum(usedBy, tokenHash) && found.instance.state !== "terminated";
		if (isRetry) return found;
		checkWanted(found, input);
		const { providerInstanceId, privateAddress = null } = input;
		return admitAgent(tx, found, { providerInstanceId, privateAddress, tokenHash, nowMs: ctx.clock.nowMs() });
	});
	const nowMs = ctx.clock.nowMs();
	const delivered = await secretsFor(ctx, row, nowMs);
	const placed = await withNearestCopies(
		ctx.db,
		row.spec,
		`${row.instance.provider}:${row.instance.region}`,
		row.submittedAt,
		row.attempt.placement.reads,
	);
	await markCopiesUsed(ctx.db, placed, nowMs);
	const traced = await withTraceParent(ctx.db, placed, { jobId: row.attempt.jobId, attemptNo: row.attempt.number });
	const { spec, secrets } = withTracking({ spec: traced, secrets: delivered.secrets }, row.attempt.id, ctx.tracking);
	const orders = ordersFor(
		{
			attemptState: row.attempt.state,
			isFenced: row.instance.fencedAt !== null,
			stopReason: row.attempt.stopReason,
			instanceState: row.instance.state,
			instanceReason: row.instance.reason,
			expiresAtMs: row.instance.expiresAt.getTime(),
		},
		ctx.timing,
		nowMs,
	);
	return {
		token,
		attemptId: row.attempt.id,
		jobId: row.attempt.jobId,
		attemptNo: row.attempt.number,
		spec,
		heartbeatMs: ctx.timing.heartbeatMs,
		stopGraceMs: ctx.timing.stopGraceMs,
		controlSilenceMs: ctx.timing.controlSilenceMs,
		leaseMs: row.spec.critical && ctx.timing.leaseMs > 0 ? ctx.timing.leaseMs : null,
		secrets,
		secretProblem: delivered.secretProblem,
		checkpoint: await checkpointFor(ctx, {
			...row.attempt,
			attemptId: row.attempt.id,
			attemptNo: row.attempt.number,
			...rankOf(row.instance),
		}),
		keepsEnd: (await adoptionsOf(ctx.db, [row.attempt.jobId])).size > 0,
		dataRemotes: remotesFor(spec.data, (await ctx.dataRemotes?.()) ?? {}),
		mounts: spec.mounts ? await readSiteMounts(ctx.db, row.instance.siteId) : [],
		gang: row.spec.nodes > 1 ? { rank: row.instance.rank, nodes: row.spec.nodes } : null,
		...orders,
	};
}

/** The agent reports a problem that waiting does not solve as the end of the attempt. */
async function secretsFor(ctx: AgentContext, row: Row, nowMs: number): Promise<Pick<EnrollAnswer, "secrets" | "secretProblem">> {
	const { db, secretStore } = ctx;
	try {
		const secrets = await deliverSecrets({ db, secretStore, nowMs }, { attemptId: row.attempt.id, spec: row.spec });
		return { secrets, secretProblem: null };
	} catch (error) {
		if (!(error instanceof SpillwayError) || error.code === "unavailable") throw error;
		return { secrets: NO_SECRETS, secretProblem: error.message };
	}
}

function rankOf({ rank, expiresAt }: Row["instance"]): { rank: number; expiresAtMs: number } {
	return { rank, expiresAtMs: expiresAt.getTime() };
}

async function readForUpdate(tx: Tx, instanceId: string): Promise<Row | null> {
	const [row] = await tx
		.select({ instance, attempt, spec: job.spec, submittedAt: job.submittedAt })
		.from(instance)
		.innerJoin(attempt, eq(attempt.id, instance.attemptId))
		.innerJoin(job, eq(job.id, instance.jobId))
		.where(eq(instance.id, instanceId))
		.for("update", { of: instance });
	return row ?? null;
}

/** The row's hash is cleared once the secret is used, so derive the secret again; equal length, constant time. */
export function isSecretValid(ctx: AgentContext, input: EnrollRequest): boolean {
	return sameSum(sha256Of(input.bootstrapSecret), sha256Of(bootstrapSecretOf(ctx.secretKey, input.instanceId)));
}

/** The same error for an unknown instance and a wrong secret, so that a stranger learns nothing. */
export function wrongSecret(): SpillwayError {
	return new SpillwayError("unauthenticated", "Unknown instance or wrong secret.", { fix: "Power the machine off." });
}

function checkWanted({ instance: machine, attempt: run }: Row, input: EnrollRequest): void {
	const refuse = (why: string): never => {
		throw new SpillwayError("conflict", `Instance ${machine.id} cannot enroll: ${why}.`, { fix: "Power the machine off." });
	};
	// One call creates all hosts of a TPU slice, and one can boot before its own launch is recorded.
	if (machine.state === "intended" && !isFinal(ATTEMPT_TRANSITIONS, run.state)) {
		throw new SpillwayError("unavailable", `Instance ${machine.id} cannot enroll yet: its launch is not recorded.`, { fix: "Try again." });
	}
	// A machine that waited for its job is ready already.
	const isWaiting = machine.assignedAt !== null && machine.state === "ready";
	if (machine.state !== "requested" && machine.state !== "provisioning" && !isWaiting) refuse(`it is ${machine.state}`);
	if (machine.bootstrapHash === null || !sameSum(machine.bootstrapHash, sha256Of(input.bootstrapSecret)))
		refuse("its secret was used already");
	if (machine.providerInstanceId !== null && machine.providerInstanceId !== input.providerInstanceId) {
		refuse(`its machine is ${machine.providerInstanceId}, not ${input.providerInstanceId}`);
	}
	if (machine.fencedAt !== null) refuse("it is fenced");
	if (isFinal(ATTEMPT_TRANSITIONS, run.state)) refuse(`its attempt is ${run.state}`);
}

async function admitAgent(
	tx: Tx,
	row: Row,
	input: { providerInstanceId: string; privateAddress: string | null; tokenHash: string; nowMs: number },
): Promise<Row> {
	const at = new Date(input.nowMs);
	const { id } = row.instance;
	if (row.instance.state === "requested") {
		await tx.update(instance).set({ state: "provisioning", providerInstanceId: input.providerInstanceId }).where(eq(instance.id, id));
	}
	const [ready] = await tx
		.update(instance)
		.set({
			...{ state: "ready", readyAt: row.instance.readyAt ?? at, lastHeardAt: at, bootstrapHash: null, agentTokenHash: input.tokenHash },
			// The provider's information takes precedence.
			privateAddress: row.instance.privateAddress ?? input.privateAddress,
		})
		.where(eq(instance.id, id))
		.returning();
	assert(ready, `instance ${id} went away in its own transaction`);
	await markStaging(tx, { attemptId: row.attempt.id, atMs: input.nowMs });
	await notify(tx, {
		wake: true,
		changes: [
			{ topic: "instance", id, team: null },
			{ topic: "job", id: row.attempt.jobId, team: null },
		],
	});
	return { ...row, instance: ready };
}
