import { eq } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { adoption } from "#server/db/schema/adoption.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance, type StoredOffer } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { site } from "#server/db/schema/site.ts";
import type { Placement } from "#server/domain/capacity.ts";
import type { ForeignJob } from "#server/domain/foreign-job.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { reason } from "#server/domain/reasons.ts";
import { attemptIdOf, instanceIdOf, newId } from "#server/kernel/ids.ts";
import { bootstrapHashOf } from "../bootstrap.ts";

export const SECRET_KEY = "a-key-for-tests-only";

export function aSpec(changes: Partial<JobSpec> = {}): JobSpec {
	return {
		name: "agent-test",
		team: "research",
		project: null,
		labels: {},
		class: "burst",
		image: null,
		command: ["true"],
		env: {},
		nodes: 1,
		resources: { gpus: 2, accelerators: [], cpus: null, memoryGiB: null },
		duration: { estimateMs: null, maxMs: null },
		deadlineMs: null,
		priority: 50,
		critical: false,
		checkpoint: null,
		data: [],
		...changes,
	};
}

/** A job without an attempt. */
export async function seedJob(db: Db, spec: JobSpec): Promise<string> {
	const id = newId("job", Date.now());
	const at = new Date();
	await db.insert(job).values({
		id,
		name: spec.name,
		team: spec.team,
		class: spec.class,
		priority: spec.priority,
		gpus: spec.resources.gpus,
		spec,
		reason: reason("submitted"),
		submittedBy: "account:test",
		submittedAt: at,
		pendingSince: at,
	});
	return id;
}

/** The job represents one in the home cluster's queue, which is held for it. */
export async function seedAdoption(db: Db, jobId: string): Promise<void> {
	const facts: ForeignJob = {
		...{ id: jobId, name: "theirs", user: "alice", partition: "gpu", poolId: null, state: "held", waitingReason: null, nodes: 1, gpus: 2 },
		...{ slots: [], position: 0, submittedAtMs: null, startedAtMs: null, timeLimitMs: null, optIn: "spillway", holdMark: null },
		...{ array: null, groupId: null, dependsOn: null },
	};
	await db.insert(site).values({ id: "home", name: "home", provider: "slurm", settings: {} }).onConflictDoNothing();
	await db.insert(adoption).values({
		...{ id: newId("adp", Date.now()), siteId: "home", foreignId: jobId, jobId, state: "held", facts },
		...{ ruleId: "adopt", policyVersion: 1, script: "", offeredAt: new Date() },
	});
}

/**
 * Places the job on a requested instance, as the control loop does, or adds one of another rank; `providerInstanceId` null: the answer was
 * lost. `warm`: the machine has no job yet.
 */
export async function seedInstance(
	db: Db,
	input: {
		jobId: string;
		number: number;
		expiresAtMs: number;
		providerInstanceId: string | null;
		rank?: number;
		warm?: boolean;
		isIntended?: boolean;
	},
): Promise<{ instanceId: string; attemptId: string }> {
	const { jobId, number, rank = 0 } = input;
	const attemptId = attemptIdOf(jobId, number);
	const instanceId = instanceIdOf(jobId, number, rank);
	const at = new Date();
	const placement: Placement = {
		siteId: "aws",
		provider: "aws",
		region: "us-east-1",
		zone: null,
		capacityType: "spot",
		instanceType: "g6e.xlarge",
		poolId: null,
		accelerator: "L40S-48GB",
	};
	await db.transaction(async (tx) => {
		await tx.update(job).set({ state: "admitted", attempts: number, placement }).where(eq(job.id, jobId));
		await tx
			.insert(attempt)
			.values({ id: attemptId, jobId, number, placement, siteId: "aws", capacityType: "spot", gpus: 2, createdAt: at })
			.onConflictDoNothing();
		await tx.insert(instance).values({
			...{ id: instanceId, rank },
			siteId: "aws",
			provider: "aws",
			state: input.isIntended ? "intended" : "requested",
			requestedAt: at,
			region: "us-east-1",
			instanceType: "g6e.xlarge",
			capacityType: "spot",
			accelerator: "L40S-48GB",
			gpus: 2,
			offer: anOffer(),
			microUsdPerHour: 1_000_000n,
			...(input.warm ? { warmRule: "ready", warmFor: jobId, warmUntil: new Date(input.expiresAtMs) } : { jobId, attemptId }),
			intendedAt: at,
			expiresAt: new Date(input.expiresAtMs),
			bootstrapHash: bootstrapHashOf(SECRET_KEY, instanceId),
		});
		if (input.providerInstanceId !== null) {
			await tx
				.update(instance)
				.set({ state: "provisioning", providerInstanceId: input.providerInstanceId, launchedAt: at, billedFrom: at })
				.where(eq(instance.id, instanceId));
		}
	});
	return { instanceId, attemptId };
}

function anOffer(): StoredOffer {
	return {
		id: "aws:us-east-1:*:g6e.xlarge:spot",
		siteId: "aws",
		provider: "aws",
		region: "us-east-1",
		zone: null,
		instanceType: "g6e.xlarge",
		accelerator: "L40S-48GB",
		gpus: 2,
		vcpus: 4,
		memoryGiB: 32,
		capacityType: "spot",
		microUsdPerHour: "1000000",
		onDemandMicroUsdPerHour: null,
		priceObservedAtMs: 0,
		priceSource: "test",
		backoffUntilMs: null,
		backoffReason: null,
		egressMicroUsdPerGiB: "0",
		gridGramsPerKwh: null,
		pue: null,
	};
}
