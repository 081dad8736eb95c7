import { eq } from "drizzle-orm";
import mime from "mime";
import type { CheckpointFile } from "#server/agent/protocol.ts";
import type { Db, Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import type { OutputSpec } from "#server/domain/output.ts";
import { digestOf } from "./store.ts";

/** Rows of one insert; PostgreSQL takes at most 65,535 parameters. */
const ROWS_PER_INSERT = 5_000;

/**
 * Records an artifact with all files complete in the store. Recording it again changes nothing.
 * @param input.check throws, in the same transaction, when the attempt may no longer store results
 */
export async function recordArtifact(
	db: Db,
	input: {
		id: string;
		jobId: string;
		attemptId: string;
		team: string;
		output: OutputSpec;
		files: readonly CheckpointFile[];
		atMs: number;
		check?: (tx: Tx) => Promise<void>;
	},
): Promise<void> {
	const { output, files } = input;
	await db.transaction(async (tx) => {
		await input.check?.(tx);
		const created = await tx
			.insert(artifact)
			.values({
				...{ id: input.id, jobId: input.jobId, attemptId: input.attemptId, team: input.team, name: output.name, kind: output.kind },
				...{ files: files.length, bytes: BigInt(files.reduce((sum, f) => sum + f.bytes, 0)), digest: digestOf(files) },
				...{ createdAt: new Date(input.atMs), expiresAt: output.keepMs === null ? null : new Date(input.atMs + output.keepMs) },
			})
			.onConflictDoNothing()
			.returning({ id: artifact.id });
		if (created.length === 0) return;
		const rows = files.map((file) => ({
			...{ artifactId: input.id, path: file.path, bytes: BigInt(file.bytes), sha256: file.sha256 },
			mediaType: mime.getType(file.path) ?? "application/octet-stream",
		}));
		for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) await tx.insert(artifactFile).values(rows.slice(at, at + ROWS_PER_INSERT));
		await notify(tx, { changes: [{ topic: "job", id: input.jobId, team: input.team }] });
	});
}

/** Whether the artifact is recorded: its upload is over. */
export async function isRecorded(db: Db, id: string): Promise<boolean> {
	const rows = await db.select({ id: artifact.id }).from(artifact).where(eq(artifact.id, id));
	return rows.length > 0;
}
