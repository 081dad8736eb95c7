import path from "node:path";
import { and, asc, eq } from "drizzle-orm";
import type { ArtifactFilesAnswer } from "#server/agent/protocol.ts";
import { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import { job } from "#server/db/schema/job.ts";
import { artifactUri } from "#server/domain/output.ts";
import { issuesCredentials } from "#server/domain/store.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { openStore } from "#server/services/capacity/store/box.ts";
import { storeById } from "#server/services/capacity/store/find.ts";
import { artifactFolder, rootOfArtifact } from "../artifact/place.ts";
import { artifactPlace } from "../artifact/store.ts";
import type { AgentIdentity } from "./authenticate.ts";
import type { AgentContext } from "./context.ts";
import { lifetimeOf, sessionOf } from "./store-checkpoint.ts";

/** The files of a result that the agent's job uses as data. @throws SpillwayError `not_found` for any other result */
export async function inputArtifactFiles(ctx: AgentContext, agent: AgentIdentity, id: string): Promise<ArtifactFilesAnswer> {
	const { storeId } = await requireJobInput(ctx, agent, id);
	const files = await ctx.db
		.select({ path: artifactFile.path, bytes: artifactFile.bytes, sha256: artifactFile.sha256 })
		.from(artifactFile)
		.where(eq(artifactFile.artifactId, id))
		.orderBy(asc(artifactFile.path));
	const listed = { files: files.map((file) => ({ ...file, bytes: Number(file.bytes) })) };
	const row = storeId === null ? null : await storeById(ctx.db, storeId);
	if (!row || !ctx.stores || !issuesCredentials(row.config)) return listed;
	const { options, path: folder } = await ctx.stores.port.grant(openStore(ctx.stores, row), {
		...{ folder: artifactFolder(id), mode: "read", session: sessionOf(agent), lifetimeMs: lifetimeOf(ctx, agent) },
	});
	return { ...listed, store: { options, path: folder } };
}

/** The path of a file of such a result on this host. @throws SpillwayError as `inputArtifactFiles` */
export async function inputArtifactFile(ctx: AgentContext, agent: AgentIdentity, input: { id: string; path: string }): Promise<string> {
	const { storeId } = await requireJobInput(ctx, agent, input.id);
	const [file] = await ctx.db
		.select({ path: artifactFile.path })
		.from(artifactFile)
		.where(and(eq(artifactFile.artifactId, input.id), eq(artifactFile.path, input.path)));
	if (!file) throw notInput(input.id, ` with a file ${JSON.stringify(input.path)}`);
	return path.join(artifactPlace(await rootOfArtifact(ctx.db, ctx.artifactRoot, storeId), input.id).whole, input.path);
}

/** A machine may read only results that its own job lists as data. */
async function requireJobInput(ctx: AgentContext, agent: AgentIdentity, id: string): Promise<{ storeId: string | null }> {
	const [row] = await ctx.db.select({ spec: job.spec }).from(job).where(eq(job.id, agent.jobId));
	const isInput = row?.spec.data.some(({ uri }) => uri === artifactUri(id)) ?? false;
	const [stored] = isInput
		? await ctx.db.select({ deletedAt: artifact.deletedAt, storeId: artifact.storeId }).from(artifact).where(eq(artifact.id, id))
		: [];
	if (!stored) throw notInput(id);
	if (stored.deletedAt)
		throw new SpillwayError("not_found", `The files of artifact ${id} were deleted.`, { fix: "Run the step that writes it again." });
	return stored;
}

function notInput(id: string, detail = ""): SpillwayError {
	return new SpillwayError("not_found", `The job has no input ${id}${detail}.`, { fix: "Fetch only the data of the job." });
}
