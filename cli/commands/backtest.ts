import { readFileSync } from "node:fs";
import path from "node:path";
import { backtestSchema } from "#server/contract/outputs/backtest.ts";
import type { Options } from "../args.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { CommandContext } from "../command.ts";
import { CliError, EXIT, type ExitCode, oneLine } from "../exit.ts";
import { count, duration, exactMoney, grams, money } from "../render/format.ts";
import { table } from "../render/table.ts";
import type { Backtest } from "../response-types.ts";

/** `spillway policy backtest FILE`, added by policy.ts. */
export const BACKTEST_OPTIONS: Options = {
	days: { value: "DAYS", help: "policy backtest: over the last 7, 30 or 90 days (default: 30)" },
	cancel: { value: "ID", help: "policy backtest: cancel this waiting or running one" },
	limit: { value: "N", help: "policy backtest: how many of the jobs that would move to list (default: 20)" },
};
export const BACKTEST_EXAMPLE = "spillway policy backtest policy.yaml --days 30";

const ASK_EVERY_MS = 500;
const BAR = 24;

type Result = NonNullable<Backtest["result"]>;

/**
 * Replays a draft and the version in force, and shows progress and what the draft would have done. `file` is absent
 * with --cancel.
 */
export async function runBacktest(ctx: CommandContext, file: string | undefined, name = "default"): Promise<ExitCode> {
	const { io, client, json, args } = ctx;
	const ended = args.text("cancel");
	if (ended !== undefined) return cancel(ctx, ended);
	if (file === undefined) throw badInput("Name the file of the draft: spillway policy backtest FILE.");
	const days = Number(args.text("days") ?? "30");
	if (![7, 30, 90].includes(days)) throw badInput("--days must be 7, 30 or 90.");
	const limit = Number(args.text("limit") ?? "20");
	if (!Number.isInteger(limit) || limit < 0) throw badInput("--limit must be a whole number.");
	const source = file === "-" ? await io.readStdin(256 * 1024) : readPolicy(io.cwd, file);
	let answer = await client.post(`/policies/${encodeURIComponent(name)}/backtest`, { source, days });
	let backtest = readAs(backtestSchema, answer, "backtest");
	const { id } = backtest;
	while (backtest.state === "queued" || backtest.state === "running") {
		if (io.progress) io.err(`\r\u001b[2K${progressLine(backtest)}`);
		await io.sleep(ASK_EVERY_MS);
		if (io.signal.aborted) {
			io.err(`\nThe backtest ${id} goes on. End it with: spillway policy backtest --cancel ${id}\n`);
			return EXIT.interrupted;
		}
		answer = await client.get(`/backtests/${encodeURIComponent(id)}`);
		backtest = readAs(backtestSchema, answer, "backtest");
	}
	if (io.progress) io.err("\r\u001b[2K");
	if (json) io.out(`${answer.text}\n`);
	if (backtest.state === "cancelled") throw new CliError(EXIT.jobFailed, `The backtest ${id} was cancelled.`);
	if (!backtest.result) throw new CliError(EXIT.jobFailed, `The backtest ${id} failed: ${oneLine(backtest.error ?? "no reason recorded")}`);
	if (!json) io.out(backtestText(ctx, backtest, backtest.result, limit));
	return EXIT.done;
}

async function cancel({ io, client, json }: CommandContext, id: string): Promise<ExitCode> {
	const answer = await client.post(`/backtests/${encodeURIComponent(id)}/cancel`);
	io.out(json ? `${answer.text}\n` : `The backtest ${id} was cancelled.\n`);
	return EXIT.done;
}

