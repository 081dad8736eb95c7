import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "#server/db/client.ts";
import { planStudy } from "#server/db/schema/plan-study.ts";
import { OPEN_TRACE_NAMES } from "#server/domain/open-traces.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { profileHistory } from "#server/plan/assess.ts";
import { buildScenario } from "#server/plan/compare/build-scenario.ts";
import { shippedCard } from "#server/plan/compare/owned-money.ts";
import type { StudyFindings, StudyTask } from "#server/plan/find-study.ts";
import { assumedJob, type HeadlineOptions } from "#server/plan/headline.ts";
import { peek } from "#server/plan/history/lines.ts";
import { DEFAULT_START_MS, LISTED_BAD_ROWS, readHistory } from "#server/plan/history/read-history.ts";
import { readOpenTrace } from "#server/plan/open-traces.ts";
import { historyOf, keepLastDays, ownedModel } from "#server/plan/prepare.ts";
import { encodeFilters } from "#server/plan/profile/stored-filters.ts";
import type { StudyProgress } from "#server/plan/study.ts";
import { acceleratorsNamed } from "#server/rates/accelerators.ts";
import type { Timing } from "#server/services/core/timing.ts";
import { deleteUpload, readUpload } from "#server/services/core/upload.ts";
import type { ShippedFacts } from "#server/simulation/scenario-file/context.ts";
import { parseTrace } from "#server/simulation/trace-file/read-trace.ts";
import { TRACE_LIMITS } from "#server/simulation/trace-file/trace-rows.ts";
import { type Going, runTerm, type TermContext, type TermEnd } from "../background/run-term.ts";
import { isMine, type Term } from "../background/table.ts";
import { loadRecords, type ReadHistory } from "./load-records.ts";
import type { StudyResult } from "./view.ts";

/** Of 1000: the share of progress for reading the history. */
const READING_PERMILLE = 100;
const settingsSchema = z.object({
	days: z.number().optional(),
	gpus: z.number().optional(),
	discountPercent: z.number(),
	openTrace: z.enum(OPEN_TRACE_NAMES).optional(),
});

/** The columns that a study ends with. */
interface Columns extends Record<string, unknown> {
	result: StudyResult;
	demandGroups: Buffer;
}

export interface StudyContext extends TermContext {
	timing: Pick<Timing, "cloudStartMs" | "offerCooldownMs">;
	facts: ShippedFacts;
	/** Replays all options in a thread, so that the caller can send heartbeats. Rejects when the signal aborts. */
	replay(task: StudyTask, options: { signal: AbortSignal; onProgress(progress: StudyProgress): void }): Promise<StudyFindings>;
}

/** Runs a started study: reads the history, replays the options, writes the result. Ends early when canceled. */
export async function workOnStudy(ctx: StudyContext, term: Term): Promise<TermEnd> {
	// Read here, since the common columns of background jobs include no traces.
	const [row] = await ctx.db.select().from(planStudy).where(eq(planStudy.id, term.id));
	const [mine] = await ctx.db.select({ id: planStudy.id }).from(planStudy).where(isMine("study", term));
	if (!row || !mine) return "given_up";
	const end = await runTerm(ctx, "study", term, (going) => study(ctx, row, going));
	if (end === "given_up") return end;
	await ctx.db.update(planStudy).set({ trace: null }).where(eq(planStudy.id, term.id));
	if (row.uploadId !== null) await deleteUpload(ctx.db, row.uploadId);
	return end;
}

async function study(ctx: StudyContext, row: typeof planStudy.$inferSelect, { stop, progress }: Going): Promise<Columns> {
	const settings = settingsSchema.parse(row.settings);
	const { study: prepared, filters } =
		row.source === "records"
			? await loadRecords(ctx.db, { days: settings.days ?? 90, nowMs: row.createdAt.getTime(), timing: ctx.timing })
			: await readTrace(await textOf(ctx.db, row, settings), row.name, settings, ctx.facts);
	progress.permille = READING_PERMILLE;
	const findings = await ctx.replay(
		{
			study: { ...prepared, outlook: { discountRate: settings.discountPercent / 100 } },
			claims: row.source === "records" ? null : claimsOf(row, settings),
		},
		{
			signal: stop.signal,
			onProgress: ({ share }) => {
				progress.permille = READING_PERMILLE + Math.floor((999 - READING_PERMILLE) * share);
			},
		},
	);
	return {
		result: { assessment: prepared.assessment, ...findings },
		demandGroups: encodeFilters(filters, prepared.assessment.capacity.gpus),
	};
}

