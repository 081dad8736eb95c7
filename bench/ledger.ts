/**
 * The ledger at size: `npm run bench:ledger [-- --json] [--jobs N] [--charges N] [--small-jobs N] [--rounds N] [--instances N] [--bill-rows N] [--only NAME]`.
 * Fills a throwaway PostgreSQL with twelve months twice, small and large, and prints for every query of Spend, Carbon, Budgets
 * and Statements its p50 and p95 on the server at both sizes; then what metering of running instances takes of a core,
 * rows a second of a FOCUS export, and seconds and peak memory of a bill's import.
 */
import { spawn } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Connection, connect } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { ledgerCheck } from "#server/services/ledger/check.ts";
import { startThrowawayPostgres } from "../scripts/test-postgres.mjs";
import { print, quantile, round } from "./lib/figures.ts";
import { fillBooks } from "./lib/ledger-books.ts";
import { meterRunning } from "./lib/ledger-meter.ts";
import { ledgerQueries, publishBudgets } from "./lib/ledger-queries.ts";

const { values: args } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		jobs: { type: "string", default: "1000000" },
		charges: { type: "string", default: "10000000" },
		"small-jobs": { type: "string", default: "10000" },
		rounds: { type: "string", default: "30" },
		instances: { type: "string", default: "5000" },
		"bill-rows": { type: "string", default: "1000000" },
		/** Only queries whose name has this in it, and nothing else. */
		only: { type: "string", default: "" },
		/** Holds every sum against the charges once the books are filled: some minutes at full size. */
		check: { type: "boolean", default: false },
	},
});
const jobs = Number(args.jobs);
const charges = Number(args.charges);
const smallJobs = Math.min(jobs, Number(args["small-jobs"]));
const WARM_UP = 3;

const postgres = await startThrowawayPostgres();
const figures: Record<string, number | string> = { jobs, charges };
const note = (text: string): void => void process.stderr.write(`${text}\n`);

function urlOf(name: string): string {
	const url = new URL(postgres.url);
	url.pathname = `/${name}`;
	return url.href;
}

async function booksOf(name: string, size: { jobs: number; charges: number }): Promise<Connection> {
	const startedMs = performance.now();
	await migrate(urlOf(name));
	const connection = connect(urlOf(name), { max: 8 });
	await fillBooks(connection, size);
	const count = round(await publishBudgets(connection.db), 1);
	note(`${name}: ${size.jobs} jobs in ${round((performance.now() - startedMs) / 1_000, 0)} s, of which budgets were counted ${count} s`);
	figures[`${name}BudgetCountSeconds`] = count;
	if (args.check) {
		const { ok, charges: added, differences } = await ledgerCheck({ db: connection.db, clock: systemClock });
		if (!ok)
			throw new Error(
				`the filled ledger does not add up: ${JSON.stringify(differences[0], (_, v) => (typeof v === "bigint" ? String(v) : v))}`,
			);
		note(`${name}: ${added} charges checked`);
	}
	return connection;
}

async function timed(run: () => Promise<unknown>): Promise<{ p50: number; p95: number }> {
	const samples: number[] = [];
	for (let i = 0; i < Number(args.rounds) + WARM_UP; i++) {
		const startedMs = performance.now();
		await run();
		if (i >= WARM_UP) samples.push(performance.now() - startedMs);
	}
	return { p50: quantile(samples, 0.5), p95: quantile(samples, 0.95) };
}

async function measureQueries(small: Connection, large: Connection): Promise<void> {
	const [few, many] = [ledgerQueries(small.db), ledgerQueries(large.db)];
	let worst = 0;
	let worstRatio = 0;
	for (const name of Object.keys(many).filter((n) => n.toLowerCase().includes(args.only.toLowerCase()))) {
		const [a, b] = [await timed(few[name] ?? fail), await timed(many[name] ?? fail)];
		figures[`${name}P50Ms`] = round(b.p50, 2);
		figures[`${name}P95Ms`] = round(b.p95, 2);
		figures[`${name}SmallP50Ms`] = round(a.p50, 2);
		figures[`${name}Ratio`] = round(b.p50 / a.p50, 2);
		note(
			`${name}: p50 ${round(b.p50, 1)} ms, p95 ${round(b.p95, 1)} ms, ${round(b.p50 / a.p50, 2)} times its ${round(a.p50, 1)} ms at ${smallJobs} jobs`,
		);
		worst = Math.max(worst, b.p95);
		worstRatio = Math.max(worstRatio, b.p50 / a.p50);
	}
	figures.worstP95Ms = round(worst, 2);
	figures.worstRatio = round(worstRatio, 2);
}

function fail(): never {
	throw new Error("both sizes have the same queries");
}

interface ChildFigures {
	seconds: number;
	rows: number;
	peakRssMb: number;
}

function child(...given: string[]): Promise<ChildFigures> {
	const ran = spawn(process.execPath, [path.join(import.meta.dirname, "lib/ledger-child.ts"), ...given], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	let text = "";
	ran.stdout.on("data", (chunk) => {
		text += chunk;
	});
	return new Promise((resolve, reject) => {
		ran.on("error", reject);
		ran.on("close", (code) =>
			code === 0 ? resolve(JSON.parse(text) as ChildFigures) : reject(new Error(`${given[0]} ended with ${code}`)),
		);
	});
}

async function measureStreams(): Promise<void> {
	const meant = await child("export", urlOf("large"), "2026-10");
	figures.exportRowsPerSecond = round(meant.rows / meant.seconds, 0);
	figures.exportPeakRssMb = round(meant.peakRssMb, 0);
	note(`export: ${meant.rows} rows, ${figures.exportRowsPerSecond} a second, peak ${figures.exportPeakRssMb} MB`);
	const bill = await child("import", urlOf("small"), args["bill-rows"]);
	figures.importRows = bill.rows;
	figures.importSeconds = round(bill.seconds, 1);
	figures.importPeakRssMb = round(bill.peakRssMb, 0);
	note(`import: ${bill.rows} rows in ${figures.importSeconds} s, peak ${figures.importPeakRssMb} MB`);
}

try {
	const small = await booksOf("small", { jobs: smallJobs, charges: Math.round((charges / jobs) * smallJobs) });
	const large = await booksOf("large", { jobs, charges });
	await measureQueries(small, large);
	if (args.only === "") {
		await measureStreams();
		const meter = await meterRunning(large, Number(args.instances), 5);
		figures.meterInstances = meter.instances;
		figures.meterNodePercentOfCore = round(meter.nodePercent, 1);
		figures.meterDatabasePercentOfCore = round(meter.databasePercent, 1);
		figures.meterSeconds = round(meter.seconds, 2);
	}
	await Promise.all([small.end(), large.end()]);
	print(args.json, "The ledger: ms on the server, large; ratio to small", figures);
} finally {
	await postgres.stop();
}