function readPolicy(cwd: string, file: string): string {
	try {
		return readFileSync(path.resolve(cwd, file), "utf8");
	} catch (error) {
		throw new CliError(EXIT.badInput, `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
}

export function progressLine({ state, progressPermille }: Pick<Backtest, "state" | "progressPermille">): string {
	if (state === "queued") return "waiting for the scheduler";
	const done = Math.round((progressPermille / 1000) * BAR);
	return `${"█".repeat(done)}${"░".repeat(BAR - done)} ${Math.floor(progressPermille / 10)} %`;
}

interface Line {
	what: string;
	published: string;
	draft: string;
	change: string;
}

function backtestText({ io }: CommandContext, backtest: Backtest, result: Result, limit: number): string {
	const { published: p, draft: d } = result;
	const between = `${backtest.from.slice(0, 10)} to ${backtest.to.slice(0, 10)}`;
	const head = `The draft compared with version ${backtest.baseVersion} on ${count(d.jobs, "job")} of ${between}, in ${result.replaySeconds} s.\n\n`;
	const sums = table(
		io,
		[
			{ head: "WHAT", cell: (l: Line) => l.what },
			{ head: `VERSION ${backtest.baseVersion}`, cell: (l) => l.published, right: true },
			{ head: "DRAFT", cell: (l) => l.draft, right: true },
			{ head: "CHANGE", cell: (l) => l.change, right: true },
		],
		sumLines(p, d),
		{ empty: "" },
	);
	const shown = result.moved.slice(0, limit);
	const more = result.movedCount - shown.length;
	const moved = shown
		.map(({ name, team, published, draft }) => {
			const change = signed(BigInt(draft.costMicroUsd) - BigInt(published.costMicroUsd));
			return [
				`${oneLine(name)} (${oneLine(team)})  ${published.place ?? "not started"} -> ${draft.place ?? "not started"}  ${change}`,
				`  version ${backtest.baseVersion}: ${oneLine(published.explanation)}`,
				`  draft:     ${oneLine(draft.explanation)}`,
			].join("\n");
		})
		.join("\n");
	const title =
		result.movedCount === 0
			? "No job would have been placed elsewhere."
			: `${count(result.movedCount, "job")} would have been placed elsewhere:`;
	const gaps = result.gaps.map((gap) => `- ${oneLine(gap)}`).join("\n");
	return `${head}${sums}\n${title}\n${moved}${moved ? "\n" : ""}${more > 0 ? `and ${more} more\n` : ""}\nNot covered by the records:\n${gaps}\n`;
}

type Sums = Result["draft"];

function sumLines(p: Sums, d: Sums): Line[] {
	const line = <T>(what: string, of: (s: Sums) => T, text: (v: T) => string, change: (from: T, to: T) => string): Line => ({
		what,
		published: text(of(p)),
		draft: text(of(d)),
		change: change(of(p), of(d)),
	});
	const number = (what: string, of: (s: Sums) => number, text: (n: number) => string): Line =>
		line(what, of, text, (from, to) => (from === to ? "" : `${to > from ? "+" : "-"}${text(Math.abs(to - from))}`));
	const money_ = (v: string): string => exactMoney(v);
	return [
		line(
			"cloud cost",
			(s) => s.cloudCostMicroUsd,
			money_,
			(from, to) => signed(BigInt(to) - BigInt(from)),
		),
		number(
			"owned utilization",
			(s) => s.ownedUtilisation,
			(n) => `${(n * 100).toFixed(1)} %`,
		),
		number("mean wait", (s) => s.meanWaitMs, duration),
		number("wait, P95", (s) => s.p95WaitMs, duration),
		number("missed deadlines", (s) => s.missedDeadlines, String),
		number(
			"egress",
			(s) => s.egressGiB,
			(n) => `${n.toFixed(1)} GiB`,
		),
		line(
			"CO2e",
			(s) => s.emissionsGrams,
			grams,
			(from, to) => (from === null || to === null || from === to ? "" : `${to > from ? "+" : "-"}${grams(Math.abs(to - from))}`),
		),
		...budgetLines(p, d),
	];
}

function budgetLines(p: Sums, d: Sums): Line[] {
	const keyOf = (b: Sums["budgets"][number]): string => `budget ${b.id}, from ${b.periodKey}`;
	const text = (b: Sums["budgets"][number] | undefined): string => (b ? `${money(b.postedMicroUsd)} of ${money(b.capMicroUsd)}` : "none");
	const keys = [...new Set([...p.budgets, ...d.budgets].map(keyOf))].sort();
	return keys.map((what) => {
		const [from, to] = [p, d].map((s) => s.budgets.find((b) => keyOf(b) === what));
		return {
			what,
			published: text(from),
			draft: text(to),
			change: from && to ? signed(BigInt(to.postedMicroUsd) - BigInt(from.postedMicroUsd)) : "",
		};
	});
}

function signed(microUsd: bigint): string {
	if (microUsd === 0n) return "";
	return `${microUsd > 0n ? "+" : "-"}${exactMoney(String(microUsd < 0n ? -microUsd : microUsd))}`;
}
