import type { Exit } from "#server/domain/outcome.ts";
import { dueOutputs, type OutputSpec } from "#server/domain/output.ts";
import type { ClusterDriver } from "#server/providers/driver.ts";
import { collectOutputs, type FoundOutput, findPathProblem } from "#server/services/work/artifact/collect.ts";
import type { LoopContext } from "./context.ts";
import { messageOf } from "./messages.ts";

interface EndedAttempt {
	id: string;
	jobId: string;
	number: number;
	team: string;
	spec: { outputs?: readonly OutputSpec[] | undefined };
}

/** Attempts with outputs that this process is copying; after a crash the copy starts again. */
export type OutputCopies = Map<string, { problem: string | null; done: boolean }>;

/**
 * Copies the files that an attempt left on an owned site into the artifact store. Runs in the background, because large results
 * must not delay the site. Calls `wake` when the copy ends. Returns null while it runs, then the exit with the list of missing
 * files.
 */
export function keepOutputs(
	ctx: LoopContext,
	driver: ClusterDriver,
	copies: OutputCopies,
	ended: { row: EndedAttempt; exit: Exit | null; wasStopped: boolean; atMs: number; wake(): void },
): { exit: Exit | null } | null {
	const { row, exit, atMs } = ended;
	const succeeded = exit?.code === 0 && !ended.wasStopped;
	const due = dueOutputs(row.spec.outputs, succeeded);
	if (due.length === 0) return { exit };
	const copy = copies.get(row.id);
	if (copy === undefined) {
		const started = { problem: null as string | null, done: false };
		copies.set(row.id, started);
		void copyOutputs(ctx, driver, row, due, atMs)
			.catch((error: unknown) => `the outputs could not be copied: ${messageOf(error)}`)
			.then((problem) => {
				Object.assign(started, { problem, done: true });
				ended.wake();
			});
		return null;
	}
	if (!copy.done) return null;
	copies.delete(row.id);
	if (copy.problem !== null) ctx.log("warn", "outputs of an attempt were not kept", { attemptId: row.id, problem: copy.problem });
	return { exit: succeeded && exit && copy.problem !== null ? { ...exit, outputProblem: copy.problem } : exit };
}

async function copyOutputs(
	ctx: LoopContext,
	driver: ClusterDriver,
	row: EndedAttempt,
	due: readonly OutputSpec[],
	atMs: number,
): Promise<string | null> {
	const found: FoundOutput[] = [];
	const problems: string[] = [];
	for (const output of due) {
		const left = await driver.listOutput(row.id, output.path);
		if (left === null) return `${driver.siteId} has no folder that Spillway can read; set "volume" of the site`;
		const { root, files } = left;
		const paths = files.map((file) => file.path);
		const problem = files.length === 0 ? `no files at ${output.path}` : findPathProblem(paths);
		if (problem !== null) problems.push(`output ${output.name}: ${problem}`);
		else {
			const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
			found.push({ output, index: (row.spec.outputs ?? []).indexOf(output), root, paths, bytes });
		}
	}
	await collectOutputs(ctx.db, ctx.artifactRoot, {
		jobId: row.jobId,
		attemptId: row.id,
		attemptNo: row.number,
		team: row.team,
		found,
		atMs,
	});
	return problems.length === 0 ? null : problems.join("; ");
}
