import { site as siteContract } from "#server/contract/capacity.ts";
import { readAs } from "../client.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { ago, NONE } from "../render/format.ts";
import { type Column, table } from "../render/table.ts";

/** `site queue SITE`: jobs that others submitted to the cluster itself, and which of them are adopted. */
export async function showQueue({ client, io, json }: CommandContext, id: string): Promise<ExitCode> {
	const answer = await client.get(`/sites/${encodeURIComponent(id)}/queue`);
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { items, total, readAt } = readAs(siteContract.queue.output, answer, "queue of a site");
	type Job = (typeof items)[number];
	const nowMs = io.nowMs();
	const columns: Column<Job>[] = [
		{ head: "JOB", cell: (j) => j.id },
		{ head: "NAME", cell: (j) => j.name },
		{ head: "USER", cell: (j) => j.user },
		{ head: "PARTITION", cell: (j) => j.partition },
		{ head: "GPUS", cell: (j) => String(j.gpus), right: true },
		{ head: "STATE", cell: (j) => j.state },
		{ head: "SINCE", cell: (j) => ago(j.startedAt ?? j.submittedAt, nowMs), right: true },
		{ head: "WHY", cell: (j) => j.waitingReason ?? NONE },
		{ head: "ADOPTED", cell: (j) => (j.adoption ? `${j.adoption.state}: ${j.adoption.jobId}` : (j.notAdopted[0] ?? NONE)) },
	];
	const empty = readAt === null ? "Spillway does not read this site's queue." : "No other jobs are queued or running there.";
	io.out(table<Job>(io, columns, items, { empty }));
	if (total > items.length) io.out(`${total - items.length} more are not shown.\n`);
	return EXIT.done;
}
