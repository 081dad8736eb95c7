import { and, desc, eq, sql } from "drizzle-orm";
import { artifact } from "#server/db/schema/artifact.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { charge } from "#server/db/schema/charge.ts";
import { decision } from "#server/db/schema/decision.ts";
import { job } from "#server/db/schema/job.ts";
import { artifactOfUri, artifactUri } from "#server/domain/output.ts";
import { allows } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readableArtifact } from "./get.ts";

/** Origin of a result, and who used it. */
export interface ArtifactLineage {
	artifactId: string;
	jobId: string;
	jobName: string;
	attempt: number;
	place: string;
	command: string[];
	image: string | null;
	imageDigest: string | null;
	/** Data of the job. The digest is known only for results of other jobs. */
	inputs: { uri: string; digest: string | null }[];
	policyVersion: number | null;
	/** Cost of the attempt so far. */
	costMicroUsd: bigint;
	emissionsGrams: number | null;
	usedBy: { jobId: string; name: string }[];
}

/** @throws SpillwayError `not_found`, `forbidden` */
export async function artifactLineage(ctx: ServiceContext, id: string): Promise<ArtifactLineage> {
	const row = await readableArtifact(ctx, id);
	const [made] = await ctx.db
		.select({ attempt, name: job.name, spec: job.spec })
		.from(attempt)
		.innerJoin(job, eq(job.id, attempt.jobId))
		.where(eq(attempt.id, row.attemptId));
	const spec = made?.spec;
	const [decided] = await ctx.db
		.select({ version: decision.policyVersion })
		.from(decision)
		.where(and(eq(decision.jobId, row.jobId), made ? eq(decision.attemptNumber, made.attempt.number) : undefined))
		.orderBy(desc(decision.decidedAt))
		.limit(1);
	const [sums] = await ctx.db
		.select({ milligrams: sql<string | null>`sum(${charge.emissionsMilligrams})::text` })
		.from(charge)
		.where(and(eq(charge.jobId, row.jobId), eq(charge.attemptId, row.attemptId)));
	const users = await ctx.db
		.select({ jobId: job.id, name: job.name, team: job.team })
		.from(job)
		.where(and(sql`${job.spec}->'data' <> '[]'::jsonb`, sql`${job.spec}->'data' @> ${JSON.stringify([{ uri: artifactUri(id) }])}::jsonb`))
		.orderBy(desc(job.submittedAt))
		.limit(50);
	const { placement } = made?.attempt ?? {};
	return {
		...{ artifactId: id, jobId: row.jobId, jobName: made?.name ?? row.jobId, attempt: made?.attempt.number ?? 0 },
		place: [placement?.siteId, placement?.region, placement?.instanceType].filter(Boolean).join(" "),
		...{ command: spec?.command ?? [], image: spec?.image ?? null, imageDigest: made?.attempt.imageDigest ?? null },
		inputs: await Promise.all((spec?.data ?? []).map(async ({ uri }) => ({ uri, digest: await digestOfInput(ctx, uri) }))),
		...{ policyVersion: decided?.version ?? null, costMicroUsd: made?.attempt.costMicroUsd ?? 0n },
		emissionsGrams: sums?.milligrams == null ? null : Number(sums.milligrams) / 1_000,
		usedBy: users.filter(({ team }) => allows(ctx, "job:read", team)).map(({ jobId, name }) => ({ jobId, name })),
	};
}

async function digestOfInput(ctx: ServiceContext, uri: string): Promise<string | null> {
	const id = artifactOfUri(uri);
	if (id === null) return null;
	const [row] = await ctx.db.select({ digest: artifact.digest }).from(artifact).where(eq(artifact.id, id));
	return row?.digest ?? null;
}
