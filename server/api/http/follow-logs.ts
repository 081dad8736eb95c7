import { once } from "node:events";
import { beginRunning } from "#server/services/core/running-of-person.ts";
import { type ReadLogsInput, readLogs } from "#server/services/work/job/logs.ts";
import type { RestAnswer, RestContext, RestRequest } from "./route.ts";

/** Pause between two polls when there was nothing new. */
const POLL_MS = 300;

/**
 * Streams log lines as NDJSON `{attempt, number, at, stream, text}` through every attempt of the job until it has
 * ended; the last line is `{end: true}`. Waits when the reader is slow. A reader who loses access is disconnected
 * without that line.
 * @throws SpillwayError `too_many_requests` when the person follows too many logs
 */
export async function followLogs(ctx: RestContext, jobId: string, first: ReadLogsInput, request: RestRequest): Promise<RestAnswer> {
	const page = await readLogs(ctx, jobId, first);
	const end = beginRunning(ctx, "followed_log");
	try {
		return await follow(ctx, jobId, { first, page }, request);
	} finally {
		end();
	}
}

interface From {
	first: ReadLogsInput;
	/** Read with `first`. */
	page: Awaited<ReturnType<typeof readLogs>>;
}

async function follow(ctx: RestContext, jobId: string, { first, page: firstPage }: From, request: RestRequest): Promise<RestAnswer> {
	const { response, signal } = request;
	let page = firstPage;
	response.writeHead(200, {
		"content-type": "application/x-ndjson; charset=utf-8",
		"cache-control": "no-store",
		"x-accel-buffering": "no",
	});
	response.flushHeaders();
	let attempt = page.attempt;
	let after = first.after ?? 0;
	while (!signal.aborted) {
		for (const line of page.lines) {
			after = line.number;
			if (!response.write(`${JSON.stringify({ attempt: page.attempt, ...line })}\n`))
				await Promise.race([once(response, "drain"), once(response, "close")]);
		}
		if (page.complete && attempt !== null && page.attempts > attempt) {
			attempt++;
			after = 0;
		} else if (page.complete && page.jobEnded && (first.attempt !== undefined || attempt === null || page.attempts <= attempt)) {
			response.write(`${JSON.stringify({ end: true })}\n`);
			break;
		} else if (page.lines.length === 0) {
			await new Promise((resolve) => setTimeout(resolve, POLL_MS));
		}
		page = await readLogs({ ...ctx, actor: await request.actorNow() }, jobId, {
			...(attempt === null ? {} : { attempt }),
			after,
			limit: 2_000,
		});
		attempt = page.attempt;
	}
	response.end();
	return "streamed";
}
