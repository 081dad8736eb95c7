import type { Connection } from "#server/db/client.ts";
import type { Outcome } from "./checkers.ts";
import { findDuplicateCommands, stepsLoggedBy } from "./command.ts";

const ms = (at: Date | null): number | null => at?.getTime() ?? null;

/** Reads a run's outcome: the database, the providers' records and the traces of the commands. */
export async function readOutcome({ sql }: Connection, machines: Outcome["machines"], book: string): Promise<Outcome> {
	const jobs = await sql<Outcome["jobs"]>`
		select id, name, state, reason->>'code' as reason, extract(epoch from finished_at)::float8 * 1000 as "finishedAtMs",
			(spec->>'deadlineMs')::float8 as "deadlineMs" from job order by id`;
	const attempts = await sql`select * from attempt order by job_id, number`;
	const instances = await sql`select * from instance order by id`;
	const charges = await sql`
		select instance_id, sum(gpu_ms)::float8 as ms,
			sum(effective_micro_usd) filter (where kind = 'storage' or (correction = 'end_learnt_late' and gpu_ms = 0))::float8 as disk
		from charge where instance_id is not null and kind <> 'egress' group by instance_id`;
	const lines = await sql<{ attemptId: string; text: string }[]>`
		select attempt_id as "attemptId", text from job_log where stream = 'stdout' order by attempt_id, number`;
	const [paused] = await sql`select count(*)::int as n from job_log where stream = 'spillway' and text like '%the command resumes'`;
	const audit = await sql`select * from audit where action ~ '^(instance|orphan|attempt)' order by at`;
	const chargedOf = new Map(charges.map((c) => [c["instance_id"], { ms: c["ms"], diskMicroUsd: c["disk"] ?? 0 }]));
	return {
		jobs,
		attempts: attempts.map((a) => ({
			...{ id: a["id"], jobId: a["job_id"], number: a["number"], state: a["state"], reason: a["reason"]?.code ?? null },
			reported: a["exit_code"] !== null || a["exit_signal"] !== null,
			...{ createdAtMs: a["created_at"].getTime(), finishedAtMs: ms(a["finished_at"]) },
			...{ startedAtMs: ms(a["started_at"]), stopRequestedAtMs: ms(a["stop_requested_at"]) },
		})),
		instances: instances.map((i) => ({
			...{ id: i["id"], attemptId: i["attempt_id"], state: i["state"], providerInstanceId: i["provider_instance_id"] },
			...{ fromMs: ms(i["billed_from"]), untilMs: ms(i["billed_until"]), charged: chargedOf.get(i["id"]) ?? null },
			diskMicroUsdPerMonth: Number(i["offer"].disk?.microUsdPerMonth ?? 0),
			...{ fromSlackMs: Number(i["billed_from_slack_ms"]), untilSlackMs: Number(i["billed_until_slack_ms"]) },
			...{ heardMs: ms(i["last_heard_at"]), fencedMs: ms(i["fenced_at"]) },
		})),
		stored: grouped(lines),
		said: new Map(attempts.map((a) => [a["id"], stepsLoggedBy(book, a["job_id"], a["number"])])),
		machines,
		audit: audit.map((a) => ({ atMs: a["at"].getTime(), action: a["action"], subject: a["subject"], after: a["after"] })),
		pauses: paused?.["n"] ?? 0,
		doubleCommands: findDuplicateCommands(book),
		moved: attempts.flatMap((a) => (a["state"] === "evicted" && a["moving_to"] ? [a["moving_to"].kind] : [])),
	};
}

function grouped(lines: readonly { attemptId: string; text: string }[]): Map<string, number[]> {
	const numbers = lines.flatMap(({ attemptId, text }) => {
		const number = /^line (\d+)$/.exec(text)?.[1];
		return number === undefined ? [] : [{ attemptId, number: Number(number) }];
	});
	return new Map([...Map.groupBy(numbers, (n) => n.attemptId)].map(([id, of]) => [id, of.map(({ number }) => number)]));
}
