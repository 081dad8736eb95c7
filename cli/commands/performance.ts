import type { z } from "zod";
import { gpuUseSchema, performanceSchema, type performanceSumsSchema } from "#server/contract/outputs/performance.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { readTextFile } from "../read-text-file.ts";
import { exactTime, NONE } from "../render/format.ts";
import { styled } from "../render/style.ts";
import { table } from "../render/table.ts";

type Sums = z.infer<typeof performanceSumsSchema>;

const STDIN_BYTES_MAX = 1_000_000;

export const performance: Command = {
	name: "performance",
	usage: "[--from DAY] [--to DAY] [--by WHAT] | report SITE NODE FILE",
	summary: "show waits, time to model, GPU utilization and lost GPU-hours, or report a node's utilization",
	details: `
"performance report" reads the DCGM exporter's metrics, or nvidia-smi's CSV, and adds them to the current
hour of the node. Run it every minute on Slurm and Kubernetes nodes. FILE is - for standard input.`,
	options: {
		from: { value: "DAY", help: "2026-11-01, or a time such as 2026-11-01T08:00:00Z (default: 30 days before the end)" },
		to: { value: "DAY", help: "up to this day or time, UTC (default: now)" },
		by: { value: "WHAT", help: "team, project, class, accelerator, capacityType, site, day or month (default: team)" },
	},
	positionals: { min: 0, max: 4, name: "report SITE NODE FILE" },
	examples: [
		"spillway performance --by site",
		"spillway performance --from 2026-01-01 --by month",
		"spillway performance report home gpu-01 dcgm-metrics.txt",
	],
	run: (ctx) => (ctx.args.positionals.length === 0 ? show(ctx) : report(ctx)),
};

async function show({ args, io, client, json }: CommandContext): Promise<ExitCode> {
	const answer = await client.get("/performance", { from: args.text("from"), to: args.text("to"), groupBy: args.text("by") ?? "team" });
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { items, totals, fromMs, toMs, groupBy, meters } = readAs(performanceSchema, answer, "performance");
	const figures: { head: string; of: (sums: Sums) => string }[] = [
		{ head: "MODELS", of: (s) => String(s.models) },
		{ head: "FAILED", of: (s) => String(s.failed) },
		{ head: "P50 WAIT", of: (s) => span(s.waits?.p50S) },
		{ head: "P95 WAIT", of: (s) => span(s.waits?.p95S) },
		{ head: "TIME TO MODEL", of: (s) => span(s.timeToModel?.meanS) },
		{ head: "GPU-H", of: (s) => s.gpuHours.toFixed(1) },
		{ head: "GPU USE", of: (s) => (s.gpuUtilisation === null ? NONE : `${Math.round(s.gpuUtilisation * 100)}%`) },
		{ head: "INTERRUPTED", of: (s) => String(s.interruptions) },
		{ head: "LOST GPU-H", of: (s) => lostGpuHours(s).toFixed(1) },
	];
	io.out(
		table(
			io,
			[
				{ head: groupBy.toUpperCase(), cell: (item: Sums & { key: string }) => item.key || "(none)" },
				...figures.map(({ head, of }) => ({ head, cell: of, right: true as const })),
			],
			items,
			{ empty: "No jobs ended in this period.", totals: ["total", ...figures.map(({ of }) => of(totals))] },
		),
	);
	const meter = meters.length === 0 ? "GPU utilization is not measured" : `GPU utilization by ${meters.join(", ")}`;
	io.err(`${styled(io, "dim", `${exactTime(fromMs)} to ${exactTime(toMs)}; time to model is the mean; ${meter}`)}\n`);
	return EXIT.done;
}

/** Excludes canceled jobs: people may have had what they needed. */
function lostGpuHours({ lostGpuHours: { failed, interrupted, evicted, lost } }: Sums): number {
	return failed + interrupted + evicted + lost;
}

function span(seconds: number | undefined): string {
	if (seconds === undefined) return NONE;
	if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
	return seconds < 172_800 ? `${(seconds / 3_600).toFixed(1)} h` : `${(seconds / 86_400).toFixed(1)} d`;
}

async function report({ args, io, client, json }: CommandContext): Promise<ExitCode> {
	const [verb, site, node, file] = args.positionals;
	if (verb !== "report" || site === undefined || node === undefined || file === undefined)
		throw badInput("Use: spillway performance report SITE NODE FILE.");
	const text = file === "-" ? await io.readStdin(STDIN_BYTES_MAX) : await readTextFile(file);
	const answer = await client.post(`/sites/${encodeURIComponent(site)}/gpu-use`, { node, text });
	const done = readAs(gpuUseSchema, answer, "reading");
	io.out(json ? `${answer.text}\n` : `${done.node}: ${done.gpus} GPUs, ${Math.round(done.utilisation * 100)}%\n`);
	return EXIT.done;
}
