import path from "node:path";
import { asc, eq } from "drizzle-orm";
import type { ArtifactFilesAnswer } from "#server/agent/protocol.ts";
import { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import { job } from "#server/db/schema/job.ts";
import { artifactUri } from "#server/domain/output.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { artifactPlace } from "../artifact/store.ts";
import type { AgentIdentity } from "./authenticate.ts";
import type { AgentContext } from "./context.ts";

/** The files of a result that is data of the agent's job. @throws SpillwayError `not_found` for any other result */
export async function inputArtifactFiles(ctx: AgentContext, agent: AgentIdentity, id: string): Promise<ArtifactFilesAnswer> {
	await demandInput(ctx, agent, id);
	const files = await ctx.db
		.select({ path: artifactFile.path, bytes: artifactFile.bytes, sha256: artifactFile.sha256 })
		.from(artifactFile)
		.where(eq(artifactFile.artifactId, id))
		.orderBy(asc(artifactFile.path));
	return { files: files.map((file) => ({ ...file, bytes: Number(file.bytes) })) };
}

/** Where a file of such a result is on this host. @throws SpillwayError as `inputArtifactFiles` */
export async function inputArtifactFile(ctx: AgentContext, agent: AgentIdentity, input: { id: string; path: string }): Promise<string> {
	const { files } = await inputArtifactFiles(ctx, agent, input.id);
	if (!files.some((file) => file.path === input.path)) throw notInput(input.id, ` with a file ${JSON.stringify(input.path)}`);
	return path.join(artifactPlace(ctx.artifactRoot, input.id).whole, input.path);
}

/** A machine reads only what its own job lists as data. */
async function demandInput(ctx: AgentContext, agent: AgentIdentity, id: string): Promise<void> {
	const [row] = await ctx.db.select({ spec: job.spec }).from(job).where(eq(job.id, agent.jobId));
	const isInput = row?.spec.data.some(({ uri }) => uri === artifactUri(id)) ?? false;
	const [stored] = isInput ? await ctx.db.select({ deletedAt: artifact.deletedAt }).from(artifact).where(eq(artifact.id, id)) : [];
	if (!stored) throw notInput(id);
	if (stored.deletedAt)
		throw new SpillwayError("not_found", `The files of artifact ${id} were deleted.`, { fix: "Run the step that writes it again." });
}

function notInput(id: string, detail = ""): SpillwayError {
	return new SpillwayError("not_found", `The job has no input ${id}${detail}.`, { fix: "Fetch only the data of the job." });
}
