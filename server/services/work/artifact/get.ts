import { asc, desc, eq, inArray } from "drizzle-orm";
import { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import { EMBEDDED_STORE } from "#server/domain/store.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { currentStorePrices } from "#server/services/pricing/store/prices.ts";
import { readableJob } from "../readable-job.ts";
import { deliveriesOf } from "./delivery.ts";
import { type ArtifactDetail, artifactView } from "./view.ts";

type Context = Pick<ServiceContext, "actor" | "db">;

/** A job's results with their files, newest attempt first. @throws SpillwayError `forbidden`, `not_found` */
export async function listArtifacts(ctx: ServiceContext, jobId: string): Promise<ArtifactDetail[]> {
	const { team } = await readableJob(ctx, jobId);
	authorize(ctx, "artifact:read", team);
	const rows = await ctx.db.select().from(artifact).where(eq(artifact.jobId, jobId)).orderBy(desc(artifact.createdAt), asc(artifact.name));
	const ids = rows.map(({ id }) => id);
	const deliveries = await deliveriesOf(ctx.db, ids);
	const prices = await currentStorePrices(ctx.db);
	const files = Map.groupBy(await filesOf(ctx, ids), ({ artifactId }) => artifactId);
	return rows.map((row) =>
		artifactView(row, files.get(row.id) ?? [], deliveries.get(row.id) ?? [], prices.get(row.storeId ?? EMBEDDED_STORE)),
	);
}

/** @throws SpillwayError `not_found`, also for a result of another team */
export async function getArtifact(ctx: Context, id: string): Promise<ArtifactDetail> {
	const row = await readableArtifact(ctx, id);
	const storeId = row.storeId ?? EMBEDDED_STORE;
	const price = (await currentStorePrices(ctx.db, [storeId])).get(storeId);
	return artifactView(row, await filesOf(ctx, [id]), (await deliveriesOf(ctx.db, [id])).get(id) ?? [], price);
}

/** @throws SpillwayError `forbidden` for roles without access to results, `not_found` also for a result of another team */
export async function readableArtifact(ctx: Context, id: string): Promise<typeof artifact.$inferSelect> {
	authorize(ctx, "artifact:read", null);
	const [row] = await ctx.db.select().from(artifact).where(eq(artifact.id, id));
	try {
		if (row) authorize(ctx, "artifact:read", row.team);
	} catch {
		throw notFound(id);
	}
	if (!row) throw notFound(id);
	return row;
}

function filesOf({ db }: Context, ids: readonly string[]) {
	return db
		.select()
		.from(artifactFile)
		.where(inArray(artifactFile.artifactId, [...ids]))
		.orderBy(asc(artifactFile.path));
}

function notFound(id: string): SpillwayError {
	return new SpillwayError("not_found", `There is no artifact ${id}.`, { fix: "List a job's results with: spillway artifacts ls <job>" });
}
