import { writeFileSync } from "node:fs";
import path from "node:path";
import type { z } from "zod";
import { studySchema, studySummarySchema } from "#server/contract/outputs/plan.ts";
import { uploadSchema } from "#server/contract/outputs/upload.ts";
import { pageOf } from "#server/contract/parts.ts";
import { OPEN_TRACE_NAMES } from "#server/domain/open-traces.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { CliError, EXIT, type ExitCode, oneLine } from "../exit.ts";
import { openFile } from "../open-file.ts";
import { table } from "../render/table.ts";

type Study = z.infer<typeof studySummarySchema> & Partial<Pick<z.infer<typeof studySchema>, "result">>;

export const plans: Command = {
	name: "plans",
	usage: "ls | start [--trace FILE] | show ID [--pdf FILE] | cancel ID",
	summary: "run the same analysis on the server, from its own records",
	details: "start studies the last --days of the installation's own jobs, or an uploaded trace. The Plan page shows the result.",
	options: {
		days: { value: "DAYS", help: "start: 30, 90 or 365 days of own records; any number for a trace (default: 90, or all)" },
		trace: { value: "FILE", help: `start: upload this trace, or an open one: ${OPEN_TRACE_NAMES.join(", ")}` },
		pdf: { value: "FILE", help: "show: save the decision as PDF" },
		gpus: { value: "N", help: "start: owned GPUs (default: from the trace)" },
		discount: { value: "PERCENT", help: "start: annual discount rate (default: 8)" },
	},
	positionals: { min: 1, max: 2, name: "VERB ID" },
	examples: ["spillway plans start --days 90", "spillway plans start --trace sacct.txt.gz --gpus 256", "spillway plans ls"],
	run(ctx) {
		const [verb, id] = ctx.args.positionals;
		if (verb === "ls" && id === undefined) return list(ctx);
		if (verb === "start" && id === undefined) return start(ctx);
		if (verb === "show" && id !== undefined) return show(ctx, id);
		if (verb === "cancel" && id !== undefined) return cancel(ctx, id);
		throw badInput(`There is no "plans ${[verb, id].filter(Boolean).join(" ")}". Use ls, start, show ID or cancel ID.`);
	},
};

async function list({ io, client, json }: CommandContext): Promise<ExitCode> {
	const answer = await client.get("/plan/studies");
	const columns = [
		{ head: "STUDY", cell: (s: Study) => s.id },
		{ head: "STATE", cell: stateOf },
		{ head: "HISTORY", cell: (s: Study) => s.name },
		{ head: "STARTED", cell: (s: Study) => s.createdAt },
		{ head: "BY", cell: (s: Study) => s.createdBy },
	];
	const { items } = readAs(pageOf(studySummarySchema), answer, "studies");
	io.out(json ? `${answer.text}\n` : table(io, columns, items, { empty: "No plan studies yet. Start one with: spillway plans start" }));
	return EXIT.done;
}

async function start(ctx: CommandContext): Promise<ExitCode> {
	const { io, client, args, json } = ctx;
	const days = args.wholeNumber("days", { min: 1, max: 36_500 });
	const gpus = args.wholeNumber("gpus", { min: 1, max: 1_000_000 });
	const discountPercent = args.wholeNumber("discount", { min: 0, max: 100 });
	const file = args.text("trace");
	const given = { ...(discountPercent !== undefined && { discountPercent }) };
	const open = OPEN_TRACE_NAMES.find((name) => name === file);
	const body =
		file === undefined
			? { source: "records", days: days ?? 90, ...given }
			: open
				? { source: "open", trace: open, ...given, ...(gpus !== undefined && { gpus }) }
				: {
						...{ source: "upload", name: path.basename(file), upload: await upload(ctx, file), ...given },
						...(days !== undefined && { days }),
						...(gpus !== undefined && { gpus }),
					};
	const answer = await client.post("/plan/studies", body);
	const { id } = readAs(studySchema, answer, "study");
	io.out(json ? `${answer.text}\n` : `Started ${id}. Follow it with: spillway plans show ${id}\n`);
	return EXIT.done;
}

async function upload({ io, client }: CommandContext, file: string): Promise<string> {
	const answer = await client.upload("/plan/uploads", { name: path.basename(file) }, openFile(io.cwd, file), "application/octet-stream");
	return readAs(uploadSchema, answer, "uploaded file").id;
}

async function show({ io, client, args, json }: CommandContext, id: string): Promise<ExitCode> {
	const pdf = args.text("pdf");
	if (pdf !== undefined) {
		const bytes = await client.file(`/plan/studies/${encodeURIComponent(id)}/decision`, { format: "pdf" });
		try {
			writeFileSync(path.resolve(io.cwd, pdf), bytes);
		} catch (cause) {
			throw new CliError(EXIT.badInput, `Could not write ${pdf}. Check the path and its permissions.`, { cause });
		}
		io.err(`${pdf}: ${bytes.length} bytes\n`);
		return EXIT.done;
	}
	const answer = await client.get(`/plan/studies/${encodeURIComponent(id)}`);
	const study = readAs(studySchema, answer, "study");
	const decision = study.result?.comparison.decision;
	const text = decision
		? `${decision.headline}\n${decision.summary}`
		: `${stateOf(study)}${study.error ? `: ${oneLine(study.error)}` : ""}`;
	io.out(json ? `${answer.text}\n` : `${text}\n`);
	return EXIT.done;
}

async function cancel({ io, client, json }: CommandContext, id: string): Promise<ExitCode> {
	const answer = await client.post(`/plan/studies/${encodeURIComponent(id)}/cancel`);
	io.out(json ? `${answer.text}\n` : `Canceled ${id}.\n`);
	return EXIT.done;
}

function stateOf({ state, progressPermille }: Study): string {
	return state === "running" ? `running, ${Math.floor(progressPermille / 10)}%` : state === "cancelled" ? "canceled" : state;
}
