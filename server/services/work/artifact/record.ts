import { eq } from "drizzle-orm";
import mime from "mime";
import type { CheckpointFile } from "#server/agent/protocol.ts";
import type { Db, Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import { resultDelivery } from "#server/db/schema/delivery-target.ts";
import { job } from "#server/db/schema/job.ts";
import { residencyOf } from "#server/domain/job.ts";
import type { OutputSpec } from "#server/domain/output.ts";
import { newId } from "#server/kernel/ids.ts";
import { limitsOf } from "#server/services/capacity/store/find.ts";
import { requireQuota } from "./place.ts";
import { digestOf } from "./store.ts";

/** Rows of one insert; PostgreSQL takes at most 65,535 parameters. */
const ROWS_PER_INSERT = 5_000;

/**
 * Records an artifact with all files complete in the store. Recording it again changes nothing.
 * @param input.check throws, in the same transaction, when the attempt may no longer store results
 * @throws OverQuota
 */
export async function recordArtifact(
	db: Db,
	input: {
		id: string;
		jobId: string;
		attemptId: string;
		team: string;
		/** The run that logged the file; absent for a declared output. */
		runId?: string;
		output: OutputSpec;
		files: readonly CheckpointFile[];
		atMs: number;
		/** The team's store that has the files; null for the embedded store. */
		storeId?: string | null;
		check?: (tx: Tx) => Promise<void>;
	},
): Promise<void> {
	const { output, files } = input;
	await db.transaction(async (tx) => {
		await input.check?.(tx);
		const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
		await requireQuota(tx, input.team, { id: input.id, bytes });
		const { keepMs: teamKeepMs } = await limitsOf(tx, input.team);
		const keepMs = output.keepMs ?? teamKeepMs;
		const [from] = await tx.select({ spec: job.spec }).from(job).where(eq(job.id, input.jobId));
		const created = await tx
			.insert(artifact)
			.values({
				...{
					id: input.id,
					jobId: input.jobId,
					attemptId: input.attemptId,
					runId: input.runId ?? null,
					team: input.team,
					name: output.name,
					kind: output.kind,
				},
				...{ files: files.length, bytes: BigInt(bytes), digest: digestOf(files) },
				...{ createdAt: new Date(input.atMs), expiresAt: keepMs === null ? null : new Date(input.atMs + keepMs) },
				...{ storeId: input.storeId ?? null, residency: from ? residencyOf(from.spec) : [] },
			})
			.onConflictDoNothing()
			.returning({ id: artifact.id });
		if (created.length === 0) return;
		const rows = files.map((file) => ({
			...{ artifactId: input.id, path: file.path, bytes: BigInt(file.bytes), sha256: file.sha256 },
			mediaType: mime.getType(file.path) ?? "application/octet-stream",
		}));
		for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) await tx.insert(artifactFile).values(rows.slice(at, at + ROWS_PER_INSERT));
		if (output.to !== undefined)
			await tx.insert(resultDelivery).values({
				...{ id: newId("rdl", input.atMs), artifactId: input.id, target: output.to, state: "pending" },
				...{ createdAt: new Date(input.atMs), nextAt: new Date(input.atMs) },
			});
		await notify(tx, { changes: [{ topic: "job", id: input.jobId, team: input.team }] });
	});
}

/** Whether the artifact is recorded: its upload is over. */
export async function isRecorded(db: Db, id: string): Promise<boolean> {
	const rows = await db.select({ id: artifact.id }).from(artifact).where(eq(artifact.id, id));
	return rows.length > 0;
}