/** The published claims about a trace: with the assumed job, and the command that gives the same figures. */
function claimsOf({ name }: typeof planStudy.$inferSelect, { openTrace, days, gpus }: z.output<typeof settingsSchema>): HeadlineOptions {
	const trace = openTrace ?? (/^[\w./-]+$/.test(name) ? name : "FILE");
	const flags = [...(gpus === undefined ? [] : [`--gpus=${gpus}`]), ...(days === undefined ? [] : [`--days=${days}`])];
	return { command: ["spillway plan headline", `--trace=${trace}`, ...flags, "--json"].join(" "), oneJob: assumedJob() };
}

/** The history's text. An upload is unpacked part by part. */
async function textOf(
	db: Db,
	{ trace, uploadId, name }: typeof planStudy.$inferSelect,
	{ openTrace }: z.output<typeof settingsSchema>,
): Promise<string> {
	if (openTrace) return unpack(oneChunk(readOpenTrace(openTrace)), name);
	return unpack(uploadId === null ? oneChunk(Buffer.from(trace ?? "", "base64")) : readUpload(db, uploadId), name);
}

async function readTrace(text: string, name: string, settings: z.output<typeof settingsSchema>, facts: ShippedFacts): Promise<ReadHistory> {
	const read = parseTrace(text, name, { lenient: true, acceleratorsNamed });
	const jobs = keepLastDays(read.jobs, settings.days);
	const accelerator = ownedModel(jobs);
	const startMs = read.recordedStartMs;
	const history = historyOf({ ...read, jobs }, startMs);
	const { badRows } = await readHistory(oneChunk(new TextEncoder().encode(text)), name, { acceleratorsNamed });
	const { assessment, filters } = profileHistory(
		{ ...history, badRows: { count: badRows.count, first: badRows.first.slice(0, LISTED_BAD_ROWS) } },
		{ source: name, gpus: settings.gpus, accelerator },
	);
	const { gpus } = assessment.capacity;
	const from = startMs ?? DEFAULT_START_MS;
	const { scenario } = buildScenario({ gpus, accelerator, startMs: from, seed: 1, facts });
	return { study: { assessment, jobs, scenario, card: shippedCard(accelerator, gpus, from), policy: null }, filters: filters() };
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield bytes;
}

function gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
	const gunzip = createGunzip();
	return Readable.from(chunks)
		.on("error", (error) => gunzip.destroy(error))
		.pipe(gunzip);
}

async function unpack(chunks: AsyncIterable<Uint8Array>, name: string): Promise<string> {
	const { first, all } = await peek(chunks);
	const isGzip = first[0] === 0x1f && first[1] === 0x8b;
	const decoder = new TextDecoder();
	let [text, bytes] = ["", 0];
	try {
		for await (const chunk of isGzip ? gunzipped(all) : all) {
			bytes += chunk.length;
			if (bytes > TRACE_LIMITS.bytes)
				throw new SpillwayError("invalid_input", `${name} is longer than ${TRACE_LIMITS.bytes / 1024 ** 2} MiB.`, {
					fix: "Split it by time, or leave out columns that docs/simulator.md does not name.",
				});
			text += decoder.decode(chunk, { stream: true });
		}
	} catch (cause) {
		if (cause instanceof SpillwayError) throw cause;
		throw new SpillwayError("invalid_input", `Could not unpack ${name}.`, { fix: "Check it with gzip -t, and upload it again.", cause });
	}
	return text + decoder.decode();
}
