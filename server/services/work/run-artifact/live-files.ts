import { and, eq, isNull, or, sql } from "drizzle-orm";
import { pathProblem } from "#server/agent/protocol.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { SpillwayError } from "#server/kernel/errors.ts";

/** Keeps logged files apart from declared outputs, which have no "/" in their name. */
const PREFIX = "mlflow/";

/** The name of a logged file among the results of its job. */
export function resultName(path: string): string {
	return `${PREFIX}${path}`;
}

export interface LiveFile {
	id: string;
	path: string;
	bytes: number;
	storeId: string | null;
}

/** Files of a run that were not deleted: all of them, or those at and below `path`. */
export async function liveFiles(db: DbOrTx, runId: string, path = ""): Promise<LiveFile[]> {
	const name = resultName(path);
	const below = or(eq(artifact.name, name), sql`starts_with(${artifact.name}, ${`${name}/`})`);
	const rows = await db
		.select({ id: artifact.id, name: artifact.name, bytes: artifact.bytes, storeId: artifact.storeId })
		.from(artifact)
		.where(and(eq(artifact.runId, runId), isNull(artifact.deletedAt), path === "" ? undefined : below))
		.orderBy(artifact.name);
	return rows.map(({ id, name: full, bytes, storeId }) => ({ id, path: full.slice(PREFIX.length), bytes: Number(bytes), storeId }));
}

/** @throws SpillwayError `invalid_input` for a path that leaves its run, or that stores cannot have */
export function requirePath(path: string): string {
	const problem = pathProblem(path);
	if (problem === null) return path;
	throw new SpillwayError("invalid_input", `The path ${JSON.stringify(path.slice(0, 200))} ${problem}.`, {
		fix: "Use a relative path such as model/weights.bin.",
	});
}

export function noFile(runId: string, path: string): SpillwayError {
	return new SpillwayError("not_found", `Run ${runId} has no artifact ${JSON.stringify(path)}.`);
}
