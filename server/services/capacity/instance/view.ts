import type { instance } from "#server/db/schema/instance.ts";
import type { PreparedItem } from "#server/domain/preparation.ts";
import type { InstanceState } from "#server/domain/states.ts";
import type { CapacityType, Provider } from "#server/domain/vocabulary.ts";
import { iso, type ReasonView, reasonView } from "#server/services/core/view.ts";
import { diskPriceOf } from "./warm-machines.ts";

export interface InstanceView {
	id: string;
	provider: Provider;
	siteId: string;
	providerInstanceId: string | null;
	state: InstanceState;
	region: string;
	zone: string | null;
	instanceType: string;
	accelerator: string;
	gpus: number;
	capacityType: CapacityType;
	/** Of its disk while it is stopped. */
	microUsdPerHour: string;
	/** Null, like its name and attempt, while it is kept warm without a job; it then belongs to no team. */
	jobId: string | null;
	jobName: string | null;
	team: string;
	attemptId: string | null;
	/** The prewarm rule that launched it, until when it is kept without a job, and whether it is stopped; null when it was launched for its job. */
	warm: { ruleId: string; until: string; stopped: boolean } | null;
	/** What it fetches while it has no job; null once it has one, and for callers who see only some teams. */
	prepared: PreparedItem[] | null;
	/** Index of the machine within its attempt, from 0. */
	rank: number;
	/** Number of machines in the attempt. */
	nodes: number;
	/** How its command ended; null while it runs, and when its machine disappeared without a report. */
	exitCode: number | null;
	/** Time of the intent; the provider was first called at requestedAt. */
	intendedAt: string;
	requestedAt: string | null;
	launchedAt: string | null;
	readyAt: string | null;
	interruptionAt: string | null;
	terminatingAt: string | null;
	terminatedAt: string | null;
	/**
	 * Time since which its reports are rejected: it was cut off, and its job continues elsewhere. It costs money until it is confirmed
	 * terminated.
	 */
	fencedAt: string | null;
	expiresAt: string;
	lastSeenAt: string | null;
	lastHeardAt: string | null;
	lastError: string | null;
	reason: ReasonView | null;
	/** Metered so far. */
	costMicroUsd: string;
}

export function instanceView(
	row: typeof instance.$inferSelect,
	owner: { name: string | null; team: string | null; nodes: number | null },
	{ seesAll = false }: { seesAll?: boolean } = {},
): InstanceView {
	return {
		id: row.id,
		provider: row.provider,
		siteId: row.siteId,
		providerInstanceId: row.providerInstanceId,
		state: row.state,
		region: row.region,
		zone: row.zone,
		instanceType: row.instanceType,
		accelerator: row.accelerator,
		gpus: row.gpus,
		capacityType: row.capacityType,
		microUsdPerHour: (isStopped(row) ? diskPriceOf(row.offer) : row.microUsdPerHour).toString(),
		jobId: row.jobId,
		jobName: owner.name,
		team: owner.team ?? "",
		attemptId: row.attemptId,
		warm: warmView(row),
		// Recorded jobs of any team may have named these.
		prepared: seesAll && row.jobId === null ? row.preparation : null,
		rank: row.rank,
		nodes: owner.nodes ?? 1,
		exitCode: row.exit?.code ?? null,
		intendedAt: row.intendedAt.toISOString(),
		requestedAt: iso(row.requestedAt),
		launchedAt: iso(row.launchedAt),
		readyAt: iso(row.readyAt),
		interruptionAt: iso(row.interruptionAt),
		terminatingAt: iso(row.terminatingAt),
		terminatedAt: iso(row.terminatedAt),
		fencedAt: iso(row.fencedAt),
		expiresAt: row.expiresAt.toISOString(),
		lastSeenAt: iso(row.lastSeenAt),
		lastHeardAt: iso(row.lastHeardAt),
		lastError: row.lastError,
		reason: row.reason ? reasonView(row.reason) : null,
		costMicroUsd: row.costMicroUsd.toString(),
	};
}

type Row = typeof instance.$inferSelect;

function warmView(row: Row): InstanceView["warm"] {
	if (row.warmRule === null || row.warmUntil === null) return null;
	return { ruleId: row.warmRule, until: row.warmUntil.toISOString(), stopped: isStopped(row) };
}

function isStopped({ stoppedFrom, startCalledAt, terminatedAt }: Row): boolean {
	return stoppedFrom !== null && startCalledAt === null && terminatedAt === null;
}
